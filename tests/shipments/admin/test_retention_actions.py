"""Lifting retentions in the admin: with a note, with a permission, and only for the selected guides."""

import pytest
from django.contrib.admin.models import LogEntry
from django.test import Client

from base.admin.activity import ActKind, act_in_words
from companies.models import Company
from shipments.models import Guide
from tests.shipments.admin.pages import GUIDES, logged, of_guide, text_of, ticked
from tests.shipments.shipping import shipped, tell

pytestmark = pytest.mark.django_db


def retained(company: Company, guides: int = 1) -> list[Guide]:
    return list(shipped(company, guides, country="PE", retention_reason="FOB above US$ 2,000.").guides.order_by("pk"))


def test_a_retention_is_lifted_with_a_note_and_the_guide_goes_on(staff: Client, ours: Company, theirs: Company) -> None:
    (guide,), (other,) = retained(ours), retained(theirs)
    assert tell(guide, "delivered").outcome == "refused"
    assert "Reason" in text_of(staff.get(of_guide(guide, "lift_retention")))
    answer = staff.post(of_guide(guide, "lift_retention"), {"step": "run", "reason": "Papers seen."}, follow=True)
    guide.refresh_from_db()
    other.refresh_from_db()
    assert (guide.retention_required, other.retention_required) == (False, True)
    assert (guide.retention_lifted_by, guide.retention_lifted_reason) == ("olga", "Papers seen.")
    assert "Papers seen." in text_of(answer)
    assert logged(guide)[0] == "Lifted the retention."
    assert tell(guide, "delivered").outcome == "advanced"


def test_a_note_that_cannot_be_kept_lifts_nothing(staff: Client, ours: Company) -> None:
    (guide,) = retained(ours)
    for reason in ("   ", "x" * 256, "a\0b"):
        page = text_of(staff.post(of_guide(guide, "lift_retention"), {"step": "run", "reason": reason}))
        assert "errors" in page
    guide.refresh_from_db()
    assert guide.retention_required
    assert logged(guide) == []


def test_what_is_ticked_is_lifted_together_and_the_rest_stays(staff: Client, ours: Company, theirs: Company) -> None:
    one, two, three = retained(ours, 3)
    (other,) = retained(theirs)
    (free,) = shipped(ours, 1).guides.all()
    chosen = ticked("lift_retention_of_selected", one, two, free)
    asked = text_of(staff.post(GUIDES, chosen))
    assert one.tracking_code in asked
    assert free.tracking_code not in asked
    assert staff.post(GUIDES, {**chosen, "step": "run", "reason": "All seen."}).status_code == 302
    assert set(Guide.objects.filter(retention_required=True)) == {three, other}
    assert act_in_words(LogEntry.objects.get()) == "Lifted the retention. Rows: 2."
    again = staff.post(GUIDES, {**chosen, "step": "run", "reason": "All seen."}, follow=True)
    assert "None of these guides is under retention" in text_of(again)
    assert LogEntry.objects.filter(action_flag=ActKind.MOVED).count() == 1


def test_the_action_is_offered_only_where_there_is_a_retention(staff: Client, ours: Company) -> None:
    (guide,) = retained(ours)
    (free,) = shipped(ours, 1).guides.all()
    assert of_guide(guide, "lift_retention") in text_of(staff.get(of_guide(guide)))
    assert of_guide(free, "lift_retention") not in text_of(staff.get(of_guide(free)))
    assert "None of these guides is under retention" in text_of(
        staff.get(of_guide(free, "lift_retention"), follow=True)
    )
