"""An operator's live sessions of the operators' API, on the operator's page, each with a button that ends it."""

from typing import Any

from django.contrib.auth.models import User
from django.http import Http404, HttpRequest, HttpResponseBase
from django.urls import URLPattern, path, reverse
from django.utils.functional import Promise
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from unfold.decorators import display

from companies.admin_base.activity import ActKind, act
from companies.admin_base.clocks import in_list
from companies.admin_base.confirmed_action import ConfirmedAction, Done, Question, Scene
from companies.admin_base.scoped_admin import StrictAdmin
from companies.models import OperatorSession

SESSION_ENDED = act("api_session_ended", ActKind.CONFIGURED, _("Ended a session of the operators' API."))


def _ending(scene: Scene[Any]) -> Question:
    lines: list[str | Promise] = [
        _described(scene.rows.get()),
        _("Its token stops working at once. The program that uses it must log in again."),
        _("Against somebody who knows the password, change that too."),
    ]
    return Question(_("End the session"), lines, _("End"), is_dangerous=True)


def _end(scene: Scene[Any], _form: object) -> Done[Any]:
    scene.rows.end()  # type: ignore[attr-defined]  # of sessions
    return Done([scene.one])


END_SESSION = ConfirmedAction[Any](  # the rows are sessions, the subject is their user
    name="end_session", label=_("End the session"), permission="change", nothing=_("The session is over."),
    question=_ending, run=_end, logged=SESSION_ENDED, said=_("The session is ended."),
)  # fmt: skip


class LiveSessions(StrictAdmin):
    """A mixin for the admin of users."""

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view(self.end_session)
        return [path("<path:object_id>/sessions/<str:session>/end/", view, name="auth_user_end_session"),
                *super().get_urls()]  # fmt: skip

    @display(description=_("live sessions"))
    def shown_sessions(self, user: User) -> SafeString | str:
        """One line each, with the link that asks whether to end it."""
        live = OperatorSession.objects.live().filter(user=user)
        lines = format_html_join("", "<li>{} {}</li>", ((_described(each), _link(each)) for each in live))
        return format_html("<ul>{}</ul>", lines) if lines else gettext("None.")

    def end_session(self, request: HttpRequest, object_id: str, session: str) -> HttpResponseBase:
        """Ask for confirmation, then end one session."""
        user: Any = self.get_object(request, object_id)
        if user is None:
            raise Http404
        live = OperatorSession.objects.live().filter(user=user)
        found = live.filter(pk__in=[each.pk for each in live if str(each.pk) == session])
        page = reverse("admin:auth_user_change", args=[user.pk])
        return END_SESSION.answer(Scene(self, request, found, page, user))


def _described(session: OperatorSession) -> str:
    used = session.last_used_at or session.created_at
    return gettext("from %(address)s, began %(began)s, last used %(used)s") % {
        "address": session.address or "?",
        "began": in_list(session.created_at),
        "used": in_list(used),
    }


def _link(session: OperatorSession) -> SafeString:
    page = reverse("admin:auth_user_end_session", args=[session.user_id, session.pk])
    return format_html('<a class="font-medium text-red-600 dark:text-red-500 ml-2" href="{}">{}</a>', page, _("End"))
