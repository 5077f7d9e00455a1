"""What an operator does to rows, in one place: asked, previewed, confirmed, done, logged, said.

An action is a subclass of `ConfirmedAction`. `ActionsAdmin` offers it on the pages of rows and in lists; its `answer`
is the only code that runs one. The question, the preview and the result of an invalid form are at the same address.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from django import forms
from django.contrib import messages
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models import Model, QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.formats import number_format
from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy as _
from unfold.admin import ModelAdmin
from unfold.dataclasses import UnfoldAction
from unfold.enums import ActionVariant

from base.admin.activity import Act, log_acts
from base.errors import DomainError, TemporarilyUnavailable


class Grouped(int):
    """A number that a sentence shows grouped, as the active language does it; a plural sees the number."""

    def __str__(self) -> str:
        return str(number_format(int(self), force_grouping=True))


Row = TypeVar("Row", bound=Model)
View = Callable[..., HttpResponseBase]

STEP, PREVIEW, RUN = "step", "preview", "run"
"""The form field that says which of a page's buttons was pressed, and its values. Absent when the page is opened."""
FURTHER = "further"
"""Sent by the second button, which also goes on to the next row."""
AS_IT_IS = "as_it_is"
"""What `FURTHER` is worth from the button that changes nothing of the row but that it was looked at."""
TYPED = "typed"
"""What the operator typed, for what cannot be undone."""

MOST_ROWS = 10_000
"""The most rows that one page processes, in a few seconds."""

_NAMED = 10
NOTHING = _("There is nothing to do here.")


@dataclass(frozen=True, slots=True)
class Question:
    """What the operator confirms.

    title: what is about to be done. consequences: one sentence each. button: the verb; empty when it cannot be done,
    and the consequences say why. is_dangerous: paints the button red. typed: what has to be typed before the button
    works, for what cannot be undone. further: the label of a second button, which sends `FURTHER` as well. as_it_is: of
    a third one, which sends `AS_IT_IS` with it.
    """

    title: str | Promise
    consequences: Sequence[str | Promise] = ()
    button: str | Promise = ""
    is_dangerous: bool = False
    typed: str = ""
    further: str | Promise = ""
    as_it_is: str | Promise = ""


class NoForm(forms.Form):
    """Nothing is entered."""


