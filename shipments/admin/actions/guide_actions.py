"""What operators do to guides, other than moving them: reviews, retentions, corrections, and who looks at what."""

from collections.abc import Sequence

from django.contrib import messages
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext, ngettext, ngettext_lazy
from django.utils.translation import gettext_lazy as _

from base.admin.activity import operator_id
from base.admin.confirmed_action import AS_IT_IS, FURTHER, ConfirmedAction, Done, Grouped, Question, Scene
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
from shipments.tracking.review import correct_consignee, lift_retention, mark_reviewed, reopen_review
from shipments.wording.rendering import reason_in_words

TEMPLATE = "admin/shipments/confirmation.html"
_LONGEST_PLACE = 12


def _to_review(request: HttpRequest) -> QuerySet[Guide]:
    """Return the work list, oldest first: what the operator may see and nobody else has taken."""
    free = Q(taking=None) | Q(taking__operator=operator_id(request))
    return Guide.objects.visible_to(request.user).to_review().filter(free).order_by("pk")


def next_to_review(request: HttpRequest, guide: Guide) -> Guide | None:
    """Return the guide after `guide` in the work list, or the first one after the last."""
    waiting = _to_review(request).exclude(pk=guide.pk)
    return waiting.filter(pk__gt=guide.pk).first() or waiting.first()


def first_review(request: HttpRequest) -> str:
    """Return the address of the form of the first guide in the work list; empty if it has none."""
    guide = _to_review(request).first()
    return _form_of(guide) if guide else ""


def _form_of(guide: Guide, name: str = "correct_consignee", place: str = "") -> str:
    """Return the address of the form by which `guide` is reviewed. place: the query that says which one it is."""
    name = name if CORRECT.fits(guide) else "mark_reviewed"
    return reverse(f"admin:shipments_guide_{name}", args=[guide.pk]) + place


def _place(scene: Scene[Guide]) -> tuple[int, int]:
    """Return which review of how many the form is: as the one before it said, or the first of those that wait."""
    nth, of = scene.request.GET.get("nth", ""), scene.request.GET.get("of", "")
    if nth.isdecimal() and of.isdecimal() and len(nth + of) < _LONGEST_PLACE:
        return int(nth), max(int(nth), int(of))
    return 1, _to_review(scene.request).exclude(pk=scene.one.pk).count() + 1


def _titled(title: str | Promise, scene: Scene[Guide]) -> str:
    """Return the title of a form; of one in the work list with its place there."""
    if scene.subject is None or not scene.one.needs_review:
        return str(title)
    nth, of = _place(scene)
    place = gettext("%(nth)s of %(of)s") % {"nth": Grouped(nth), "of": Grouped(of)}
    return f"{title} · {place}"


def _onward(scene: Scene[Guide], name: str = "") -> str:
    """Return where "Save and next" leads; empty for back. name: of the form that was sent, if it was one."""
    if FURTHER not in scene.request.POST or scene.subject is None:
        return ""
    following = next_to_review(scene.request, scene.subject)
    if following is None:
        messages.info(scene.request, gettext("No other guide needs review."))
        return reverse("admin:shipments_guide_changelist") + "?work=review"
    if not name:
        return reverse("admin:shipments_guide_change", args=[following.pk])
    nth, of = _place(scene)
    return _form_of(following, name, f"?nth={nth + 1}&of={of}")


def _further(scene: Scene[Guide]) -> str:
    """Return the label of the button that goes on to the next guide; empty unless this one is in the work list."""
    return gettext("Save and next") if scene.subject is not None and scene.subject.needs_review else ""


def why(guide: Guide) -> Sequence[str]:
    """Return the reasons for its review, in words."""
    return [reason_in_words(reason, on_page=True) for reason in guide.review_reasons]


def _review(scene: Scene[Guide], form: OptionalReasonForm) -> Done[Guide]:
    goes_to = _onward(scene, "mark_reviewed" if "reason" in scene.request.POST else "")
    reviewed = mark_reviewed(scene.rows, actor=scene.actor)
    write_notes(reviewed, form.cleaned_data["reason"], scene.actor)
    return Done(reviewed, goes_to=goes_to)


def _correct(scene: Scene[Guide], form: ConsigneeForm) -> Done[Guide]:
    goes_to = _onward(scene, "correct_consignee")
    if scene.request.POST.get(FURTHER) == AS_IT_IS and not form.changes:
        reviewed = mark_reviewed(scene.rows, actor=scene.actor)
        said = gettext("%s is marked as reviewed.") % scene.one
        return Done(reviewed, [(messages.SUCCESS, said)], goes_to=goes_to, logged=REVIEWED)
    correction = correct_consignee(scene.one, form.changes, actor=scene.actor)
    if not correction.after:
        return Done(also=[(messages.INFO, gettext("Nothing was changed."))], goes_to=goes_to)
    said = gettext("The consignee is corrected.")
    if correction.ends_review:
        said = gettext("The consignee is corrected; the guide no longer needs review.")
    params = correction_params(correction, form.reason)
    return Done([scene.one], [(messages.SUCCESS, said)], params, goes_to)


def _correction(scene: Scene[Guide]) -> Question:
    title = _titled(_("Correct the consignee"), scene)
    if GuideStatus(scene.one.status).is_terminal:
        return Question(title, [gettext("%s has a final status; its consignee stays as it is.") % scene.one])
    rule = _("A document is checked by the rules of the guide's country; one in order ends the review it caused.")
    as_it_is = gettext("Fine as it is, next") if scene.one.needs_review else ""
    return Question(title, [rule], _("Correct"), further=_further(scene), as_it_is=as_it_is)


