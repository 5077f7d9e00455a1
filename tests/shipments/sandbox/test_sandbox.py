"""The sandbox: guides move when asked, exactly as their HAWBs say; nobody else's do."""

import json
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection, connections
from django.test import override_settings
from django.utils import timezone

from shipments.intake import ingest
from shipments.models import Flight, Manifest
from shipments.sandbox.journeys import ENDINGS
from tests.conftest import BASE, Caller, make_caller
from tests.documents import guide, manifest
from webhooks.models import Delivery
from webhooks.subscriptions import register, register_signed

pytestmark = pytest.mark.django_db
USUAL = ["customs_processing", "customs_released", "in_transit", "out_for_delivery", "delivered"]
TIMELINES = {
    "-HELD": ["customs_processing", "customs_held", *USUAL[1:]],
    "-DOCS": ["customs_processing", "customs_documents_required"],
    "-DUTY": ["customs_processing", "customs_duties_pending"],
    "-REJECT": ["customs_processing", "customs_rejected"],
    "-LOST": [*USUAL[:3], "lost"],
    "-FAIL": [*USUAL[:4], "delivery_failed", "out_for_delivery", "delivered"],
    "-RETURN": [*USUAL[:4], "delivery_failed", "returning_to_sender", "returned"],
    "-TWICE": USUAL,
    "-STILL": [],
    "": USUAL,
}
AS_PUSHED = {**TIMELINES, "-LATE": ["customs_processing", "in_transit", "out_for_delivery", "delivered"]}
MAWB = "045-12345675"


def post(caller: Caller, path: str, body: Any = None) -> Any:
    content = json.dumps({} if body is None else body)
    return caller.client.post(f"{BASE}/sandbox/{path}", content, "application/json", headers=caller.headers)


def posted(caller: Caller, *hawbs: str, **changes: Any) -> dict[str, str]:
    """HAWB -> tracking code of a new manifest of guides under retention."""
    guides = [guide(number + 1, "PE", hawb=hawb, fob_usd=2500) for number, hawb in enumerate(hawbs)]
    answered = caller.post_json({**manifest(*guides, country="PE"), **changes})
    assert answered.status_code == 201, answered.json()
    return {each["hawb"]: each["tracking_code"] for each in answered.json()["guides"]}


@pytest.mark.parametrize("country", ["CL", "PE"])
def test_each_ending_has_its_timeline_and_its_webhooks_in_order(ana: Caller, country: str) -> None:
    register(ana.company, "https://hooks.example.com/", "a-secret-of-24-characters")
    fob = 2500 if country == "PE" else 25
    hawbs = [f"H1{ending}" for ending in [*AS_PUSHED]]
    guides = [guide(number, country, hawb=hawb, fob_usd=fob) for number, hawb in enumerate(hawbs, 1)]
    codes = {g["hawb"]: g["tracking_code"] for g in ana.post_json(manifest(*guides, country=country)).json()["guides"]}
    for _step in range(7):
        assert post(ana, "advance", {"mawb": MAWB}).status_code == 200
    ends = post(ana, "advance", {"mawb": MAWB}).json()["results"]
    assert {each["outcome"] for each in ends} == {"finished"}
    assert {each["steps_left"] for each in ends} == {0}
    bodies = [json.loads(bytes(each.body)) for each in Delivery.objects.order_by("id")]
    assert all(body["sandbox"] is True for body in bodies)
    for ending, pushed in AS_PUSHED.items():
        events = [e["status"] for e in ana.get(f"/guides/{codes[f'H1{ending}']}").json()["events"]]
        late = ["customs_released", "registered", *pushed]
        assert events == (late if ending == "-LATE" else ["registered", *pushed]), ending
        told = [body["data"]["status"] for body in bodies if body["data"].get("hawb") == f"H1{ending}"]
        assert told == pushed, ending
    call_command("check_totals", stdout=StringIO())


def test_the_table_of_endings_is_the_one_that_is_tested() -> None:
    assert ENDINGS.keys() == AS_PUSHED.keys()


def test_many_steps_at_once_end_where_single_ones_do(ana: Caller) -> None:
    codes = posted(ana, "A-1", "A-FAIL", "A-TWICE")
    wanted = {"tracking_codes": [codes["A-FAIL"].lower(), codes["A-1"], codes["A-TWICE"]], "steps": 3}
    results = post(ana, "advance", wanted).json()["results"]
    assert [each["hawb"] for each in results] == ["A-FAIL", "A-1", "A-TWICE"]
    assert [each["outcome"] for each in results] == ["advanced", "advanced", "unchanged"]
    assert {(each["status"], each["status_code"]) for each in results} == {("in_transit", 4)}
    assert [each["steps_left"] for each in results] == [4, 2, 2]


