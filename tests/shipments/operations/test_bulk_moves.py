"""Bulk moves in the operators' API: up to 200 guides, each judged by itself, in one answer."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.core.management import call_command

from companies.models import Company
from shipments.models import Guide, GuideEvent
from shipments.statuses import GuideStatus
from tests.api.answers import error
from tests.companies.operators.tokens.speaking import Program
from tests.shipments.operations.conftest import house_of
from tests.shipments.shipping import assert_sound, bring, shipped
from webhooks.models import Delivery
from webhooks.subscriptions import register

pytestmark = pytest.mark.django_db
ADVANCE, CUSTOMS = "/guides/bulk-advance-status", "/guides/bulk-customs-status"


def codes_of(answer: Any) -> list[str]:
    assert answer.status_code == 200, answer.content
    return [result.get("error", result["outcome"]) for result in answer.json()["results"]]


def nothing_was_written() -> bool:
    is_still = not Guide.objects.exclude(status="registered").exists()
    return is_still and GuideEvent.objects.count() == Guide.objects.count() and not LogEntry.objects.exists()


def test_what_is_refused_is_said_in_the_language_of_the_program(scanner: Program, chilean: Guide) -> None:
    scanner.client.defaults["HTTP_ACCEPT_LANGUAGE"] = "es"
    sent = {"status": "in_transit", "source": "carrier"}
    (result,) = scanner.post(ADVANCE, {**sent, "ids": ["NONE"]}).json()["results"]
    assert result["message"] == "Ninguna guía tiene este identificador."
    early = scanner.post(ADVANCE, {**sent, "ids": [chilean.tracking_code], "occurred_at": "2099-01-01T00:00:00Z"})
    assert early.json()["details"] == {"occurred_at": ["No puede estar más de cinco minutos en el futuro."]}


def test_guides_are_moved_under_either_name_and_each_result_is_told(
    scanner: Program, chilean: Guide, peruvian: Guide
) -> None:
    ids = [chilean.tracking_code.lower(), house_of(peruvian), "NONE"]
    sent = {"ids": ids, "status": "in_transit", "occurred_at": "2026-11-22T09:10:00-03:00", "source": "carrier"}
    answer = scanner.post(ADVANCE, {**sent, "internal_note": "gate 4", "client_note": "on its way"})
    body = answer.json()
    assert (answer.status_code, body["success"], body["dry_run"]) == (200, True, False)
    assert body["counts"] == {"advanced": 2, "refused": 1}
    assert body["results"][0] == {
        "id": ids[0], "tracking_code": chilean.tracking_code, "outcome": "advanced", "previous_status": "registered",
        "status": "in_transit", "status_code": 4, "occurred_at": "2026-11-22T12:10:00Z",
    }  # fmt: skip
    assert [result["id"] for result in body["results"]] == ids
    assert (body["results"][2]["error"], body["results"][2]["outcome"]) == ("not_found", "refused")
    event = chilean.events.latest("id")
    assert (event.source, event.internal_note, event.client_note) == ("carrier", "gate 4", "on its way")
    assert event.actor == "access:scanner"
    assert LogEntry.objects.count() == 2
    assert_sound(chilean.manifest)


def test_each_refusal_has_its_code_and_stops_no_other(
    scanner: Program, limeno: Program, acme: Company, rival: Company, peruvian: Guide
) -> None:
    shipped(acme, 1, mawb="045-70310122", country="PE")
    shipped(rival, 1, mawb="045-70310122", country="PE")
    ended = shipped(acme, 1, country="PE").guides.get()
    bring(ended, "customs_processing", "in_transit", "delivered")
    retained = shipped(acme, 1, country="PE").guides.get()
    Guide.objects.filter(pk=retained.pk).update(retention_required=True)
    abroad = shipped(acme, 1, country="CL").guides.get()
    ids = ["045-70310122/H001", "X", ended.tracking_code, retained.tracking_code, abroad.tracking_code,
           peruvian.tracking_code]  # fmt: skip
    answer = limeno.post(ADVANCE, {"ids": ids, "status": "customs_released"})
    assert codes_of(answer) == [
        "ambiguous", "not_found", "guide_already_terminal", "guide_under_retention", "forbidden_country", "advanced",
    ]  # fmt: skip
    assert answer.json()["counts"] == {"refused": 5, "advanced": 1}
    assert codes_of(scanner.post(ADVANCE, {"ids": [abroad.tracking_code], "status": "delivery_failed"})) == [
        "invalid_transition"
    ]
    assert abroad.events.count() == 1


def test_two_hundred_ids_over_seven_mawbs_are_taken_and_one_more_is_not(scanner: Program, acme: Company) -> None:
    manifests = [shipped(acme, 30) for _ in range(7)]
    guides = [guide for manifest in manifests for guide in manifest.guides.select_related("manifest")][:201]
    ids = [house_of(guide) if number % 2 else guide.tracking_code for number, guide in enumerate(guides)]
    assert error(scanner.post(ADVANCE, {"ids": ids, "status": "in_transit"})) == (400, "validation_failed")
    assert nothing_was_written()
    answer = scanner.post(ADVANCE, {"ids": ids[:200], "status": "in_transit"})
    assert codes_of(answer) == ["advanced"] * 200
    assert answer.json()["counts"] == {"advanced": 200}
    assert [result["tracking_code"] for result in answer.json()["results"]] == [
        guide.tracking_code for guide in guides[:200]
    ]
    call_command("check_totals")
    for manifest in manifests:
        assert_sound(manifest)


def test_the_same_call_twice_changes_nothing_and_sends_no_second_webhook(scanner: Program, chilean: Guide) -> None:
    register(chilean.manifest.company, "https://203.0.114.5/hook")
    sent = {"ids": [chilean.tracking_code], "status": "in_transit", "occurred_at": "2026-11-22T09:10:00-03:00"}
    assert codes_of(scanner.post(ADVANCE, sent)) == ["advanced"]
    assert codes_of(scanner.post(ADVANCE, sent)) == ["unchanged"]
    assert codes_of(scanner.post(ADVANCE, {**sent, "occurred_at": "2026-11-22T09:11:00-03:00"})) == ["repeated"]
    assert Delivery.objects.filter(subject=chilean.tracking_code).count() == 1


def test_a_dry_run_answers_alike_and_writes_nothing(scanner: Program, chilean: Guide) -> None:
    sent = {"ids": [chilean.tracking_code, "X"], "status": "in_transit", "occurred_at": "2026-11-22T09:10:00Z"}
    dry = scanner.post(ADVANCE, {**sent, "dry_run": True}).json()
    assert nothing_was_written()
    assert {**dry, "dry_run": False} == scanner.post(ADVANCE, sent).json()


AHEAD = (datetime.now(UTC) + timedelta(days=400)).isoformat()
INVALID: list[tuple[dict[str, Any], str]] = [
    ({"ids": []}, "ids"),
    ({"ids": "DEM"}, "ids"),
    ({"ids": [5]}, "ids[0]"),
    ({"ids": {"a": 1}}, "ids"),
    ({"ids": ["A", " a"]}, "ids"),
    ({"status": "registered"}, "status"),
    ({"status": ["in_transit"]}, "status"),
    ({"source": "customs"}, "source"),
    ({"internal_note": "x" * 256}, "internal_note"),
    ({"occurred_at": AHEAD}, "occurred_at"),
    ({"occurred_at": "2026-11-22T09:10:00"}, "occurred_at"),
    ({"country": "BR"}, "country"),
    ({"dry_run": "true"}, "dry_run"),
    ({"more": 1}, "more"),
]


@pytest.mark.parametrize(("change", "field"), INVALID)
def test_what_is_wrong_with_the_call_is_said_once_for_all(
    scanner: Program, chilean: Guide, change: dict[str, Any], field: str
) -> None:
    answer = scanner.post(ADVANCE, {"ids": [chilean.tracking_code], "status": "in_transit", **change})
    assert error(answer) == (400, "validation_failed")
    assert [*answer.json()["details"]] == [field]
    assert nothing_was_written()


def test_the_same_guide_under_its_two_names_is_refused(scanner: Program, chilean: Guide) -> None:
    answer = scanner.post(ADVANCE, {"ids": [chilean.tracking_code, house_of(chilean)], "status": "in_transit"})
    assert (error(answer), [*answer.json()["details"]]) == ((400, "validation_failed"), ["ids"])
    assert nothing_was_written()


def test_a_reader_moves_nothing(reader: Program, chilean: Guide) -> None:
    answer = reader.post(ADVANCE, b"not even JSON")
    assert (error(answer), answer.json()["permission"]) == ((403, "forbidden"), "shipments.change_guide")
    assert reader.get(f"/guides/{chilean.tracking_code}").status_code == 200


# --- customs ------------------------------------------------------------------------------------------------------


def released(*ids: str, country: str = "CL") -> dict[str, Any]:
    return {"ids": [*ids], "country": country, "customs_status": "released"}


def test_one_guide_of_another_country_than_claimed_refuses_the_whole_file(
    scanner: Program, chilean: Guide, peruvian: Guide
) -> None:
    answer = scanner.post(CUSTOMS, released(chilean.tracking_code, house_of(peruvian), "NONE"))
    assert error(answer) == (409, "country_mismatch")
    assert answer.json()["mismatched"] == [{"id": house_of(peruvian), "country": "PE"}]
    sent = {"ids": [peruvian.tracking_code], "status": "in_transit", "country": "CL"}
    assert error(scanner.post(ADVANCE, sent)) == (409, "country_mismatch")
    assert nothing_was_written()


def test_the_whole_file_is_refused_for_a_guide_that_the_operator_may_not_see(
    limeno: Program, scanner: Program, acme: Company, rival: Company, chilean: Guide, peruvian: Guide
) -> None:
    for company in (acme, rival):
        shipped(company, 1, mawb="045-70310122", country="CL")
    several = "045-70310122/H001"
    for path, sent in (
        (CUSTOMS, released(peruvian.tracking_code, house_of(chilean), several, "NONE", country="PE")),
        (ADVANCE, {"ids": [peruvian.tracking_code, house_of(chilean), several], "status": "on_hold", "country": "PE"}),
    ):
        answer = limeno.post(path, sent)
        assert error(answer) == (409, "country_mismatch")
        assert answer.json()["mismatched"] == [{"id": house_of(chilean)}, {"id": several}]
        assert scanner.post(path, sent).json()["mismatched"][1] == {"id": several, "country": "CL"}
    assert nothing_was_written()


def test_the_claim_itself_is_within_the_scope(limeno: Program, chilean: Guide) -> None:
    answer = limeno.post(CUSTOMS, released(chilean.tracking_code, country="CL"))
    assert (error(answer), answer.json()["country"]) == ((403, "forbidden_country"), "CL")


def test_a_release_by_customs_lifts_a_retention_and_an_operators_move_does_not(
    scanner: Program, peruvian: Guide
) -> None:
    Guide.objects.filter(pk=peruvian.pk).update(retention_required=True)
    moved = scanner.post(ADVANCE, {"ids": [peruvian.tracking_code], "status": "customs_released"})
    assert codes_of(moved) == ["guide_under_retention"]
    sent = released(peruvian.tracking_code, country="PE") | {"declaration": "DIN 3670045-1", "channel": "red"}
    assert codes_of(scanner.post(CUSTOMS, sent)) == ["advanced"]
    guide = Guide.objects.get(pk=peruvian.pk)
    assert (guide.retention_required, guide.status) == (False, GuideStatus.CUSTOMS_RELEASED)
    event = guide.events.latest("id")
    assert (event.source, event.internal_note) == ("customs", "DIN 3670045-1, red")


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"country": None}, "country"),
        ({"customs_status": "cleared"}, "customs_status"),
        ({"declaration": "din 1"}, "declaration"),
        ({"declaration": ""}, "declaration"),
        ({"declaration": "D" * 65}, "declaration"),
        ({"declaration": "D\nX"}, "declaration"),
        ({"channel": "blue"}, "channel"),
        ({"source": "customs"}, "source"),
    ],
)
def test_what_is_wrong_with_a_file_of_customs_is_said(
    scanner: Program, chilean: Guide, change: dict[str, Any], field: str
) -> None:
    answer = scanner.post(CUSTOMS, {**released(chilean.tracking_code), **change})
    assert (error(answer), [*answer.json()["details"]]) == ((400, "validation_failed"), [field])
    assert nothing_was_written()
