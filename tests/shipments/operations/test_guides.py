"""One guide in the operators' API: found by each of its names, shown whole, its consignee corrected."""

from typing import Any
from urllib.parse import quote

import pytest
from django.contrib.admin.models import LogEntry

from base.admin.activity import act_in_words
from companies.models import Company
from shipments.models import Guide
from shipments.operations import answers
from shipments.tracking.voiding import void_manifest
from shipments.v1.answers import guide_detail
from tests.api.answers import error
from tests.companies.operators.tokens.speaking import Program
from tests.conftest import BASE as PUBLIC
from tests.factories import password_of
from tests.shipments.operations.conftest import house_of
from tests.shipments.shipping import bring, shipped, tell

pytestmark = pytest.mark.django_db


def as_client(client: Any, guide: Guide) -> Any:
    headers = {"Authorization": f"Bearer {password_of(guide.manifest.company)}"}
    return client.get(f"{PUBLIC}/guides/{guide.tracking_code}", headers=headers)


def test_a_guide_is_shown_as_its_client_sees_it_and_with_what_operators_see(
    scanner: Program, acme: Company, client: Any
) -> None:
    guide = shipped(acme, 1, consignee_name="Ana").guides.get()
    tell(guide, "customs_held", internal_note="ask her bank", client_note="papers, please")
    answer = scanner.get(f"/guides/{guide.tracking_code.lower()}")
    assert answer.status_code == 200
    shown, theirs = answer.json(), as_client(client, guide).json()
    events = shown.pop("events")
    assert [event.pop("internal_note") for event in events] == ["", "ask her bank"]
    assert events[1].pop("actor") == "a test"
    assert events[1].pop("recorded_at").endswith("Z")
    own = ("company", "country", "needs_review", "review_reasons")
    assert {name: shown.pop(name) for name in own} == {
        "company": {"code": "ACME", "name": "Acme Ltda."}, "country": "CL", "needs_review": False,
        "review_reasons": [],
    }  # fmt: skip
    assert events[1] == theirs.pop("events")[1]
    assert shown == theirs
    assert "ask her bank" not in as_client(client, guide).content.decode()


def test_a_scan_while_it_is_read_shifts_no_note_to_another_event(
    scanner: Program, acme: Company, monkeypatch: pytest.MonkeyPatch
) -> None:
    guide = shipped(acme, 1).guides.get()
    tell(guide, "customs_held", internal_note="ask her bank")

    def scanned_meanwhile(*args: Any) -> Any:
        tell(guide, "on_hold", internal_note="dropped", occurred_at=guide.created_at)  # in the middle of the timeline
        return guide_detail(*args)

    monkeypatch.setattr(answers, "guide_detail", scanned_meanwhile)
    events = scanner.get(f"/guides/{guide.tracking_code}").json()["events"]
    assert [(each["status"], each["internal_note"]) for each in events] == [
        ("registered", ""), ("customs_held", "ask her bank"),
    ]  # fmt: skip


def test_it_is_found_by_mawb_and_hawb_in_any_spelling(scanner: Program, chilean: Guide) -> None:
    mawb = chilean.manifest.mawb
    for name in (house_of(chilean), f"{mawb.replace('-', '')}/h001", f" {mawb} / {chilean.hawb} "):
        assert scanner.get(f"/guides?id={quote(name)}").json()["tracking_code"] == chilean.tracking_code, name


@pytest.mark.parametrize("sent", ["NONE", "045-12345675/NONE", "045/", "/", "x" * 40, "ñ"])
def test_an_unknown_id_is_not_found(scanner: Program, sent: str) -> None:
    assert error(scanner.get(f"/guides?id={quote(sent)}")) == (404, "not_found")


@pytest.mark.parametrize("query", ["", "id=", f"id={'x' * 101}", "id=%00"])
def test_what_cannot_be_an_id_is_refused(scanner: Program, query: str) -> None:
    assert error(scanner.get(f"/guides?{query}")) == (400, "invalid_query")


def test_a_guide_of_another_country_is_said_to_be_one_and_a_voided_one_is_unknown(
    limeno: Program, scanner: Program, chilean: Guide
) -> None:
    answer = limeno.get(f"/guides/{chilean.tracking_code}")
    assert (error(answer), answer.json()["country"]) == ((403, "forbidden_country"), "CL")
    void_manifest(chilean.manifest, reason="twice", actor="a test")
    assert error(limeno.get(f"/guides/{chilean.tracking_code}")) == (404, "not_found")
    assert error(scanner.get(f"/guides?id={house_of(chilean)}")) == (404, "not_found")


