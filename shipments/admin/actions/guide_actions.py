"""What operators do to guides, other than moving them: reviews, retentions, corrections, and who looks at what."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.contrib import messages
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy as _, ngettext, ngettext_lazy

from base.admin.activity import operator_id
from base.admin.confirmed_action import AS_IT_IS, FURTHER, ConfirmedAction, Grouped, Question, Row
from shipments.activity import (
    CORRECTED,
    RELEASED,
    RETENTION_LIFTED,
    REVIEW_REOPENED,
    REVIEWED,
    TAKEN,
    correction_params,
)
from shipments.admin.actions.note_action import write_notes
from shipments.admin.forms import ConsigneeForm, OptionalReasonForm, ReasonForm
from shipments.errors import GuideNotUnderRetention
from shipments.models import Guide, GuideTaking
from shipments.statuses import GuideStatus
from shipments.tracking.corrections import By, correct
from shipments.tracking.review import lift_retention, mark_reviewed, reopen_review
from shipments.wording.rendering import reason_in_words

_LONGEST_PLACE = 12


class ShipmentAction(ConfirmedAction[Row]):
    """An action on guides, or on what has guides: its page names them by their codes."""

    template = "admin/shipments/confirmation.html"


def _to_review(request: HttpRequest) -> QuerySet[Guide]:
    """Return the work list, oldest first: what the operator may see and nobody else has taken."""
    free = Q(taking=None) | Q(taking__operator=operator_id(request))
    return Guide.objects.visible_to(request.user).to_review().filter(free).order_by("pk")


def first_review(request: HttpRequest) -> str:
    """Return the address of the form of the first guide in the work list; empty if it has none."""
    guide = _to_review(request).first()
    return _form_of(guide) if guide else ""


def _form_of(guide: Guide, name: str = "correct_consignee", place: str = "") -> str:
    """Return the address of the form by which `guide` is reviewed. place: the query that says which one it is."""
    name = name if Correct.fits(guide) else "mark_reviewed"
    return reverse(f"admin:shipments_guide_{name}", args=[guide.pk]) + place


def review_reasons(guide: Guide) -> Sequence[str]:
    """Return the reasons for its review, in words."""
    return [reason_in_words(reason, on_page=True) for reason in guide.review_reasons]


class _Reviewing(ShipmentAction[Guide]):
    """A form of the work list: it says its place there, and a second button goes on to the next guide's."""

    def remarks(self, row: Guide) -> Sequence[str]:
        return review_reasons(row)

    @property
    def is_in_work_list(self) -> bool:
        return self.subject is not None and self.subject.needs_review

    def _place(self) -> tuple[int, int]:
        """Return which review of how many the form is: as the one before it said, or the first of those that wait."""
        nth, of = self.request.GET.get("nth", ""), self.request.GET.get("of", "")
        if nth.isdecimal() and of.isdecimal() and len(nth + of) < _LONGEST_PLACE:
            return int(nth), max(int(nth), int(of))
        return 1, _to_review(self.request).exclude(pk=self.row.pk).count() + 1

    def add_place(self, title: str | Promise) -> str:
        """Return the title of a form; of one in the work list with its place there."""
        if not self.is_in_work_list:
            return str(title)
        nth, of = self._place()
        place = gettext("%(nth)s of %(of)s") % {"nth": Grouped(nth), "of": Grouped(of)}
        return f"{title} · {place}"

    def find_next(self, name: str = "") -> str:
        """Return where "Save and next" leads; empty for back. name: of the form that was sent, if it was one."""
        if FURTHER not in self.request.POST or self.subject is None:
            return ""
        waiting = _to_review(self.request).exclude(pk=self.subject.pk)
        following = waiting.filter(pk__gt=self.subject.pk).first() or waiting.first()
        if following is None:
            messages.info(self.request, gettext("No other guide needs review."))
            return reverse("admin:shipments_guide_changelist") + "?work=review"
        if not name:
            return reverse("admin:shipments_guide_change", args=[following.pk])
        nth, of = self._place()
        return _form_of(following, name, f"?nth={nth + 1}&of={of}")


class Correct(_Reviewing):
    name, path = "correct_consignee", "correct"
    label, icon = _("Correct consignee"), "edit"
    logged = CORRECTED
    fits = staticmethod(lambda row: not GuideStatus(row.status).is_terminal and row.anonymised_at is None)

    def get_question(self) -> Question:
        title = self.add_place(_("Correct the consignee"))
        if GuideStatus(self.row.status).is_terminal:
            return Question(title, [gettext("%s has a final status; its consignee stays as it is.") % self.row])
        rule = _(
            "A document is checked by the rules of the guide's country; a valid one ends the review that it caused."
        )
        if not self.is_in_work_list:
            return Question(title, [rule], _("Correct"))
        further, as_it_is = _("Save and next"), _("Fine as it is, next")
        return Question(title, [rule], _("Correct"), further=further, as_it_is=as_it_is)

    def get_form(self, data: Any, files: object) -> ConsigneeForm:  # noqa: ANN401, ARG002  # Django's data
        return ConsigneeForm(self.row, data)

    def get_context_data(self) -> Mapping[str, bool]:
        return {"checks_documents": True}

    def confirm(self, form: ConsigneeForm) -> Sequence[Guide]:
        self.goes_to = self.find_next("correct_consignee")
        if self.request.POST.get(FURTHER) == AS_IT_IS and not form.changes:
            self.logged = REVIEWED
            reviewed = mark_reviewed(self.rows, actor=self.actor)
            messages.success(self.request, gettext("%s is marked as reviewed.") % self.row)
            return reviewed
        correction = correct(self.rows, form.changes, By("operator", self.actor))
        if not correction.after:
            messages.info(self.request, gettext("Nothing was changed."))
            return []
        said = gettext("The consignee is corrected.")
        if correction.ends_review:
            said = gettext("The consignee is corrected; the guide no longer needs review.")
        messages.success(self.request, said)
        self.params = correction_params(correction, form.reason)
        return [self.row]


