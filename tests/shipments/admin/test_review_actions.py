"""Review in the admin: guides leave the work list, a consignee is corrected, and the log contains no document."""

from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.test import Client

from companies.models import Company
from shipments.models import Guide
from tests.shipments.admin.pages import GUIDES, logged, of_guide, text_of, ticked
from tests.shipments.shipping import bring, shipped

pytestmark = pytest.mark.django_db

CONSIGNEE = {"consignee_name": "Ana Rojas", "consignee_document": "1-2", "consignee_city": "Ñuñoa"}


def waiting(company: Company, guides: int = 1) -> list[Guide]:
    manifest = shipped(company, guides, review_reasons=("rut_invalid_format",), **CONSIGNEE)
    return list(manifest.guides.order_by("pk"))


def corrected(guide: Guide, **changes: str) -> dict[str, str]:
    """The form with its initial values, except the given fields."""
    return {name: getattr(guide, name) for name in CONSIGNEE} | changes | {"step": "run"}


def test_ticked_guides_leave_the_work_list_after_a_question(staff: Client, ours: Company, theirs: Company) -> None:
    one, two = waiting(ours, 2)
    (other,) = waiting(theirs)
    chosen = ticked("mark_selected_reviewed", one)
    question = text_of(staff.post(GUIDES, chosen))
    assert one.tracking_code in question
    assert "RUT is missing or invalid" in question
    assert Guide.objects.filter(needs_review=True).count() == 3
    staff.post(GUIDES, {**chosen, "step": "run"})
    assert set(Guide.objects.filter(needs_review=True)) == {two, other}
    one.refresh_from_db()
    assert (one.reviewed_by, one.review_reasons) == ("olga", ["rut_invalid_format"])
    assert logged(one) == ["Marked as reviewed."]
    assert logged(two) == []


def test_a_corrected_rut_ends_the_review_and_the_log_keeps_only_its_end(staff: Client, ours: Company) -> None:
    (guide,) = waiting(ours)
    assert 'data-country="CL"' in text_of(staff.get(of_guide(guide, "correct_consignee")))
    fields = corrected(guide, consignee_document="12.345.678-5", consignee_city="Providencia")
    staff.post(of_guide(guide, "correct_consignee"), fields)
    guide.refresh_from_db()
    assert (guide.consignee_document, guide.consignee_city, guide.needs_review) == ("12345678-5", "Providencia", False)
    (entry,) = logged(guide)
    assert "“Ñuñoa” → “Providencia”" in entry
    assert "…78-5" in entry or "…8-5" in entry
    assert "12345678" not in entry


def test_a_document_that_is_wrong_is_said_beside_it_and_changes_nothing(staff: Client, ours: Company) -> None:
    (guide,) = waiting(ours)
    for document in ("12345678-4", "x" * 40):
        sent = corrected(guide, consignee_document=document)
        assert "errors" in text_of(staff.post(of_guide(guide, "correct_consignee"), sent))
    guide.refresh_from_db()
    assert (guide.consignee_document, guide.needs_review) == ("1-2", True)
    assert not LogEntry.objects.exists()


def test_nothing_typed_over_is_not_a_correction(staff: Client, ours: Company) -> None:
    (guide,) = waiting(ours)
    answer = staff.post(of_guide(guide, "correct_consignee"), corrected(guide), follow=True)
    assert "Nothing was changed" in text_of(answer)
    assert logged(guide) == ["Opened."]


def test_an_active_guide_is_corrected_at_any_time_with_a_reason(staff: Client, ours: Company) -> None:
    (guide,) = shipped(ours, 1, **CONSIGNEE).guides.all()
    fields = corrected(guide, consignee_document="12345678-5")
    assert "This field is required" in text_of(staff.post(of_guide(guide, "correct_consignee"), fields))
    guide.refresh_from_db()
    assert guide.consignee_document == "1-2"
    staff.post(of_guide(guide, "correct_consignee"), {**fields, "reason": "The client called"})
    guide.refresh_from_db()
    assert guide.consignee_document == "12345678-5"
    assert logged(guide)[-1].endswith("; Reason: The client called")


def test_a_guide_in_a_final_status_keeps_its_consignee(staff: Client, ours: Company) -> None:
    (guide,) = shipped(ours, 1, **CONSIGNEE).guides.all()
    bring(guide, "delivered")
    assert of_guide(guide, "correct_consignee") not in text_of(staff.get(of_guide(guide)))
    fields = corrected(guide, consignee_document="12345678-5", reason="The client called")
    assert "has a final status" in text_of(staff.post(of_guide(guide, "correct_consignee"), fields, follow=True))
    guide.refresh_from_db()
    assert guide.consignee_document == "1-2"


def test_a_review_with_a_reason_leaves_a_note_and_can_be_done_again(staff: Client, ours: Company) -> None:
    (guide,) = waiting(ours)
    assert "RUT is missing or invalid" in text_of(staff.get(of_guide(guide)))
    staff.post(of_guide(guide, "mark_reviewed"), {"step": "run", "reason": "Seen on paper."})
    page = text_of(staff.get(of_guide(guide)))
    assert "Seen on paper." in page
    assert [of_guide(guide, name) in page for name in ("mark_reviewed", "review_again")] == [False, True]
    for _twice in range(2):
        staff.post(of_guide(guide, "review_again"), {"step": "run"})
    guide.refresh_from_db()
    assert (guide.needs_review, guide.reviewed_by) == (True, "")
    assert [each for each in logged(guide) if each != "Opened."] == [
        "Marked as reviewed.", "Returned it to those that need review."
    ]  # fmt: skip


def test_the_kind_of_a_document_is_chosen_among_those_of_the_country(staff: Client, theirs: Company) -> None:
    guide = shipped(theirs, 1, country="PE").guides.get()
    page: Any = staff.get(of_guide(guide, "correct_consignee"))
    kinds = [name for name, _label in page.context["form"].fields["consignee_document_type"].choices]
    assert kinds[0] == ""
    assert {"DNI", "RUC"} <= set(kinds)
    assert "RUT" not in kinds
