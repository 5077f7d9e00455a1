"""What is wrong with a guide and what can be done about it, as operators read it."""

from collections.abc import Sequence
from typing import NamedTuple

from django.urls import reverse
from django.utils.functional import Promise
from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _

from companies.admin_base.lists import badge
from shipments.models import Guide
from shipments.statuses import GuideStatus, StatusKind
from shipments.wording.rendering import reason_in_words

_SHORT = {
    "rut_invalid_format": _("invalid RUT"),
    "rut_placeholder": _("placeholder RUT"),
    "document_missing": _("no document"),
    "invalid_document": _("invalid document"),
    "invalid_document_type": _("invalid document type"),
}
"""Review reason -> two words for a badge. Other reasons show the general word."""


class Matter(NamedTuple):
    """One thing that is wrong: its title, the reasons in words, and the buttons out of it, each a label and a link."""

    title: str | Promise
    reasons: Sequence[str]
    ways: Sequence[tuple[str | Promise, str]]


def flags(guide: Guide) -> Sequence[str]:
    """Return the badges of what is still to be looked at, and of who does, if the list has read it.

    A guide in a final status needs nothing any more.
    """
    badges = []
    if not GuideStatus(guide.status).is_terminal:
        if guide.needs_review:
            words = {str(_SHORT.get(reason, _("review"))) for reason in guide.review_reasons} or {str(_("review"))}
            badges += [badge(word, "warning") for word in sorted(words)]
        if guide.retention_required:
            badges.append(badge(_("retention"), "warning"))
    if taken_by := getattr(guide, "taken_by", None):
        badges.append(badge(format_lazy("{}: {}", _("taken"), taken_by), "info"))
    if guide.anonymised_at:
        badges.append(badge(_("anonymised"), "muted"))
    return badges


def matters(guide: Guide, *, may_operate: bool, last_reason: str = "") -> Sequence[Matter]:
    """Return what is wrong with `guide`, most urgent first; nothing for one in a final status.

    last_reason: the reason of the event that set the current status.
    """
    status = GuideStatus(guide.status)
    if status.is_terminal:
        return ()
    found = []
    if guide.retention_required:
        ways = [_way(guide, _("Lift retention"), "lift_retention")]
        found.append(Matter(_("Under retention"), [reason_in_words(guide.retention_reason)], ways))
    if guide.needs_review:
        ways = [
            _way(guide, _("Correct consignee"), "correct_consignee"),
            _way(guide, _("Mark as reviewed"), "mark_reviewed"),
        ]
        found.append(Matter(_("Needs review"), [reason_in_words(each) for each in guide.review_reasons], ways))
    if status.kind is StatusKind.EXCEPTION:
        ways = [_way(guide, _("Advance to…"), "advance")]
        found.append(Matter(guide.get_status_display(), [last_reason] if last_reason else [], ways))
    return found if may_operate else [Matter(one.title, one.reasons, ()) for one in found]


def _way(guide: Guide, label: str | Promise, action: str) -> tuple[str | Promise, str]:
    return label, reverse(f"admin:shipments_guide_{action}", args=[guide.pk])
