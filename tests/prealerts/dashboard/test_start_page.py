"""The admin's start page: what an operator needs in the morning, each number leading to the list that holds it."""

from datetime import UTC, datetime, timedelta
from itertools import cycle
from typing import Any
from zoneinfo import ZoneInfo

import pytest
import time_machine
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from companies.models import Company
from prealerts.dashboard import figures
from prealerts.dashboard.arrivals import arriving
from prealerts.dashboard.to_do import LISTED, SHOWN
from prealerts.dashboard.uploads import uploads_by_hour
from shipments.models import BulkMove, Carrier, CarrierCode, CarrierEvent, CarrierReceipt, Guide, InboundBatch, Manifest
from shipments.statuses import GuideStatus
from shipments.tracking.taking_back import take_back
from shipments.tracking.voiding import void_manifest
from shipments.tracking.withdrawals import Withdrawal
from tests.companies.admin_pages import operator, text_of
from tests.conftest import Caller
from tests.country_scope.operators import operator_of
from tests.shipments.shipping import shipped, tell

pytestmark = pytest.mark.django_db

START = reverse("admin:index")
NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)  # nine in the morning in Santiago, seven in Lima


@pytest.fixture
def staff(admin_client: Client) -> Client:
    return admin_client


@pytest.fixture
def at_nine() -> Any:
    with time_machine.travel(NOW, tick=False):
        yield


def arriving_at(company: Company, eta: datetime, country: str = "CL") -> Manifest:
    manifest = shipped(company, 2, country=country)
    Manifest.objects.filter(pk=manifest.pk).update(eta=eta)
    return manifest


def listed(staff: Client, link: str) -> set[str]:
    """What the list behind a link holds."""
    response: Any = staff.get(link)
    assert response.status_code == 200, link
    return {str(row) for row in response.context["cl"].result_list}


@pytest.mark.parametrize(
    ("country", "local_eta", "day"),
    [
        ("CL", "2026-11-20T23:59:59", None),
        ("CL", "2026-11-21T00:00:00", 0),
        ("CL", "2026-11-21T23:59:59", 0),
        ("CL", "2026-11-22T00:00:00", 1),
        ("CL", "2026-11-22T23:59:59", 1),
        ("CL", "2026-11-23T00:00:00", None),
        ("PE", "2026-11-21T00:00:00", 0),
        ("PE", "2026-11-21T23:59:59", 0),
        ("PE", "2026-11-22T00:00:00", 1),
        ("AR", "2026-11-21T23:59:59", 0),
    ],
)
def test_a_mawb_arrives_on_the_day_of_its_destination(
    acme: Caller, country: str, local_eta: str, day: int | None
) -> None:
    zone = {"CL": "America/Santiago", "PE": "America/Lima", "AR": "America/Argentina/Buenos_Aires"}[country]
    arriving_at(acme.company, datetime.fromisoformat(local_eta).replace(tzinfo=ZoneInfo(zone)), country)
    assert [each.mawbs.count for each in arriving(Manifest.objects.all(), NOW)] == [int(day == 0), int(day == 1)]


@pytest.mark.usefixtures("at_nine")
def test_arrivals_lead_to_the_list_that_holds_them_and_no_others(staff: Client, acme: Caller, rival: Caller) -> None:
    ours = arriving_at(acme.company, NOW)
    theirs = arriving_at(rival.company, NOW + timedelta(hours=1))
    arriving_at(rival.company, NOW, "PE")
    arriving_at(acme.company, NOW + timedelta(days=1))
    voided = arriving_at(acme.company, NOW)
    void_manifest(voided, reason="sent twice", actor="a test")
    today, _tomorrow = arriving(Manifest.objects.all(), NOW)
    chile, peru = today.destinations
    assert (chile["mawbs"], peru["mawbs"], today.guides.count) == (2, 1, 6)
    assert listed(staff, chile["link"]) == {ours.mawb, theirs.mawb}
    page = text_of(staff.get(START))
    assert ours.mawb in page
    assert voided.mawb not in page


