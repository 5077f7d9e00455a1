"""Requests of persons in the admin: found by document, exported, erased with a receipt."""

import html
import json
import re
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Permission, User
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from base.admin.activity import act_in_words
from shipments.admin.privacy_pages import PARTS
from shipments.models import Erasure, Guide, Manifest
from shipments.privacy.mentions import places
from shipments.statuses import GuideStatus, Source
from shipments.tracking.advancing import advance
from shipments.tracking.moves import ReportedEvent
from tests.conftest import Caller
from tests.country_scope.operators import operator_of, text_of
from tests.documents import guide as json_guide, manifest
from tests.shipments.privacy.conftest import PERSON, SOMEBODY_ELSE
from webhooks.models import Delivery
from webhooks.subscriptions import register

pytestmark = pytest.mark.django_db

PAGE = reverse("privacy")
ASKED = {"documents": f"12345678-5\n{PERSON}", "country": "CL", "reference": "PRIV-2026-014"}


@pytest.fixture
def officer(uploaded: dict[str, Manifest]) -> Client:  # noqa: ARG001  # something to find
    return operator_of("CL", role="Privacy")


def test_what_is_stored_is_counted_by_company_before_anything_happens(officer: Client) -> None:
    response: Any = officer.post(PAGE, ASKED)
    shown = text_of(response)
    assert [tuple(each.values()) for each in response.context["found"]] == [("Acme Ltda.", 1, 1), ("Rival Ltda.", 1, 1)]
    assert "Marta" not in shown
    assert "no-store" in response["Cache-Control"]
    assert not LogEntry.objects.exists()
    nobody = text_of(officer.post(PAGE, {**ASKED, "documents": "9999999-3"}))
    assert "Nothing is stored under these documents in Chile." in nobody


def test_documents_are_read_as_people_write_them(officer: Client) -> None:
    def found(documents: str) -> Any:
        response: Any = officer.post(PAGE, {**ASKED, "documents": documents})
        return response.context["found"]

    usual = found(ASKED["documents"])
    for documents in (
        f"RUT: 12.345.678-5, {PERSON}",
        f"12345678-5 {PERSON};{PERSON}",
        f"12 345 678 - 5\r\n{PERSON}",
        f"rut 123456785|{PERSON}",
    ):
        assert found(documents) == usual, documents


def test_an_export_has_the_persons_data_and_nobody_elses_and_is_logged(officer: Client) -> None:
    answer = officer.post(PAGE, {**ASKED, "step": "export"})
    assert answer["Content-Disposition"] == 'attachment; filename="personal-data.json"'
    entries = json.loads(answer.content)
    assert {entry["guide"]["consignee_name"] for entry in entries} == {"Marta Quispe"}
    printed = text_of(officer.post(PAGE, {**ASKED, "step": "print"}))
    assert "Marta Quispe" in printed
    for text in (answer.content.decode(), printed):
        assert "Pedro Soto" not in text
    logged = [act_in_words(entry) for entry in LogEntry.objects.all()]
    assert len(logged) == 2
    assert all("PRIV-2026-014" in text and "12345678" not in text for text in logged)


def test_the_page_to_print_is_in_the_language_that_is_chosen_and_names_no_operator(officer: Client) -> None:
    Guide.objects.update(reviewed_by="olga.operator", reviewed_at=timezone.now())
    spanish = text_of(officer.post(PAGE, {**ASKED, "step": "print", "language": "es"}))
    assert "Datos personales que guardamos" in spanish
    assert "Fecha" in spanish or "Recibida" in spanish
    for language in ("es", "en", "xx"):
        printed = text_of(officer.post(PAGE, {**ASKED, "step": "print", "language": language}))
        assert "olga.operator" not in printed
    assert "Personal data that we store" in printed


def test_the_page_to_print_has_words_where_the_record_has_names_and_codes(officer: Client) -> None:
    guide = Guide.objects.filter(consignee_name="Marta Quispe").select_related("manifest").earliest("pk")
    Guide.objects.filter(pk=guide.pk).update(
        weight_kg="5.260", consignee_city="Ñuñoa", retention_required=True, retention_reason="retention_required"
    )
    subscription = register(guide.manifest.company, "https://client.example.com/hook", "s" * 24)[0]
    for number, status in enumerate((GuideStatus.CUSTOMS_PROCESSING, GuideStatus.CUSTOMS_HELD)):
        advance(Guide.objects.filter(pk=guide.pk), ReportedEvent(status, Source.CUSTOMS), actor=f"olga.{number}")
    assert Delivery.objects.filter(subscription=subscription, subject=guide.tracking_code).exists()
    page = text_of(officer.post(PAGE, {**ASKED, "step": "print", "language": "es"}))
    printed = html.unescape(re.sub(r"<style.*?</style>|<[^>]*>", "\n", page, flags=re.DOTALL))
    assert re.findall(r".*\b[a-z]+(?:_[a-z]+)+\b.*", printed) == []
    for words in (
        "Comuna\nÑuñoa",
        "5,26",
        "Modo de transporte\nAéreo",
        "estado anterior: En aduana",
        "Guía con excepción",
    ):
        assert words in re.sub(r"\s*\n\s*", "\n", printed)