def _lift(scene: Scene[Guide], form: ReasonForm) -> Done[Guide]:
    lifted = []
    for guide in scene.rows.order_by("pk"):
        try:
            lifted.append(lift_retention(guide, reason=form.cleaned_data["reason"], actor=scene.actor))
        except GuideNotUnderRetention:
            continue  # customs or another operator already released it
    return Done(lifted)


def _take(scene: Scene[Guide], _form: object) -> Done[Guide]:
    wanted, own = list(scene.rows.order_by("pk")), operator_id(scene.request)
    takings = GuideTaking.objects.filter(pk__in=[guide.pk for guide in wanted])
    before = set(takings.values_list("pk", flat=True))
    new = [GuideTaking(guide=guide, operator_id=own) for guide in wanted if guide.pk not in before]
    GuideTaking.objects.bulk_create(new, ignore_conflicts=True)  # somebody else may have been faster
    mine = set(takings.filter(operator=own).values_list("pk", flat=True))
    said = []
    if mine:
        text = ngettext("You have taken %(n)s guide.", "You have taken %(n)s guides.", len(mine))
        said.append((messages.SUCCESS, text % {"n": Grouped(len(mine))}))
    if others := len(wanted) - len(mine):
        text = ngettext("%(n)s guide was taken by somebody else.", "%(n)s guides were taken by others.", others)
        said.append((messages.WARNING, text % {"n": Grouped(others)}))
    return Done([guide for guide in wanted if guide.pk in mine - before], said)


def _release(scene: Scene[Guide], _form: object) -> Done[Guide]:
    taken = list(scene.rows.filter(taking__isnull=False).order_by("pk"))
    GuideTaking.objects.filter(pk__in=[guide.pk for guide in taken]).delete()
    return Done(taken)


def _ones_own(scene: Scene[Guide]) -> QuerySet[Guide]:
    """Return what the operator has taken; on a guide's page whoever has: colleagues fall ill."""
    return scene.rows if scene.subject is not None else scene.rows.filter(taking__operator=operator_id(scene.request))


LIFT = ConfirmedAction[Guide](
    name="lift_retention", list_name="lift_retention_of_selected", label=_("Lift retention…"), icon="lock_open",
    fits=lambda guide: guide.retention_required,
    among=lambda scene: scene.rows.filter(retention_required=True),
    nothing=_("None of these guides is under retention."),
    question=Question(
        _("Lift the retention"),
        [
            _("The guide may then be released, go out for delivery and be delivered. No customs event is invented."),
            _("Who lifted it, when and why stays on the guide."),
        ],
        _("Lift the retention"),
    ),
    form=lambda _scene, data, _files: ReasonForm(data), run=_lift, logged=RETENTION_LIFTED, template=TEMPLATE,
    said=ngettext_lazy(
        "The retention of %(n)s guide is lifted.", "The retention of %(n)s guides is lifted.", "n"
    ),
)  # fmt: skip
CORRECT = ConfirmedAction[Guide](
    name="correct_consignee", path="correct", label=_("Correct consignee"), icon="edit", remarks=why,
    fits=lambda guide: not GuideStatus(guide.status).is_terminal and guide.anonymised_at is None,
    question=_correction, form=lambda scene, data, _files: ConsigneeForm(scene.one, data), run=_correct,
    logged=CORRECTED, template=TEMPLATE, context={"checks_documents": True},
)  # fmt: skip
REVIEW = ConfirmedAction[Guide](
    name="mark_reviewed", list_name="mark_selected_reviewed", label=_("Mark as reviewed…"), icon="task_alt",
    fits=lambda guide: guide.needs_review, remarks=why,
    among=lambda scene: scene.rows.filter(needs_review=True), nothing=_("None of these guides needs review."),
    question=lambda scene: Question(
        _titled(_("Mark as reviewed"), scene),
        [_("The guides leave the list of those that need review. Their reasons stay on record.")],
        _("Mark as reviewed"), further=_further(scene),
    ),
    form=lambda _scene, data, _files: OptionalReasonForm(data), run=_review, logged=REVIEWED, template=TEMPLATE,
    said=ngettext_lazy("%(rows)s is marked as reviewed.", "%(n)s guides are marked as reviewed.", "n"),
)  # fmt: skip
REVIEW_AGAIN = ConfirmedAction[Guide](
    name="review_again", label=_("Review again"), icon="undo",
    fits=lambda guide: guide.reviewed_at is not None and not guide.needs_review,
    among=lambda scene: scene.rows.filter(reviewed_at__isnull=False, needs_review=False),
    nothing=_("Nobody has reviewed it."),
    question=Question(
        _("Review again"), [_("The guide returns to the list of those that need review.")], _("Review again")
    ),
    run=lambda scene, _form: Done(reopen_review(scene.rows, actor=scene.actor)), logged=REVIEW_REOPENED,
    said=_("The guide needs review again."), template=TEMPLATE,
)  # fmt: skip
TAKE = ConfirmedAction[Guide](
    name="take", list_name="take_selected", asks_in_list=False, in_bar=False, label=_("Take"), icon="person_add",
    question=Question(
        _("Take the guide"), [_("Other operators see that you are looking at it. Clients do not.")], _("Take")
    ),
    run=_take, logged=TAKEN, template=TEMPLATE,
)  # fmt: skip
RELEASE = ConfirmedAction[Guide](
    name="release", list_name="release_selected", asks_in_list=False, in_bar=False, label=_("Release"),
    icon="person_remove", among=_ones_own, nothing=_("You have taken none of these guides."),
    question=Question(_("Release the guide"), [_("Any operator may take it again.")], _("Release")),
    run=_release, logged=RELEASED, template=TEMPLATE,
    said=ngettext_lazy("%(n)s guide is released.", "%(n)s guides are released.", "n"),
)  # fmt: skip