def test_only_the_first_arrivals_are_named_and_the_rest_are_counted(acme: Caller) -> None:
    for hours in range(10):
        arriving_at(acme.company, NOW + timedelta(hours=hours))
    today, _tomorrow = arriving(Manifest.objects.all(), NOW)
    assert (len(today.arrivals), today.unlisted, today.mawbs.count) == (8, 2, 10)
    assert [arrival.eta for arrival in today.arrivals] == sorted(arrival.eta for arrival in today.arrivals)


def test_the_numbers_of_guides_lead_to_their_lists(staff: Client, acme: Caller, rival: Caller) -> None:
    held, *rest = shipped(acme.company, 3).guides.all()
    tell(held, "customs_held")
    doubtful = shipped(rival.company, 1).guides.get()
    Guide.objects.filter(pk=doubtful.pk).update(needs_review=True)
    Guide.objects.filter(pk=rest[0].pk).update(retention_required=True)
    context: Any = staff.get(START).context
    (bar,) = context["exceptions"]["bars"]
    review = context["headlines"][4]
    (retention,) = context["to_do"]
    assert listed(staff, bar["link"]) == {str(held)}
    assert listed(staff, context["headlines"][2].link) == {str(held)}
    assert (review.figure.count, listed(staff, review.link)) == (1, {str(doubtful)})
    assert (retention.count, listed(staff, retention.link)) == (1, {str(rest[0])})


def test_guides_that_customs_has_had_for_more_than_two_days_lead_to_their_list(
    staff: Client, acme: Caller, rival: Caller
) -> None:
    reports: dict[str, list[tuple[str, int]]] = {
        "long": [("customs_processing", 49)],
        "changed within customs": [("customs_processing", 50), ("customs_held", 3)],
        "scanned again": [("customs_held", 70), ("customs_held", 2)],
        "recent": [("in_transit", 60), ("customs_processing", 47)],
        "came back": [("customs_processing", 90), ("in_transit", 40), ("customs_held", 30)],
        "released": [("customs_processing", 90), ("customs_released", 60)],
        "never there": [("in_transit", 90)],
    }
    now = timezone.now()
    guides = {}
    for (name, told), company in zip(reports.items(), cycle([acme.company, rival.company]), strict=False):
        guides[name] = shipped(company, 1).guides.get()
        for status, hours in told:
            tell(guides[name], status, occurred_at=now - timedelta(hours=hours))
    context: Any = staff.get(START).context
    customs = context["headlines"][3]
    long = {str(guides[name]) for name in ("long", "changed within customs", "scanned again")}
    assert (customs.figure.count, listed(staff, customs.link)) == (3, long)


def test_an_event_that_was_taken_back_keeps_no_guide_in_customs(staff: Client, acme: Caller) -> None:
    guides, now = shipped(acme.company, 1).guides, timezone.now()
    tell(guides.get(), "customs_held", occurred_at=now - timedelta(hours=60))
    was_on_its_way = Withdrawal(
        GuideStatus.CUSTOMS_HELD, GuideStatus.IN_TRANSIT, now - timedelta(hours=70), reason="Another guide was meant"
    )
    take_back(guides.all(), was_on_its_way, actor="root")
    tell(guides.get(), "customs_held", occurred_at=now - timedelta(hours=1))
    context: Any = staff.get(START).context
    assert context["headlines"][3].figure.count == 0


@pytest.mark.usefixtures("at_nine")
def test_uploads_are_in_the_hour_in_which_they_came(staff: Client, acme: Caller, rival: Caller) -> None:
    for company, hours in ((acme.company, 0), (rival.company, 2), (acme.company, 2), (acme.company, 24)):
        received = NOW - timedelta(hours=hours) + timedelta(minutes=10)
        Manifest.objects.filter(pk=shipped(company, 2).pk).update(created_at=received)
    reported = uploads_by_hour(Manifest.objects.all(), NOW)
    assert [(24 - position, hour["mawbs"]) for position, hour in enumerate(reported["hours"]) if hour["mawbs"]] == [
        (3, 2),
        (1, 1),
    ]
    assert (reported["mawbs"].count, reported["guides"].count, reported["most_in_an_hour"]) == (3, 6, 2)
    assert [hour["height"] for hour in reported["hours"] if hour["mawbs"]] == [100, 50]
    two_hours_ago = reported["hours"][-3]
    assert len(listed(staff, two_hours_ago["link"])) == two_hours_ago["mawbs"]
    assert len(listed(staff, reported["link"])) == 3


