"""A manifest's page: what it draws, voiding with a reason, attaching an invoice."""

from typing import Any

import pytest
from django.conf import settings
from django.contrib.admin.models import LogEntry
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from base.admin.activity import act_in_words
from companies.models import Company
from shipments.admin.badges import parts
from shipments.models import Manifest
from shipments.statuses import GuideStatus
from tests.shipments.admin.pages import MANIFESTS, listed, of_manifest, text_of
from tests.shipments.shipping import bring, shipped

pytestmark = pytest.mark.django_db

PDF = b"%PDF-1.7\n%%EOF\n"


def test_the_page_draws_a_bar_of_guides_by_status_that_leads_to_them(staff: Client, ours: Company) -> None:
    manifest = shipped(ours, 4)
    bring(manifest.guides.earliest("pk"), "customs_held")
    page = text_of(staff.get(of_manifest(manifest)))
    assert f"manifest__id__exact={manifest.pk}&amp;status__exact=customs_held" in page
    assert "flex-grow: 3" in page
    assert "25 %" in page


def test_a_few_of_many_are_neither_none_nor_the_others_all() -> None:
    shares = {part.status: part.share for part in parts({"in_transit": 2_997, "delivered": 3})}
    assert shares == {"in_transit": "99", "delivered": "<1"}
    assert [part.share for part in parts({"delivered": 3_000})] == ["100"]


def test_every_status_has_a_fill_that_the_style_sheet_knows_by_its_tone() -> None:
    sheets = ("base/static/base/lists.css", "shipments/static/shipments/admin.css")
    style = "".join((settings.BASE_DIR / sheet).read_text(encoding="utf-8") for sheet in sheets)
    fills = {part.status: part.fill for part in parts(dict.fromkeys(GuideStatus, 1))}
    for fill in fills.values():
        assert f".{fill.split()[1]} {{" in style


def test_the_first_hundred_remarks_are_shown_and_the_rest_counted(staff: Client, ours: Company) -> None:
    manifest = shipped(ours, 1)
    about = {"row_index": 7, "hawb": None, "code": "hawb_missing"}
    remark = {**about, "sentence": "hawb_elsewhere", "params": {"count": 1, "mawb": "<LA1>"}}
    Manifest.objects.filter(pk=manifest.pk).update(warnings=[remark] * 103, warnings_count=1_403)
    page = " ".join(text_of(staff.get(of_manifest(manifest))).split())
    assert page.count("&lt;LA1&gt;") == 100
    assert "<h2>Warnings <span>1 403</span></h2>" in page
    assert "and 1 303 more" in page


def test_a_wrong_manifest_is_voided_with_a_reason(staff: Client, ours: Company, theirs: Company) -> None:
    manifest, other = shipped(ours, 2), shipped(theirs, 2)
    assert "cannot be undone" in text_of(staff.get(of_manifest(manifest, "void")))
    assert "errors" in text_of(staff.post(of_manifest(manifest, "void"), {"step": "run", "reason": " "}))
    staff.post(of_manifest(manifest, "void"), {"step": "run", "reason": "Sent twice.", "typed": other.mawb})
    manifest.refresh_from_db()
    assert manifest.voided_at is None
    staff.post(of_manifest(manifest, "void"), {"step": "run", "reason": "Sent twice.", "typed": manifest.mawb})
    manifest.refresh_from_db()
    other.refresh_from_db()
    assert (manifest.voided_by, manifest.void_reason, other.voided_at) == ("olga", "Sent twice.", None)
    assert manifest.guides_by_status == {"cancelled": 2}
    assert act_in_words(LogEntry.objects.get(object_id=str(manifest.pk))) == "Voided."
    page = text_of(staff.get(of_manifest(manifest)))
    assert "Sent twice." in page
    assert of_manifest(manifest, "void") not in page
    assert listed(staff.get(MANIFESTS, {"voided": "no"})) == [other]


def test_a_manifest_under_way_is_not_voided_and_the_page_says_why(staff: Client, ours: Company) -> None:
    manifest = shipped(ours, 2)
    bring(manifest.guides.earliest("pk"), "in_transit")
    page = text_of(staff.post(of_manifest(manifest, "void"), {"step": "run", "reason": "Sent twice."}))
    assert "can no longer be voided" in page
    assert 'name="step"' not in page
    assert of_manifest(manifest, "void") in text_of(staff.get(of_manifest(manifest)))
    manifest.refresh_from_db()
    assert manifest.voided_at is None


def test_an_invoice_is_attached_and_replaced(staff: Client, ours: Company) -> None:
    manifest = shipped(ours, 1)
    address = of_manifest(manifest, "attach_invoice")
    for name in ("first.pdf", "second.pdf"):
        upload = SimpleUploadedFile(name, PDF + name.encode())
        assert staff.post(address, {"step": "run", "invoice_file": upload}).status_code == 302
    assert [str(file) for file in manifest.files.all()] == ["second.pdf"]
    assert "second.pdf" in text_of(staff.get(address))
    said = LogEntry.objects.filter(object_id=str(manifest.pk)).order_by("pk")
    assert [act_in_words(each).split(":")[0] for each in said] == ["Attached an invoice", "Replaced the invoice"]


def test_what_is_not_a_pdf_is_refused_on_the_page(staff: Client, ours: Company) -> None:
    manifest = shipped(ours, 1)
    for upload in (None, SimpleUploadedFile("a.pdf", b"PK\x03\x04"), SimpleUploadedFile("a.pdf", b"")):
        sent = {"step": "run"} | ({"invoice_file": upload} if upload else {})
        assert "errors" in text_of(staff.post(of_manifest(manifest, "attach_invoice"), sent))
    assert not manifest.files.exists()


def test_a_file_over_the_limit_is_refused_on_the_page_it_came_from(ours: Company, staff: Client, settings: Any) -> None:
    settings.MAX_FILE_BYTES = 10
    manifest, other = shipped(ours, 1), shipped(ours, 1)
    staff.handler.enforce_csrf_checks = True
    token = str(staff.get(of_manifest(manifest, "attach_invoice")).context["csrf_token"])
    for sent in (
        {"step": "run", "csrfmiddlewaretoken": token, "invoice_file": SimpleUploadedFile("a.pdf", PDF)},
        {"invoice_file": SimpleUploadedFile("a.pdf", PDF), "step": "run", "csrfmiddlewaretoken": token},
    ):
        assert "larger than" in text_of(staff.post(of_manifest(manifest, "attach_invoice"), sent))
    much = {"csrfmiddlewaretoken": token, "step": "run", "invoice_file": SimpleUploadedFile("a.pdf", PDF * 2)}
    assert staff.post(of_manifest(other, "attach_invoice"), much).status_code in {400, 413}
    assert not manifest.files.exists()
    assert not other.files.exists()


def test_an_invoice_without_the_token_of_its_page_is_refused(staff: Client, ours: Company) -> None:
    manifest = shipped(ours, 1)
    staff.handler.enforce_csrf_checks = True
    upload = SimpleUploadedFile("a.pdf", PDF)
    answer = staff.post(of_manifest(manifest, "attach_invoice"), {"step": "run", "invoice_file": upload})
    assert answer.status_code == 403
    assert not manifest.files.exists()


def test_a_manifest_is_found_by_its_mawb_in_any_spelling(staff: Client, ours: Company) -> None:
    manifest = shipped(ours, 1, mawb="045-00000042")
    shipped(ours, 1, mawb="999-00000042")
    for mawb in ("045-00000042", "04500000042", "045 0000 0042", "045-0000004"):
        assert listed(staff.get(MANIFESTS, {"q": mawb})) == [manifest]