def test_a_refused_step_is_reported_and_stops_no_other(ana: Caller) -> None:
    codes = posted(ana, "A-1", "A-2")
    post(ana, "events", {"events": [{"tracking_code": codes["A-1"], "status": "lost"}]})
    first, second = post(ana, "advance", {"mawb": MAWB, "steps": 2}).json()["results"]
    assert (first["outcome"], first["error"], first["status"]) == ("refused", "guide_already_terminal", "lost")
    assert (second["outcome"], second["status"]) == ("advanced", "customs_released")


@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite has one writer at a time")
@pytest.mark.django_db(transaction=True)
def test_steps_asked_for_at_once_are_taken_one_after_the_other(ana: Caller) -> None:
    code = posted(ana, "A-1")["A-1"]

    def advance(_number: int) -> Any:
        try:
            return post(Caller(ana.company, ana.password), "advance", {"mawb": MAWB}).json()["results"][0]
        finally:
            connections.close_all()

    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(advance, range(4)))
    assert sorted(result["steps_left"] for result in results) == [1, 2, 3, 4]
    assert [event["status"] for event in ana.get(f"/guides/{code}").json()["events"]] == ["registered", *USUAL[:4]]


def test_nobody_moves_or_deletes_the_guides_of_another(ana: Caller, beto: Caller) -> None:
    codes = posted(ana, "A-1")
    asked = {"tracking_codes": [codes["A-1"]]}
    assert post(beto, "advance", asked).json()["results"][0]["outcome"] == "not_found"
    event = {"events": [{"tracking_code": codes["A-1"], "status": "lost"}]}
    assert post(beto, "events", event).json()["results"][0]["error"] == "not_found"
    assert post(beto, "advance", {"mawb": MAWB}).json()["error"] == "not_found"
    assert post(beto, "reset").json() == {"success": True, "manifests_deleted": 0, "more": False}
    assert ana.get(f"/guides/{codes['A-1']}").json()["status"] == "registered"


def test_events_take_any_past_time_and_answer_in_their_order(ana: Caller) -> None:
    code = posted(ana, "A-1")["A-1"]
    sent = [
        {"tracking_code": code, "status": "in_transit", "client_note": "Vuelo"},
        {"tracking_code": "ANA0", "status": "lost"},
        {"tracking_code": code, "status": "customs_processing", "occurred_at": "2026-01-02T03:04:05-05:00"},
    ]
    results = post(ana, "events", {"events": sent}).json()["results"]
    assert [each["outcome"] for each in results] == ["advanced", "not_found", "advanced"]
    events = ana.get(f"/guides/{code}").json()["events"]
    assert [event["status"] for event in events] == ["customs_processing", "registered", "in_transit"]
    assert events[0]["timestamp"] == "2026-01-02T08:04:05Z"


@pytest.mark.parametrize(
    ("path", "body", "field"),
    [
        ("advance", {}, "mawb"),
        ("advance", {"mawb": MAWB, "tracking_codes": ["A"]}, "mawb"),
        ("advance", {"mawb": MAWB, "steps": 11}, "steps"),
        ("advance", {"mawb": MAWB, "stesp": 1}, "stesp"),
        ("advance", {"tracking_codes": []}, "tracking_codes"),
        ("events", {"events": [{"tracking_code": "A", "status": "flown"}]}, "events[0][status]"),
        ("events", {"events": [{"tracking_code": "A", "status": "lost", "occurred_at": "noon"}]}, None),
        ("events", {"events": [{"tracking_code": "A\0", "status": "lost"}]}, None),
        ("reset", {"all": True}, "all"),
    ],
)
def test_a_wrong_body_names_its_field(ana: Caller, path: str, body: Any, field: str | None) -> None:
    answered = post(ana, path, body)
    assert answered.status_code == 400
    assert field is None or next(iter(answered.json()["details"])).startswith(field)