class Review(_Reviewing):
    name, list_name = "mark_reviewed", "mark_selected_reviewed"
    label, icon = _("Mark as reviewed…"), "task_alt"
    nothing = _("None of these guides needs review.")
    form_class = OptionalReasonForm
    logged = REVIEWED
    said = ngettext_lazy("%(rows)s is marked as reviewed.", "%(n)s guides are marked as reviewed.", "n")
    fits = staticmethod(lambda row: row.needs_review)

    def among(self) -> QuerySet[Guide]:
        return self.rows.filter(needs_review=True)

    def get_question(self) -> Question:
        lines = [_("The guides leave the list of those that need review. Their reasons stay on record.")]
        title = self.add_place(_("Mark as reviewed"))
        further = _("Save and next") if self.is_in_work_list else ""
        return Question(title, lines, _("Mark as reviewed"), further=further)

    def confirm(self, form: OptionalReasonForm) -> Sequence[Guide]:
        self.goes_to = self.find_next("mark_reviewed" if "reason" in self.request.POST else "")
        reviewed = mark_reviewed(self.rows, actor=self.actor)
        write_notes(reviewed, form.cleaned_data["reason"], self.actor)
        return reviewed


class ReviewAgain(ShipmentAction[Guide]):
    name, label, icon = "review_again", _("Review again"), "undo"
    nothing = _("Nobody has reviewed it.")
    question = Question(
        _("Review again"), [_("The guide returns to the list of those that need review.")], _("Review again")
    )
    logged, said = REVIEW_REOPENED, _("The guide needs review again.")
    fits = staticmethod(lambda row: row.reviewed_at is not None and not row.needs_review)

    def among(self) -> QuerySet[Guide]:
        return self.rows.filter(reviewed_at__isnull=False, needs_review=False)

    def confirm(self, form: object) -> Sequence[Guide]:  # noqa: ARG002  # nothing is entered
        return reopen_review(self.rows, actor=self.actor)


class Lift(ShipmentAction[Guide]):
    name, list_name = "lift_retention", "lift_retention_of_selected"
    label, icon = _("Lift retention…"), "lock_open"
    nothing = _("None of these guides is under retention.")
    question = Question(
        _("Lift the retention"),
        [
            _("The guide may then be released, go out for delivery and be delivered. No customs event is invented."),
            _("Who lifted it, when and why stays on the guide."),
        ],
        _("Lift the retention"),
    )
    form_class = ReasonForm
    logged = RETENTION_LIFTED
    said = ngettext_lazy("The retention of %(n)s guide is lifted.", "The retention of %(n)s guides is lifted.", "n")
    fits = staticmethod(lambda row: row.retention_required)

    def among(self) -> QuerySet[Guide]:
        return self.rows.filter(retention_required=True)

    def confirm(self, form: ReasonForm) -> Sequence[Guide]:
        lifted = []
        for guide in self.rows.order_by("pk"):
            try:
                lifted.append(lift_retention(guide, reason=form.cleaned_data["reason"], actor=self.actor))
            except GuideNotUnderRetention:
                continue  # customs or another operator already released it
        return lifted


class Take(ShipmentAction[Guide]):
    name, list_name = "take", "take_selected"
    label, icon = _("Take"), "person_add"
    asks_in_list, in_bar = False, False
    question = Question(
        _("Take the guide"), [_("Other operators see that you are looking at it. Clients do not.")], _("Take")
    )
    logged = TAKEN

    def confirm(self, form: object) -> Sequence[Guide]:  # noqa: ARG002  # nothing is entered
        wanted, own = list(self.rows.order_by("pk")), operator_id(self.request)
        takings = GuideTaking.objects.filter(pk__in=[guide.pk for guide in wanted])
        before = set(takings.values_list("pk", flat=True))
        new = [GuideTaking(guide=guide, operator_id=own) for guide in wanted if guide.pk not in before]
        GuideTaking.objects.bulk_create(new, ignore_conflicts=True)  # somebody else may have been faster
        mine = set(takings.filter(operator=own).values_list("pk", flat=True))
        if mine:
            text = ngettext("You have taken %(n)s guide.", "You have taken %(n)s guides.", len(mine))
            messages.success(self.request, text % {"n": Grouped(len(mine))})
        if others := len(wanted) - len(mine):
            text = ngettext("%(n)s guide was taken by somebody else.", "%(n)s guides were taken by others.", others)
            messages.warning(self.request, text % {"n": Grouped(others)})
        return [guide for guide in wanted if guide.pk in mine - before]


class Release(ShipmentAction[Guide]):
    name, list_name = "release", "release_selected"
    label, icon = _("Release"), "person_remove"
    asks_in_list, in_bar = False, False
    nothing = _("You have taken none of these guides.")
    question = Question(_("Release the guide"), [_("Any operator may take it again.")], _("Release"))
    logged = RELEASED
    said = ngettext_lazy("%(n)s guide is released.", "%(n)s guides are released.", "n")

    def among(self) -> QuerySet[Guide]:
        """Return what the operator has taken; on a guide's page whoever has: colleagues fall ill."""
        return self.rows if self.subject is not None else self.rows.filter(taking__operator=operator_id(self.request))

    def confirm(self, form: object) -> Sequence[Guide]:  # noqa: ARG002  # nothing is entered
        taken = list(self.rows.filter(taking__isnull=False).order_by("pk"))
        GuideTaking.objects.filter(pk__in=[guide.pk for guide in taken]).delete()
        return taken