class ConfirmedAction(Generic[Row]):
    """One action. An instance answers one request, as Django's own class-based views do.

    name: of its page's address, `admin:<app>_<model>_<name>`. path: the last part of that address, by default from the
    name. list_name: the value of `action` with which a list runs it; no list offers it if it is empty. asks_in_list:
    False for what is undone as easily as it is done. most: the most rows of a list that it takes at once.
    has_page, in_bar: whether a row has a page for it, and whether the row's own page offers it as a button.
    permission: `has_<permission>_permission` of the admin. nothing: said if the action concerns none of the rows.
    has_preview: whether a page between the question and what is done shows what would happen.
    logged: the act of the log, written with the rows that `confirm` returns and with `params`. said: the message for
    them: a sentence, or a lazy plural by `n`; it may have `%(n)s` and `%(rows)s`, the names of the first rows.

    rows: those that it concerns. subject: the row whose page it is; None for a list. again: finds the rows of a list
    once more. goes_to: where `respond` leads, if not back.
    """

    name: str
    label: str | Promise
    question: Question
    path: str = ""
    icon: str = ""
    permission: str = "operate"
    has_page: bool = True
    in_bar: bool = True
    list_name: str = ""
    asks_in_list: bool = True
    most: int = MOST_ROWS
    nothing: str | Promise = NOTHING
    form_class: type[forms.Form] = NoForm
    has_preview: bool = False
    logged: Act | None = None
    said: Any = None
    template: str = "base/confirmation.html"

    def __init__(
        self, admin: ModelAdmin, request: HttpRequest, rows: QuerySet[Row], way_back: str, *,
        subject: Row | None = None, again: Mapping[str, Sequence[str]] | None = None,
    ) -> None:  # fmt: skip
        self.admin, self.request, self.rows, self.way_back = admin, request, rows, way_back
        self.subject, self.again = subject, again or {}
        self.params: Mapping[str, Any] = {}
        self.goes_to = ""

    # What an action says of itself.

    @staticmethod
    def fits(row: Row) -> bool:  # noqa: ARG004  # for those that say more
        """Return whether a row's page offers it."""
        return True

    @staticmethod
    def guard(view: View) -> View:
        """Decorate the view of a row's page."""
        return view

    def among(self) -> QuerySet[Row]:
        """Return the rows that it concerns."""
        return self.rows

    def remarks(self, row: Row) -> Sequence[str | Promise]:  # noqa: ARG002  # as above
        """Return lines below a row that the page names."""
        return ()

    def get_question(self) -> Question:
        return self.question

    def get_form(self, data: Any, files: Any) -> forms.Form:  # noqa: ANN401  # Django's
        """Return the form for what was sent; None and None when the page is opened."""
        return self.form_class(data, files)

    def get_context_data(self) -> Mapping[str, Any]:
        """Return what its template shows beside the question."""
        return {}

    def preview(self, form: Any) -> Question:  # noqa: ANN401  # the action's form, which is valid
        """Return what would happen, with the button that does it, or without one if nothing would change."""
        raise NotImplementedError

    def confirm(self, form: Any) -> Sequence[Row]:  # noqa: ANN401  # as above
        """Do it, and return the rows that changed: without any, nothing is logged.

        It is in one transaction with the log's entry. Raises `DomainError`, which is shown on the form.
        """
        raise NotImplementedError

    def respond(self, rows: Sequence[Row]) -> HttpResponseBase:
        """Say what came of it, and return the way on. rows: those that changed."""
        if self.said and rows:
            named = ", ".join(map(str, rows[:_NAMED]))
            messages.success(self.request, str(self.said % {"n": Grouped(len(rows)), "rows": named}))
        return HttpResponseRedirect(self.goes_to or self.way_back)

    # What all actions have in common.

    @property
    def actor(self) -> str:
        return self.request.user.get_username()

    @property
    def row(self) -> Row:
        """Return the row of a page. Only for actions that no list offers."""
        if self.subject is None:
            raise LookupError("a list has no row of its own")
        return self.subject

    @classmethod
    def is_permitted(cls, admin: ModelAdmin, request: HttpRequest, row: Row | None = None) -> bool:
        may: Callable[..., bool] = getattr(admin, f"has_{cls.permission}_permission")
        return may(request) if row is None else may(request) and may(request, row)

    @classmethod
    def require_permission(cls, admin: ModelAdmin, request: HttpRequest, row: Row | None = None) -> None:
        if not cls.is_permitted(admin, request, row):
            raise PermissionDenied

    def answer(self) -> HttpResponseBase:
        """Return the page that asks, the preview, or the way on once it is done. Raises `PermissionDenied`."""
        self.require_permission(self.admin, self.request, self.subject)
        self.rows = self.among()
        counted = self.rows.order_by()[: self.most + 1].count() if self.subject is None else self.rows.exists()
        if counted > self.most:
            text = gettext("A page takes at most %(most)s rows at once: narrow the list.")
            messages.error(self.request, text % {"most": Grouped(self.most)})
            return HttpResponseRedirect(self.way_back)
        if not counted:
            messages.info(self.request, str(self.nothing))
            return HttpResponseRedirect(self.way_back)
        sent = self.request.POST.get(STEP, "") if self.request.method == "POST" else ""
        step = sent if sent in {PREVIEW, RUN} else "" if self.subject or self.asks_in_list else RUN
        question = self.get_question()
        form = self.get_form(self.request.POST, self.request.FILES) if step else self.get_form(None, None)
        if question.button and step and form.is_valid():
            try:
                return self._go_on(question, form, step)
            except TemporarilyUnavailable:
                raise
            except DomainError as refused:
                blame(form, refused)
        return self._ask(question, form, PREVIEW if self.has_preview else RUN)

    def _go_on(self, question: Question, form: forms.Form, step: str) -> HttpResponseBase:
        if self.has_preview:
            question = self.preview(form)
            if step == PREVIEW or not question.button:
                return self._ask(question, form, RUN)
        if question.typed and self.request.POST.get(TYPED, "").strip() != question.typed:
            form.add_error(None, gettext("Type “%s” to confirm.") % question.typed)
            return self._ask(question, form, RUN)
        with transaction.atomic():
            rows = self.confirm(form)
            if self.logged:
                log_acts(self.request, self.logged, rows, self.params)
        return self.respond(rows)

    def _ask(self, question: Question, form: forms.Form, step: str) -> HttpResponse:
        context = {
            **self.admin.admin_site.each_context(self.request),
            "opts": self.admin.opts,
            "original": self.subject,
            "title": question.title,
            "question": question,
            "form": form,
            "step": step,
            "is_previewed": step == RUN and self.has_preview,
            "named": self._name_rows(),
            "way_back": self.way_back,
            "fields": self.again,
            **self.get_context_data(),
        }
        response = TemplateResponse(self.request, self.template, context)
        response["Cache-Control"] = "no-store"
        return response

    def _name_rows(self) -> Mapping[str, Any]:
        """Return the first rows, each with its remarks, and how many more there are."""
        if self.subject is not None:
            return {"rows": [(self.subject, self.remarks(self.subject))], "more": 0}
        # Asked for the first rows of a condition by their keys, PostgreSQL reads all rows that are older.
        keys = list(self.rows.order_by().values_list("pk", flat=True)[: self.most])
        first = self.rows.filter(pk__in=sorted(keys)[:_NAMED]).order_by("pk")
        return {"rows": [(row, self.remarks(row)) for row in first], "more": max(0, len(keys) - _NAMED)}