def test_a_mawb_that_two_companies_have_is_ambiguous_among_those_that_one_sees(
    scanner: Program, limeno: Program, acme: Company, rival: Company
) -> None:
    ours = shipped(acme, 1, mawb="045-70310122", country="CL").guides.get()
    theirs = shipped(rival, 1, mawb="045-70310122", country="PE").guides.get()
    assert error(scanner.get("/guides?id=045-70310122/H001")) == (409, "ambiguous")
    assert limeno.get("/guides?id=045-70310122/H001").json()["tracking_code"] == theirs.tracking_code
    assert scanner.get(f"/guides/{ours.tracking_code}").json()["company"]["code"] == "ACME"


# --- the consignee ------------------------------------------------------------------------------------------------

VALID, WRONG = "12345678-5", "12345678-9"


@pytest.fixture
def waiting(acme: Company) -> Guide:
    guide = shipped(acme, 1, consignee_name="Ana", consignee_document=WRONG).guides.get()
    Guide.objects.filter(pk=guide.pk).update(needs_review=True, review_reasons=["rut_invalid_format"])
    return guide


def test_a_wrong_document_is_refused_and_a_right_one_ends_the_review(
    scanner: Program, waiting: Guide, client: Any
) -> None:
    page, before = f"/guides/{waiting.tracking_code}/consignee", as_client(client, waiting)["ETag"]
    answer = scanner.patch(page, {"consignee_document": "11111111-2"})
    assert error(answer) == (400, "invalid_document")
    assert [*answer.json()["details"]] == ["consignee_document"]
    assert as_client(client, waiting)["ETag"] == before
    answer = scanner.patch(page, {"consignee_document": VALID, "consignee_name": "Ana Soto"})
    assert answer.status_code == 200
    shown = answer.json()
    assert (shown["needs_review"], shown["consignee_name"]) == (False, "Ana Soto")
    assert as_client(client, waiting)["ETag"] != before
    assert Guide.objects.get().reviewed_by == "access:scanner"
    entry = LogEntry.objects.get()
    assert entry.user.get_username() == "access:scanner"
    assert "Ana Soto" in act_in_words(entry)
    assert VALID not in act_in_words(entry)


def test_an_unknown_type_of_document_has_its_own_code(scanner: Program, peruvian: Guide) -> None:
    page = f"/guides/{peruvian.tracking_code}/consignee"
    answer = scanner.patch(page, {"consignee_document_type": "XYZ", "consignee_document": "12345678"})
    assert error(answer) == (400, "invalid_document_type")


@pytest.mark.parametrize(
    "body",
    [{}, {"hawb": "X"}, {"consignee_name": 5}, {"consignee_name": None}, {"consignee_name": ["Ana"]},
     {"consignee_name": "x" * 300}, {"consignee_email": {}}],
)  # fmt: skip
def test_other_problems_of_a_correction_are_validation_failed(
    scanner: Program, waiting: Guide, body: dict[str, Any]
) -> None:
    assert error(scanner.patch(f"/guides/{waiting.tracking_code}/consignee", body)) == (400, "validation_failed")


def test_a_final_an_anonymised_and_a_foreign_guide_stay_as_they_are(
    scanner: Program, limeno: Program, reader: Program, waiting: Guide
) -> None:
    page, body = f"/guides/{waiting.tracking_code}/consignee", {"consignee_name": "Eva"}
    assert error(limeno.patch(page, body)) == (403, "forbidden_country")
    answer = reader.patch(page, body)
    assert (error(answer), answer.json()["permission"]) == ((403, "forbidden"), "shipments.change_guide")
    Guide.objects.update(anonymised_at="2026-01-01T00:00Z")
    assert error(scanner.patch(page, body)) == (400, "validation_failed")
    Guide.objects.update(anonymised_at=None)
    bring(waiting, "customs_processing", "in_transit", "delivered")
    assert error(scanner.patch(page, body)) == (409, "guide_already_terminal")
    assert Guide.objects.get().consignee_name == "Ana"


def test_a_look_at_a_guide_is_recorded_by_the_tokens_user(scanner: Program, limeno: Program, chilean: Guide) -> None:
    """By id, by MAWB and HAWB, and by a correction that changes nothing; not where nothing was shown."""
    code = chilean.tracking_code
    for answer in (
        scanner.get(f"/guides/{code}"),
        scanner.get(f"/guides?id={house_of(chilean)}"),
        scanner.patch(f"/guides/{code}/consignee", {"consignee_name": chilean.consignee_name}),
    ):
        assert answer.status_code == 200, answer.content
    assert limeno.get(f"/guides/{code}").status_code == 403
    entries = LogEntry.objects.filter(object_id=str(chilean.pk)).select_related("user")
    assert [(entry.user.get_username(), act_in_words(entry)) for entry in entries] == [
        ("access:scanner", "Opened.")
    ] * 3
    assert LogEntry.objects.count() == 3