def test_reset_deletes_the_oldest_fifty_of_the_callers_own(
    ana: Caller, beto: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shipments.sandbox.views.RESET_AT_ONCE", 1)
    posted(ana, "A-1")
    posted(ana, "A-1", mawb="045-70310122")
    posted(beto, "B-1")
    assert post(ana, "reset").json() == {"success": True, "manifests_deleted": 1, "more": True}
    assert post(ana, "reset").json() == {"success": True, "manifests_deleted": 1, "more": False}
    assert Manifest.objects.get().company == beto.company
    assert Flight.objects.count() == 1


def test_manifests_are_swept_after_thirty_days(ana: Caller, beto: Caller) -> None:
    posted(ana, "A-1")
    posted(beto, "B-1")
    old = Manifest.objects.filter(company=ana.company)
    old.update(created_at=timezone.now() - timedelta(days=31))
    with override_settings(SANDBOX=False):
        call_command("sweep_files", stdout=StringIO())
    assert Manifest.objects.count() == 2
    call_command("sweep_files", dry_run=True, stdout=StringIO())
    assert Manifest.objects.count() == 2
    call_command("sweep_files", stdout=StringIO())
    assert Manifest.objects.get().company == beto.company


def test_a_manifest_has_a_limit(ana: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ingest, "SANDBOX_GUIDES", 1)
    answered = ana.post_json(manifest(guide(1), guide(2)))
    assert (answered.status_code, [*answered.json()["details"]]) == (400, ["guides"])
    assert Manifest.objects.count() == 0
    with override_settings(SANDBOX=False):
        assert make_caller("LIVE").post_json(manifest(guide(1), guide(2))).status_code == 201


def test_each_answer_and_each_webhook_says_that_it_is_a_sandbox(ana: Caller) -> None:
    register(ana.company, "https://hooks.example.com/", "a-secret-of-24-characters")
    register_signed(ana.company, "https://hooks.example.com/signed")
    posted(ana, "H1")
    bodies = [json.loads(bytes(each.body)) for each in Delivery.objects.all()]
    assert len(bodies) == 2
    for body in bodies:
        assert list(body)[list(body).index("api_version") + 1] == "sandbox"
        assert body["sandbox"] is True
    stranger = Caller(ana.company, "nonsense")
    answers = [ana.get("/mawbs"), ana.get("/mawbs/999-00000000"), stranger.get("/mawbs"), ana.get("/nowhere")]
    assert [answer.status_code for answer in answers] == [200, 404, 401, 404]
    for answer in answers:
        assert answer["X-Sandbox"] == "true"
        assert "X-Sandbox" in answer["Access-Control-Expose-Headers"]


@pytest.mark.parametrize(("wanted", "status"), [("429", 429), ("500", 500), ("503", 503), ("418", 400)])
def test_trouble_on_demand_does_nothing(ana: Caller, wanted: str, status: int) -> None:
    answered = ana.post_json(manifest(), HTTP_SANDBOX_ANSWER=wanted)
    assert answered.status_code == status
    assert answered["X-Sandbox"] == "true"
    assert ("Retry-After" in answered) is (status in {429, 503})
    assert Manifest.objects.count() == 0


def test_trouble_comes_after_the_password(ana: Caller) -> None:
    answered = ana.client.get(f"{BASE}/mawbs", headers={"Sandbox-Answer": "500"})
    assert answered.json()["error"] == "missing_api_key"


class TestALiveService:
    def test_has_none_of_it(self, acme: Caller) -> None:
        register(acme.company, "https://hooks.example.com/", "a-secret-of-24-characters")
        assert acme.post_json(manifest(guide(1)), HTTP_SANDBOX_ANSWER="500").status_code == 201
        assert "sandbox" not in json.loads(bytes(Delivery.objects.get().body))
        unknown = acme.client.post(f"{BASE}/nothing/at-all")
        for path in ("advance", "events", "reset"):
            answered = post(acme, path)
            assert (answered.status_code, answered.json()) == (404, unknown.json())
            assert "sandbox" not in str(answered.headers).lower()
        assert b"sandbox-band" not in acme.client.get("/docs/").content
        assert b"/sandbox/advance" not in acme.client.get("/docs/openapi.json").content

    def test_refuses_a_sandboxs_password_with_its_own_sentence(self, acme: Caller) -> None:
        with override_settings(SANDBOX=True):
            test_password = acme.company.set_new_password()
        acme.password = test_password
        refused = acme.get("/mawbs").json()
        assert refused["error"] == "invalid_api_key"
        assert refused["message"] == "This is a password of the sandbox; this is the live service."


def test_a_sandbox_refuses_a_live_password_with_its_own_sentence(acme: Caller, ana: Caller) -> None:
    assert ana.password.startswith("pa_test_")
    refused = acme.get("/mawbs").json()
    assert refused["message"] == "This is a password of the live service; this is the sandbox."


@pytest.mark.parametrize(
    ("path", "language", "words"),
    [("/docs/", "en", "invented shipments"), ("/admin/login/", "es", "envíos inventados")],
)
def test_each_page_has_the_band_and_another_title(ana: Caller, path: str, language: str, words: str) -> None:
    page = ana.client.get(path, headers={"Accept-Language": language}).content.decode()
    assert words in page
    assert "<title>Sandbox |" in page


class TestTheDatabase:
    @pytest.mark.parametrize(("made", "run"), [(True, False), (False, True)])
    def test_of_the_other_kind_of_service_is_refused(self, db: None, made: bool, run: bool) -> None:  # noqa: ARG002, FBT001
        with override_settings(SANDBOX=made):
            make_caller("ANY")
        with override_settings(SANDBOX=run):
            from prealerts.checks import database_is_of_this_service  # noqa: PLC0415  # the settings first

            (found,) = database_is_of_this_service(databases=["default"])
            assert found.id == "prealerts.E012"
        with override_settings(SANDBOX=made):
            assert list(database_is_of_this_service(databases=["default"])) == []