def test_counting_ends_somewhere(monkeypatch: pytest.MonkeyPatch, acme: Caller) -> None:
    shipped(acme.company, 4)
    assert str(figures.count_capped(Guide.objects.all())) == "4"
    monkeypatch.setattr(figures, "COUNTED", 3)
    assert str(figures.count_capped(Guide.objects.all())) == "3+"


def test_more_guides_cost_no_more_queries(staff: Client, acme: Caller, rival: Caller) -> None:
    def queries() -> int:
        with CaptureQueriesContext(connection) as captured:
            staff.get(START)
        return len(captured)

    shipped(acme.company, 2)
    few = queries()
    for company in (acme.company, rival.company):
        manifest = shipped(company, 20)
        manifest.guides.update(needs_review=True)
        for guide in manifest.guides.all()[:5]:
            tell(guide, "customs_held")
    assert queries() == few


@pytest.mark.parametrize(
    ("permissions", "seen", "hidden"),
    [
        (["view_manifest"], ["Arriving today", "Received in the last 24 hours"], ["In exception", "To review"]),
        (["view_guide"], ["In exception", "To review"], ["Arriving today", "Received in the last 24 hours"]),
        ([], ["may view neither"], ["Arriving today", "In exception", "Add a company"]),
    ],
)
def test_an_operator_sees_what_the_permissions_allow(
    acme: Caller, permissions: list[str], seen: list[str], hidden: list[str]
) -> None:
    shipped(acme.company, 1)
    page = text_of(operator(*permissions).get(START))
    assert [words for words in seen if words not in page] == []
    assert [words for words in hidden if words in page] == []


def test_a_new_installation_says_how_to_begin(staff: Client) -> None:
    page = text_of(staff.get(START))
    assert reverse("admin:companies_company_add") in page
    assert [reverse(f"template-{country}") in page for country in ("CL", "PE", "AR")] == [True, True, True]


def test_the_first_steps_offer_the_templates_of_the_operators_countries() -> None:
    page = text_of(operator_of("PE").get(START))
    assert [reverse(f"template-{country}") in page for country in ("CL", "PE", "AR")] == [False, True, False]


def test_the_first_steps_go_on_from_where_they_are(staff: Client, acme: Caller) -> None:
    assert "A company has already been added" in text_of(staff.get(START))
    shipped(acme.company, 1)
    assert "First steps" not in text_of(staff.get(START))


def test_who_may_not_onboard_is_reported_whom_to_ask() -> None:
    page = text_of(operator("view_manifest").get(START))
    assert "Ask an administrator to add a company" in page
    assert reverse("admin:companies_company_add") not in page


@pytest.mark.usefixtures("at_nine")
def test_late_mawbs_are_those_whose_arrival_passed_while_guides_did_not_move(
    staff: Client, acme: Caller, rival: Caller
) -> None:
    late = arriving_at(acme.company, NOW - timedelta(hours=3))
    half, moved, voided = (arriving_at(rival.company, NOW - timedelta(days=1)) for _each in range(3))
    for guide in [half.guides.earliest("pk"), *moved.guides.all()]:
        tell(guide, "customs_processing")
    void_manifest(voided, reason="twice", actor="olga")
    arriving_at(acme.company, NOW + timedelta(hours=1))
    arriving_at(acme.company, NOW - timedelta(days=31))
    page: Any = staff.get(START)
    shown = page.context["late"]
    assert [each.mawb for each in shown["listed"]] == [late.mawb, half.mawb]
    assert "1 of 2 not moved" in text_of(page)
    assert listed(staff, shown["link"]) == {late.mawb, half.mawb}


