"""What an operator does to rows, in one place: asked, previewed, confirmed, done, logged, said.

An action is a row of data, a `ConfirmedAction`. `ActionsAdmin` offers it on the pages of rows and in lists; `answer` is
the only code that runs one. The question, the preview and the result of an invalid form are at the same address.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
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
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
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


@dataclass(frozen=True)
class Scene(Generic[Row]):
    """Who acts on which rows. subject: the row whose page it is; None for a list. again: finds the rows once more."""

    admin: ModelAdmin
    request: HttpRequest
    rows: QuerySet[Row]
    way_back: str
    subject: Row | None = None
    again: Mapping[str, Sequence[str]] = field(default_factory=dict)

    @property
    def actor(self) -> str:
        return self.request.user.get_username()

    @property
    def step(self) -> str:
        """Return which button was pressed; empty when the page is opened."""
        sent = self.request.POST.get(STEP, "") if self.request.method == "POST" else ""
        return sent if sent in {PREVIEW, RUN} else ""

    @property
    def one(self) -> Row:
        """Return the row of a page. Only for actions that no list offers."""
        if self.subject is None:
            raise LookupError("a list has no subject")
        return self.subject


@dataclass(frozen=True, slots=True)
class Preview:
    """What would happen. question: with the button that does it, or without one if nothing would change."""

    question: Question
    template: str = ""
    context: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Done(Generic[Row]):
    """What came of it.

    rows: those that changed; without any, nothing is logged. also: further messages, each with its level. params: of
    the log's entry. goes_to: where to go, if not back. response: replaces the redirect. logged: replaces the action's.
    """

    rows: Sequence[Row] = ()
    also: Sequence[tuple[int, str]] = ()
    params: Mapping[str, Any] = field(default_factory=dict)
    goes_to: str = ""
    response: HttpResponseBase | None = None
    logged: Act | None = None


class NoForm(forms.Form):
    """Nothing is entered."""


@dataclass(frozen=True, kw_only=True)
class ConfirmedAction(Generic[Row]):
    """One action.

    name: of its page's address, `admin:<app>_<model>_<name>`. path: the last part of that address, by default from the
    name. list_name: the value of `action` with which a list runs it; no list offers it if it is empty. asks_in_list:
    False for what is undone as easily as it is done. most: the most rows of a list that it takes at once.
    has_page, in_bar: whether a row has a page for it, and whether the row's own page offers it as a button.
    permission: `has_<permission>_permission` of the admin.
    fits: whether a row's page offers it. among: the rows that it concerns; `nothing` is said if there are none.
    form: returns the form for the data and files that were sent, None and None when the page is opened.
    preview: what would happen; the page then has a step more. It is not called with an invalid form.
    run: does it, in one transaction with the log's entry. Raises `DomainError`, which is shown on the form.
    remarks: lines below each row that the page names. logged: the act of the log. said: the message for what changed: a
    sentence, or a lazy plural by `n`; it may have `%(n)s` and `%(rows)s`, the names of the first rows.
    template, context: of the page that asks. guard: decorates the view of a row's page.
    """

    name: str
    label: str | Promise
    question: Question | Callable[[Scene[Row]], Question]
    run: Callable[[Scene[Row], Any], Done[Row]]
    path: str = ""
    icon: str = ""
    permission: str = "operate"
    has_page: bool = True
    in_bar: bool = True
    list_name: str = ""
    asks_in_list: bool = True
    most: int = MOST_ROWS
    fits: Callable[[Row], bool] = lambda _row: True
    among: Callable[[Scene[Row]], QuerySet[Row]] = lambda scene: scene.rows
    nothing: str | Promise = NOTHING
    form: Callable[[Scene[Row], Any, Any], forms.Form] = lambda _scene, data, _files: NoForm(data)
    preview: Callable[[Scene[Row], Any], Preview] | None = None
    remarks: Callable[[Row], Sequence[str | Promise]] = lambda _row: ()
    logged: Act | None = None
    said: Any = None
    template: str = "base/confirmation.html"
    context: Mapping[str, Any] = field(default_factory=dict)
    guard: Callable[[View], View] = lambda view: view

    def is_permitted(self, admin: ModelAdmin, request: HttpRequest, row: Row | None = None) -> bool:
        may: Callable[..., bool] = getattr(admin, f"has_{self.permission}_permission")
        return may(request) if row is None else may(request) and may(request, row)

    def require_permission(self, admin: ModelAdmin, request: HttpRequest, row: Row | None = None) -> None:
        if not self.is_permitted(admin, request, row):
            raise PermissionDenied

    def answer(self, scene: Scene[Row]) -> HttpResponseBase:
        """Return the page that asks, the preview, or the way on once it is done. Raises `PermissionDenied`."""
        self.require_permission(scene.admin, scene.request, scene.subject)
        scene = replace(scene, rows=self.among(scene))
        if problem := self._problem(scene):
            return way_on(scene, [problem])
        question = self.question(scene) if callable(self.question) else self.question
        step = scene.step or ("" if scene.subject or self.asks_in_list else RUN)
        sent = scene.request if step else None
        form = self.form(scene, sent and sent.POST, sent and sent.FILES)
        if question.button and step and form.is_valid():
            try:
                return self._next(scene, question, form)
            except TemporarilyUnavailable:
                raise
            except DomainError as refused:
                blame(form, refused)
        return self._ask(scene, Preview(question), form, PREVIEW if self.preview else RUN)

    def _problem(self, scene: Scene[Row]) -> tuple[int, str] | None:
        counted = scene.rows.order_by()[: self.most + 1].count() if scene.subject is None else scene.rows.exists()
        if counted > self.most:
            text = gettext("A page takes at most %(most)s rows at once: narrow the list.")
            return messages.ERROR, text % {"most": Grouped(self.most)}
        return None if counted else (messages.INFO, str(self.nothing))

    def _next(self, scene: Scene[Row], question: Question, form: forms.Form) -> HttpResponseBase:
        shown = self.preview(scene, form) if self.preview else Preview(question)
        if not shown.question.button or (self.preview and scene.step == PREVIEW):
            return self._ask(scene, shown, form, RUN)
        if shown.question.typed and scene.request.POST.get(TYPED, "").strip() != shown.question.typed:
            form.add_error(None, gettext("Type “%s” to confirm.") % shown.question.typed)
            return self._ask(scene, shown, form, RUN)
        with transaction.atomic():
            done = self.run(scene, form)
            if logged := done.logged or self.logged:
                log_acts(scene.request, logged, done.rows, done.params)
        return way_on(scene, [*self._said(done), *done.also], done)

    def _said(self, done: Done[Row]) -> Sequence[tuple[int, str]]:
        if not (self.said and done.rows):
            return []
        rows = ", ".join(map(str, done.rows[:_NAMED]))
        return [(messages.SUCCESS, str(self.said % {"n": Grouped(len(done.rows)), "rows": rows}))]

    def _ask(self, scene: Scene[Row], shown: Preview, form: forms.Form, step: str) -> HttpResponse:
        context = {
            **scene.admin.admin_site.each_context(scene.request),
            "opts": scene.admin.opts,
            "original": scene.subject,
            "title": shown.question.title,
            "question": shown.question,
            "form": form,
            "step": step,
            "is_previewed": step == RUN and self.preview is not None,
            "named": _named(scene, self.remarks, self.most),
            "way_back": scene.way_back,
            "fields": scene.again,
            **self.context,
            **shown.context,
        }
        response = TemplateResponse(scene.request, shown.template or self.template, context)
        response["Cache-Control"] = "no-store"
        return response


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


def way_on(scene: Scene[Any], said: Sequence[tuple[int, str]], done: Done[Any] | None = None) -> HttpResponseBase:
    """Return the redirect to where the action leads, with its messages."""
    for level, text in said:
        messages.add_message(scene.request, level, text)
    if done and done.response:
        return done.response
    return HttpResponseRedirect((done.goes_to if done else "") or scene.way_back)


def _named(scene: Scene[Row], remarks: Callable[[Row], Sequence[str | Promise]], most: int) -> Mapping[str, Any]:
    """Return the first rows, each with its remarks, and how many more there are."""
    if scene.subject is not None:
        return {"rows": [(scene.subject, remarks(scene.subject))], "more": 0}
    # Asked for the first rows of a condition by their keys, PostgreSQL reads all rows that are older.
    keys = list(scene.rows.order_by().values_list("pk", flat=True)[:most])
    first = scene.rows.filter(pk__in=sorted(keys)[:_NAMED]).order_by("pk")
    return {"rows": [(row, remarks(row)) for row in first], "more": max(0, len(keys) - _NAMED)}


_SELECTION = ("action", "select_across", "index", ACTION_CHECKBOX_NAME)


class ActionsAdmin(ModelAdmin):
    """confirmed_actions: what operators do to the rows, in the order of the buttons."""

    confirmed_actions: Sequence[ConfirmedAction[Any]] = ()
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

    def scene_of(self, request: HttpRequest, object_id: str) -> Scene[Any]:
        """Return the scene of a row's page. Raises `Http404`."""
        row = self.get_object(request, object_id)
        if row is None:
            raise Http404
        return Scene(self, request, self.model.objects.filter(pk=row.pk), self.address("change", row), row)

    def _on_page(self, action: ConfirmedAction[Any]) -> Callable[..., HttpResponseBase]:
        def page(request: HttpRequest, object_id: str) -> HttpResponseBase:
            action.require_permission(self, request)  # before a 404 tells which rows there are
            return action.answer(self.scene_of(request, object_id))

        return _described(action.guard(page), action, action.name)

    def _on_list(self, action: ConfirmedAction[Any]) -> Callable[..., HttpResponseBase]:
        def chosen(_admin: Any, request: HttpRequest, rows: QuerySet[Any]) -> HttpResponseBase:  # noqa: ANN401  # Django's
            again = {name: request.POST.getlist(name) for name in _SELECTION if name in request.POST}
            return action.answer(Scene(self, request, rows, request.get_full_path(), None, again))

        return _described(chosen, action, action.list_name)


def _described(view: Any, action: ConfirmedAction[Any], name: str) -> Callable[..., HttpResponseBase]:  # noqa: ANN401  # gets attributes
    """Give the view what Django and unfold read of an action."""
    view.__name__ = name
    view.short_description, view.allowed_permissions = action.label, [action.permission]
    view.url_path, view.icon, view.attrs = action.path or action.name.replace("_", "-"), action.icon, {}
    view.variant = ActionVariant.DEFAULT
    described: Callable[..., HttpResponseBase] = view
    return described
