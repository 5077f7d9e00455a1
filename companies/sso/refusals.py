"""Why single sign-on lets somebody not in: each with the status and the words of its page.

None of them says more of a token than the log does, and none counts against an address or an operator.
"""

from typing import ClassVar

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _


class LoginRefused(Exception):
    """why: for the log, never a token and no person's name. details: values for the sentence."""

    status: ClassVar[int] = 403
    title: ClassVar[str | Promise] = _("The login did not work")
    text: ClassVar[str | Promise]

    def __init__(self, why: str = "", **details: str) -> None:
        super().__init__(why)
        self.why, self.details = why, details


class LoginExpired(LoginRefused):
    """The answer belongs to no login that this browser began and has not finished."""

    status = 400
    title = _("This login has expired")
    text = _("The login was started in another browser, was already finished, or took too long. Start again.")


class ProviderRefused(LoginRefused):
    text = _("%(provider)s did not confirm who you are. If you did not cancel, ask those who run it.")


class TokenRefused(LoginRefused):
    """The provider's word is not worth its name: expired, of others or for others, forged, or in no form at all."""

    text = _("The answer of %(provider)s could not be verified. Start again.")


class NoRole(LoginRefused):
    title = _("You have no access here yet")
    text = _(
        "%(provider)s knows you, but gives you no role here, or no country. Ask an administrator, who may need your "
        "identifier there: %(subject)s"
    )


class Deactivated(LoginRefused):
    title = _("Your access here has ended")
    text = _("An administrator has deactivated your account. %(provider)s cannot change that.")


class NameTaken(LoginRefused):
    """Somebody who is bound to nobody at the provider has the username: nobody is bound by a name."""

    status = 409
    text = _("The username that you would get, %(username)s, belongs to another account. Ask an administrator.")


class ProviderAway(LoginRefused):
    status = 503
    title = _("The login is not available at this moment")
    text = _("%(provider)s does not answer, or not in time. Try again in a moment.")


class ProviderBroken(LoginRefused):
    """The provider answers what no provider may, or this service is not set up there as the settings say."""

    status = 502
    title = _("The login is not available at this moment")
    text = _("%(provider)s sent an invalid answer. Tell an administrator: the log has the details.")
