"""Invitations: the link of a mail, once within 72 hours, opens a page where an operator chooses a password.

Whoever opened one may also log in elsewhere instead: `find_invited_user` says who it is, and `accept` ends the
invitation.
"""

from collections.abc import Sequence
from typing import Any

import structlog
from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils import timezone
from django.utils.text import capfirst
from django.utils.translation import gettext, gettext_lazy as _

from base.admin.activity import ActKind, act
from base.admin.confirmed_action import ConfirmedAction, Question
from base.db.moments import in_list
from companies.mail import outbox
from companies.mail.links import INVITATION_TOKENS, invited_at
from companies.models import Mail, MailKind, OperatorProfile
from companies.operators.logins import provider_name
from companies.operators.new_password import NewPasswordPage

INVITED = act("operator_invited", ActKind.CONFIGURED, _("Sent an invitation."))
_OPENED = "invitation"

log = structlog.get_logger(__name__)


def invite(user: User, request: HttpRequest) -> None:
    """Write the mail with the link. The link of an earlier invitation is worth nothing from now on."""
    with transaction.atomic():
        OperatorProfile.objects.update_or_create(user=user, defaults={"invited_at": timezone.now()})
        outbox.write(MailKind.INVITATION, user, request=request)


def find_invited_user(request: HttpRequest) -> User | None:
    """Return the operator whose invitation was opened in this session, if it is still valid and not accepted."""
    key, token = request.session.get(_OPENED, (None, ""))
    user = User.objects.filter(pk=key).select_related("operator_profile").first()
    return user if INVITATION_TOKENS.check_token(user, token) else None


def accept(user: User) -> None:
    """End the invitation: its link is worth nothing from now on."""
    OperatorProfile.objects.filter(user=user).update(invited_at=None)
    log.info("invitation_accepted", user_id=user.pk)


class InvitationPage(NewPasswordPage):
    token_generator = INVITATION_TOKENS
    """Offers the provider of single sign-on, too; where passwords are off, nothing else."""

    title = _("Your invitation")

    def is_offered(self) -> bool:
        return bool(settings.LOCAL_PASSWORDS) or self.request.method != "POST"

    def get_context_data(self, **context: Any) -> dict[str, Any]:  # noqa: ANN401  # Django's signature
        offered = {"provider": provider_name(), "provider_query": "", "passwords": settings.LOCAL_PASSWORDS}
        return super().get_context_data(is_invitation=True, **offered, **context)

    def dispatch(self, *args: Any, **kwargs: Any) -> HttpResponseBase:  # noqa: ANN401  # Django's signature
        response = super().dispatch(*args, **kwargs)
        is_link = self.token_generator.check_token(self.user, kwargs["token"])  # not the page that it leads to
        if self.user is not None and is_link:
            self.request.session[_OPENED] = (self.user.pk, kwargs["token"])
        return response


class Invite(ConfirmedAction[User]):
    name, label, icon, permission = "invite", _("Send an invitation"), "outgoing_mail", "change"
    question = Question(
        _("Send an invitation"),
        [
            _("The mail has a link that works once, within 72 hours: whoever opens it gets the account."),
            _("An earlier invitation stops working. Check the e-mail address first."),
        ],
        _("Send"),
    )
    logged, said = INVITED, _("The invitation of %(rows)s is on its way.")

    @staticmethod
    def fits(row: Any) -> bool:  # noqa: ANN401  # a user
        return outbox.is_on() and row.is_active and bool(row.email)

    def among(self) -> QuerySet[User]:
        return self.rows if self.fits(self.row) else self.rows.none()

    def confirm(self, form: object) -> Sequence[User]:  # noqa: ARG002  # nothing is entered
        invite(self.row, self.request)
        return [self.row]


def invitation_in_words(user: User) -> str:
    """Return what became of the last invitation, with the trouble of its mail; empty where there was none."""
    mail = Mail.objects.filter(operator=user, kind=MailKind.INVITATION).first()
    invited = invited_at(user)
    if invited is None:
        return gettext("Accepted.") if mail else ""
    words = [gettext("Invited at %s, not accepted yet.") % in_list(invited)]
    if mail:
        words += [f"{capfirst(mail._meta.verbose_name)}: {mail.get_state_display()}.", trouble_of(mail)]
    return " ".join(filter(None, words))


def trouble_of(mail: Mail) -> str:
    """Return what the server said, in its words, or what we say of it, in the operator's."""
    return gettext(mail.error) if mail.error else ""