def blame(form: forms.Form, refused: DomainError) -> None:
    """Add a refusal to the form: to the fields it names, or else to the form as a whole.

    A form with a method `blame` of its own is asked first; it returns whether it has added the refusal.
    """
    own: Callable[[DomainError], bool] | None = getattr(form, "blame", None)
    if own and own(refused):
        return
    for name, texts in refused.details.items():
        form.add_error(name if name in form.fields else None, texts)
    if not refused.details:
        form.add_error(None, refused.message)


_SELECTION = ("action", "select_across", "index", ACTION_CHECKBOX_NAME)


class ActionsAdmin(ModelAdmin):
    """confirmed_actions: what operators do to the rows, in the order of the buttons."""

    confirmed_actions: Sequence[type[ConfirmedAction[Any]]] = ()
    actions_detail: Any = ()

    def __init__(self, *args: Any) -> None:  # noqa: ANN401  # Django's
        super().__init__(*args)
        paged = [each for each in self.confirmed_actions if each.has_page]
        self.actions_detail = [each.name for each in paged]
        for each in paged:
            setattr(self, each.name, self._on_page(each))
        self.actions = [
            *(self._on_list(each) for each in self.confirmed_actions if each.list_name),
            *(self.actions or ()),
        ]

    def get_actions_detail(self, request: HttpRequest, object_id: int) -> list[UnfoldAction]:
        """Leave out the actions that do not fit the row, or that the operator may not do to it."""
        row = self.get_object(request, str(object_id))
        if row is None:  # before the page reveals which actions it has
            if not self.has_view_or_change_permission(request):
                raise PermissionDenied
            raise Http404
        return [
            self.get_unfold_action(each.name)
            for each in self.confirmed_actions
            if each.has_page and each.in_bar and each.fits(row) and each.is_permitted(self, request, row)
        ]

    def addresses(self, row: Any) -> Mapping[str, str]:  # noqa: ANN401  # a row of the admin's model
        """Return the address of each action's page for `row`, by the action's name."""
        return {name: self.address(name, row) for name in self.actions_detail}

    def url_name(self, page: str) -> str:
        return f"{self.opts.app_label}_{self.opts.model_name}_{page}"

    def address(self, page: str, row: Any = None) -> str:  # noqa: ANN401  # as above
        return reverse(f"admin:{self.url_name(page)}", args=[row.pk] if row is not None else [])

    def _on_page(self, action: type[ConfirmedAction[Any]]) -> View:
        def page(request: HttpRequest, object_id: str) -> HttpResponseBase:
            action.require_permission(self, request)  # before a 404 tells which rows there are
            row = self.get_object(request, object_id)
            if row is None:
                raise Http404
            rows = self.model.objects.filter(pk=row.pk)
            return action(self, request, rows, self.address("change", row), subject=row).answer()

        return _describe(action.guard(page), action, action.name)

    def _on_list(self, action: type[ConfirmedAction[Any]]) -> View:
        def chosen(_admin: Any, request: HttpRequest, rows: QuerySet[Any]) -> HttpResponseBase:  # noqa: ANN401  # Django's
            again = {name: request.POST.getlist(name) for name in _SELECTION if name in request.POST}
            return action(self, request, rows, request.get_full_path(), again=again).answer()

        return _describe(chosen, action, action.list_name)


def _describe(view: Any, action: type[ConfirmedAction[Any]], name: str) -> View:  # noqa: ANN401  # gets attributes
    """Give the view what Django and unfold read of an action."""
    view.__name__ = name
    view.short_description, view.allowed_permissions = action.label, [action.permission]
    view.url_path, view.icon, view.attrs = action.path or action.name.replace("_", "-"), action.icon, {}
    view.variant = ActionVariant.DEFAULT
    described: View = view
    return described
