"""Review at the desk: guides leave the work list, a consignee is put right, and the log keeps no document."""

import pytest
from django.contrib.admin.models import LogEntry
from django.test import Client

from companies.models import Company
from shipments.models import Guide
from tests.shipments.admin.pages import GUIDES, listed, logged, of_guide, text_of, ticked
from tests.shipments.shipping import shipped

pytestmark = pytest.mark.django_db

CONSIGNEE = {"consignee_name": "Ana Rojas", "consignee_document": "1-2", "consignee_city": "Ñuñoa"}


def waiting(company: Company, guides: int = 1) -> list[Guide]:
    manifest = shipped(company, guides, review_reasons=("rut_invalid_format",), **CONSIGNEE)
    return list(manifest.guides.order_by("pk"))


def corrected(guide: Guide, **changes: str) -> dict[str, str]:
    """The form as it stands, with some fields typed over."""
    return {name: getattr(guide, name) for name in CONSIGNEE} | changes | {"step": "run"}


def test_ticked_guides_leave_the_work_list_after_a_question(desk: Client, ours: Company, theirs: Company) -> None:
    one, two = waiting(ours, 2)
    (other,) = waiting(theirs)
    chosen = ticked("mark_selected_reviewed", one)
    question = text_of(desk.post(GUIDES, chosen))
    assert one.tracking_code in question
    assert "RUT is missing or invalid" in question
    assert Guide.objects.filter(needs_review=True).count() == 3
    desk.post(GUIDES, {**chosen, "step": "run"})
    assert set(Guide.objects.filter(needs_review=True)) == {two, other}
    one.refresh_from_db()
    assert (one.reviewed_by, one.review_reasons) == ("olga", ["rut_invalid_format"])
    assert logged(one) == ["Marked as reviewed."]
    assert logged(two) == []


def test_one_guide_is_marked_from_its_page(desk: Client, ours: Company) -> None:
    (guide,) = waiting(ours)
    assert "RUT is missing or invalid" in text_of(desk.get(of_guide(guide)))
    desk.post(of_guide(guide, "mark_reviewed"), {"step": "run"})
    guide.refresh_from_db()
    assert not guide.needs_review
    assert of_guide(guide, "mark_reviewed") not in text_of(desk.get(of_guide(guide)))


def test_a_corrected_rut_ends_the_review_and_the_log_keeps_only_its_end(desk: Client, ours: Company) -> None:
    (guide,) = waiting(ours)
    assert 'data-country="CL"' in text_of(desk.get(of_guide(guide, "correct_consignee")))
    fields = corrected(guide, consignee_document="12.345.678-5", consignee_city="Providencia")
    desk.post(of_guide(guide, "correct_consignee"), fields)
    guide.refresh_from_db()
    assert (guide.consignee_document, guide.consignee_city, guide.needs_review) == ("12345678-5", "Providencia", False)
    (entry,) = logged(guide)
    assert "“Ñuñoa” -> “Providencia”" in entry
    assert "…78-5" in entry or "…8-5" in entry
    assert "12345678" not in entry


@pytest.mark.parametrize("document", ["12345678-4", "", "x" * 40])
def test_a_document_that_is_wrong_is_said_beside_it_and_changes_nothing(
    desk: Client, ours: Company, document: str
) -> None:
    (guide,) = waiting(ours)
    page = text_of(desk.post(of_guide(guide, "correct_consignee"), corrected(guide, consignee_document=document)))
    assert "errors" in page
    guide.refresh_from_db()
    assert (guide.consignee_document, guide.needs_review) == ("1-2", True)
    assert not LogEntry.objects.exists()


def test_nothing_typed_over_is_no_correction(desk: Client, ours: Company) -> None:
    (guide,) = waiting(ours)
    answer = desk.post(of_guide(guide, "correct_consignee"), corrected(guide), follow=True)
    assert "Nothing was changed" in text_of(answer)
    assert logged(guide) == ["Opened."]


def test_a_guide_that_is_not_under_review_is_not_corrected(desk: Client, ours: Company) -> None:
    (guide,) = shipped(ours, 1, **CONSIGNEE).guides.all()
    desk.post(of_guide(guide, "correct_consignee"), corrected(guide, consignee_document="12345678-5"))
    guide.refresh_from_db()
    assert guide.consignee_document == "1-2"


def test_who_may_only_read_reviews_and_corrects_nothing(reader: Client, ours: Company) -> None:
    (guide,) = waiting(ours)
    assert reader.post(of_guide(guide, "mark_reviewed"), {"step": "run"}).status_code == 403
    fields = corrected(guide, consignee_document="12345678-5")
    assert reader.post(of_guide(guide, "correct_consignee"), fields).status_code == 403
    guide.refresh_from_db()
    assert (guide.needs_review, guide.consignee_document) == (True, "1-2")


def test_the_work_list_of_reviews(desk: Client, ours: Company) -> None:
    (guide,) = waiting(ours)
    shipped(ours, 2)
    assert listed(desk.get(GUIDES, {"needs_review__exact": 1})) == [guide]