def test_each_place_that_speaks_of_a_person_has_its_title_in_print() -> None:
    assert {place.name for place in places((), ())} <= PARTS.keys()


def test_erasing_needs_the_reference_typed_and_leaves_a_receipt(officer: Client) -> None:
    refused = officer.post(PAGE, {**ASKED, "step": "erase", "typed": "PRIV-2026-01"})
    assert (refused.status_code, Erasure.objects.count()) == (400, 0)
    assert Guide.objects.filter(consignee_name="Marta Quispe").count() == 2
    done = officer.post(PAGE, {**ASKED, "step": "erase", "typed": "PRIV-2026-014"})
    receipt = Erasure.objects.get()
    assert done["Location"] == reverse("admin:shipments_erasure_change", args=[receipt.pk])
    assert (receipt.reference, receipt.country, receipt.actor) == ("PRIV-2026-014", "CL", "camila")
    assert (receipt.guides, receipt.manifests, receipt.files) == (2, 2, 4)
    assert receipt.finished_at is not None
    assert not Guide.objects.filter(consignee_name="Marta Quispe").exists()
    assert Guide.objects.filter(consignee_name="Pedro Soto").count() == 2
    shown = text_of(officer.get(done["Location"]))
    assert "PRIV-2026-014" in shown
    assert "12345678" not in shown + json.dumps([*LogEntry.objects.values("change_message", "object_repr")])
    assert LogEntry.objects.count() == 1


def test_a_repeated_erasure_finds_nothing_and_its_receipt_says_so(officer: Client) -> None:
    for _ in range(2):
        officer.post(PAGE, {**ASKED, "step": "erase", "typed": "PRIV-2026-014"})
    first, again = Erasure.objects.order_by("pk")
    assert (first.guides, again.guides) == (2, 0)
    assert first.digest == again.digest


def test_the_country_is_one_of_the_operators_and_all_only_for_those_who_see_all(acme: Caller, officer: Client) -> None:
    acme.post_json(manifest(json_guide(1, "PE", consignee_document="45678912"), country="PE", mawb="045-12345686"))
    peruvian = {**ASKED, "documents": "45678912"}
    for country in ("PE", "", "XX"):
        assert officer.post(PAGE, {**peruvian, "country": country, "step": "export"}).status_code == 400
    assert json.loads(officer.post(PAGE, {**peruvian, "step": "export"}).content) == []
    everywhere = operator_of(username="elsa", role="Privacy")
    assert len(json.loads(everywhere.post(PAGE, {**peruvian, "country": "", "step": "export"}).content)) == 1
    Erasure.objects.create(reference="All", actor="elsa", digest="0" * 64)
    receipts = reverse("admin:shipments_erasure_changelist")
    assert "All" in text_of(everywhere.get(receipts))
    assert "elsa" not in text_of(officer.get(receipts))


@pytest.mark.parametrize("role", ["Onboarding", "Operations", "Read-only"])
def test_no_other_role_opens_it(role: str) -> None:
    staff = operator_of("CL", role=role)
    assert staff.get(PAGE).status_code == staff.post(PAGE, ASKED).status_code == 403
    assert PAGE not in text_of(staff.get(reverse("admin:index")))


@pytest.mark.parametrize(("permission", "refused"), [("export_person", "erase"), ("erase_person", "export")])
def test_who_may_do_one_may_not_do_the_other(permission: str, refused: str) -> None:
    staff = operator_of("CL", username="ana", role="Read-only")
    User.objects.get(username="ana").user_permissions.add(Permission.objects.get(codename=permission))
    assert staff.post(PAGE, ASKED).status_code == 200
    assert staff.post(PAGE, {**ASKED, "step": refused, "typed": ASKED["reference"]}).status_code == 403


def test_what_is_no_document_is_refused_in_words() -> None:
    officer = operator_of("CL", role="Privacy")
    wrong = ("", "1", "11111111-1", "\x00" * 9, "\ud800" * 9, "Marta Quispe", "9" * 900, f"{SOMEBODY_ELSE}\n1")
    for documents in wrong:
        answer = officer.post(PAGE, {**ASKED, "documents": documents.encode(errors="surrogatepass"), "step": "export"})
        assert answer.status_code == 400, documents