def test_without_late_mawbs_the_panel_says_so(staff: Client, acme: Caller) -> None:
    shipped(acme.company)
    assert "Every MAWB of the last 30 days" in text_of(staff.get(START))


def test_late_mawbs_are_those_of_the_operators_countries(acme: Caller) -> None:
    at_home = arriving_at(acme.company, datetime.now(UTC) - timedelta(hours=3))
    arriving_at(acme.company, datetime.now(UTC) - timedelta(hours=3), "PE")
    page: Any = operator_of("CL").get(START)
    assert [each.mawb for each in page.context["late"]["listed"]] == [at_home.mawb]


@pytest.mark.usefixtures("at_nine")
def test_each_arrival_of_today_shows_its_progress(staff: Client, acme: Caller) -> None:
    manifest = arriving_at(acme.company, NOW + timedelta(hours=2))
    tell(manifest.guides.earliest("pk"), "in_transit")
    assert 'aria-label="Registered: 1, In transit: 1"' in text_of(staff.get(START))


@pytest.mark.usefixtures("at_nine")
def test_a_bar_of_what_has_not_moved_is_grey_and_the_bars_have_a_legend(staff: Client, acme: Caller) -> None:
    waiting, moving = arriving_at(acme.company, NOW), arriving_at(acme.company, NOW)
    tell(moving.guides.earliest("id"), "customs_processing")
    today = staff.get(START).context["today"]
    fills = {arrival.mawb: [part.fill for part in arrival.parts] for arrival in today.arrivals}
    assert fills[waiting.mawb] == ["pa-fill pa-registered pa-shade-0"]
    assert len(fills[moving.mawb]) == 2
    assert [str(part.label) for part in today.legend] == ["Registered", "In customs"]


def test_no_link_leads_to_a_site_that_is_this_one(staff: Client) -> None:
    assert "View site" not in text_of(staff.get(START))
    assert "Return to site" not in text_of(Client().get(reverse("admin:login")))


def test_what_waits_for_a_decision_has_a_line_and_a_button_until_it_is_done(staff: Client) -> None:
    carrier = Carrier.objects.create(name="Cóndor Cargo", slug="condor", countries=["CL"])
    receipt = CarrierReceipt.objects.create(carrier=carrier, sha256="0", size_bytes=1)
    for number, code in enumerate(("X1", "X2")):
        CarrierCode.objects.create(carrier=carrier, code=code, folded=code.lower())
        CarrierEvent.objects.create(
            receipt=receipt,
            carrier=carrier,
            code=code,
            folded=code.lower(),
            outcome="unmapped",
            external_id=str(number),
        )
    batch = InboundBatch.objects.create(facility="SCL-2", country="CL", opened_by="olga")
    move = BulkMove.objects.create(actor="olga", kind="advance", total=300)
    context: Any = staff.get(START).context
    lines = {entry.who: entry for entry in context["to_do"]}
    assert lines["Cóndor Cargo"].count == 2
    assert {str(code) for code in staff.get(lines["Cóndor Cargo"].link).context["cl"].result_list} == {"X1", "X2"}
    assert str(batch.pk) in lines["SCL-2"].link
    assert str(move.pk) in lines["Advance"].link
    CarrierEvent.objects.all().delete()
    InboundBatch.objects.update(state="closed")
    BulkMove.objects.update(state="done")
    assert staff.get(START).context["to_do"] == []


def test_what_waits_at_another_country_is_not_told(acme: Caller) -> None:
    InboundBatch.objects.create(facility="SCL-2", country="CL", opened_by="olga")
    BulkMove.objects.create(actor="olga", kind="advance", total=300)
    shipped(acme.company, 1).guides.update(retention_required=True)
    assert operator_of("PE").get(START).context["to_do"] == []


def test_a_long_list_is_folded(staff: Client) -> None:
    for number in range(12):
        BulkMove.objects.create(actor="olga", kind="advance", total=number)
        InboundBatch.objects.create(facility=f"SCL-{number}", country="CL", opened_by="olga")
    context: Any = staff.get(START).context
    assert (len(context["to_do"]), len(context["to_do_below"])) == (SHOWN, 2 * LISTED - SHOWN)
