"""Advancing guides in the admin: a form, a preview, a result; nothing is written before the operator confirms."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from django.contrib.admin.models import LogEntry
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from base.admin.activity import ActKind, act_in_words
from companies.models import Company
from shipments.admin.actions.move_actions import Advance
from shipments.models import Guide, GuideEvent
from tests.companies.admin_pages import operator
from tests.country_scope.operators import operator_of
from tests.shipments.admin.pages import GUIDES, moved, of_guide, of_manifest, preview_of, text_of, ticked, told
from tests.shipments.shipping import assert_sound, bring, shipped
from webhooks.subscriptions import register, register_signed

pytestmark = pytest.mark.django_db


def test_ticked_guides_are_previewed_then_moved(staff: Client, ours: Company, theirs: Company) -> None:
    manifest, others = shipped(ours, 3), shipped(theirs, 2)
    one, two, three = manifest.guides.order_by("pk")
    chosen = {**ticked("advance_selected", one, two), **told("in_transit", internal_note="On the plane")}
    assert "Preview" in text_of(staff.post(GUIDES, chosen))
    preview = text_of(preview_of(staff, GUIDES, chosen))
    assert one.tracking_code in preview
    assert "Nothing has been changed yet" in preview
    assert not GuideEvent.objects.filter(status="in_transit").exists()
    done = text_of(moved(staff, GUIDES, chosen))
    assert "What happened" in done
    assert set(Guide.objects.filter(status="in_transit")) == {one, two}
    (entry,) = LogEntry.objects.filter(action_flag=ActKind.MOVED)
    assert act_in_words(entry) == "2 guides of a list: “In transit”."
    assert "What happened" in text_of(staff.get(reverse("admin:shipments_bulkmove_change", args=[entry.object_id])))
    assert three.events.count() == 1
    event = one.events.get(status="in_transit")
    assert (event.actor, event.internal_note, event.source) == ("olga", "On the plane", "operator")
    assert_sound(manifest)
    assert_sound(others)


def test_a_preview_is_confirmed_once_and_by_its_operator_alone(staff: Client, ours: Company) -> None:
    (guide,) = shipped(ours, 1).guides.all()
    chosen = {**ticked("advance_selected", guide), **told("on_hold", internal_note="Ask first")}
    address = preview_of(staff, GUIDES, chosen).redirect_chain[-1][0]
    other = operator("change_guide", "view_guide", username="paula")
    assert "Only olga can confirm it." in text_of(other.get(address))
    assert other.post(address, {"step": "run"}).status_code == 403
    assert operator_of("CL", "change_guide").get(address).status_code == 404
    assert not guide.events.filter(status="on_hold").exists()
    for _twice in range(2):
        assert "What happened" in text_of(staff.post(address, {"step": "run"}, follow=True))
    assert [event.internal_note for event in guide.events.filter(status="on_hold")] == ["Ask first"]
    assert LogEntry.objects.filter(action_flag=ActKind.MOVED).count() == 1


def test_a_refusal_is_reported_with_its_reason_and_stops_no_other(staff: Client, ours: Company) -> None:
    lost, sound = shipped(ours, 2).guides.order_by("pk")
    bring(lost, "lost")
    page = text_of(moved(staff, GUIDES, {**ticked("advance_selected", lost, sound), **told("delivered")}))
    assert "which is final" in page
    lost.refresh_from_db()
    sound.refresh_from_db()
    assert (lost.status, sound.status) == ("lost", "delivered")


def test_a_preview_that_would_change_nothing_offers_no_button(staff: Client, ours: Company) -> None:
    (guide,) = shipped(ours, 1).guides.all()
    bring(guide, "lost")
    page = text_of(preview_of(staff, of_guide(guide, "advance"), told("delivered")))
    assert "would change nothing" in page
    assert "Set the final status" not in page
    assert 'value="run"' not in page


def test_a_time_is_read_by_the_clock_that_is_named(staff: Client, ours: Company) -> None:
    (guide,) = shipped(ours, 1).guides.all()
    at = (timezone.now() - timedelta(days=2)).replace(hour=12, minute=30, second=0, microsecond=0)
    event = told("in_transit", occurred_at=at.strftime("%Y-%m-%dT%H:%M"), zone="America/Lima")
    moved(staff, of_guide(guide, "advance"), event)
    assert guide.events.get(status="in_transit").occurred_at == at + timedelta(hours=5)


def test_what_cannot_be_an_event_is_refused_beside_its_field(staff: Client, ours: Company) -> None:
    (guide,) = shipped(ours, 1).guides.all()
    for field in ({"occurred_at": "yesterday"}, {"status": "registered"}, {"source": "pre_alert"}, {"zone": "Mars"}):
        sent = {**told("in_transit"), **field, "step": "run"}
        assert "errors" in text_of(staff.post(of_guide(guide, "advance"), sent)), field
    assert guide.events.count() == 1


def test_the_preview_says_what_would_happen_and_the_result_what_did(staff: Client, ours: Company) -> None:
    manifest = shipped(ours, 2)
    address = of_manifest(manifest, "advance_guides")
    preview = text_of(staff.post(address, {**told("customs_processing"), "step": "preview"}, follow=True))
    assert preview.count("would advance") == 3  # each guide, and the tally
    result = text_of(moved(staff, address, told("customs_processing")))
    assert "would advance" not in result
    assert result.count(">advanced<") == 3


def test_a_late_scan_is_reported_as_history_and_drawn_so(staff: Client, ours: Company) -> None:
    (guide,) = shipped(ours, 1).guides.all()
    bring(guide, "out_for_delivery")
    early = datetime(2026, 1, 2, 3, 4, tzinfo=UTC).strftime("%Y-%m-%dT%H:%M")
    page = text_of(moved(staff, of_guide(guide, "advance"), told("in_transit", occurred_at=early, zone="UTC")))
    assert "history only" in page
    assert "history only" in text_of(staff.get(of_guide(guide)))
    guide.refresh_from_db()
    assert guide.status == "out_for_delivery"


def test_more_than_a_move_takes_is_refused_before_anything(
    staff: Client, ours: Company, monkeypatch: pytest.MonkeyPatch
) -> None:
    guides = shipped(ours, 3).guides.all()
    monkeypatch.setattr(Advance, "most", 2)
    answer = staff.post(GUIDES, {**ticked("advance_selected", *guides), **told("lost"), "step": "run"}, follow=True)
    assert "at most 2 rows" in text_of(answer)
    assert not Guide.objects.filter(status="lost").exists()


def test_a_final_status_says_what_cannot_be_undone_and_who_is_notified(
    staff: Client, ours: Company, theirs: Company
) -> None:
    register(ours, "https://203.0.114.5/hook")
    register(ours, "https://203.0.114.5/other")
    register_signed(theirs, "https://203.0.114.5/deliveries", event_types=["guide.delivered"])  # does not hear of this
    guides = [*shipped(ours, 2).guides.all(), *shipped(theirs, 1).guides.all()]
    chosen = ticked("advance_selected", *guides)
    page = " ".join(text_of(preview_of(staff, GUIDES, {**chosen, **told("lost")})).split())
    assert (
        "3 guides get the final status &quot;Lost&quot;. No other status can follow it; only an administrator" in page
    )
    assert "1 client is notified by webhook." in page
    assert "Set the final status" in page
    assert "Guide in exception × 2" in page
    done = text_of(moved(staff, GUIDES, {**chosen, **told("lost")}))
    assert "3 guides advanced." in done
    progress = ticked("advance_selected", *shipped(ours, 1).guides.all())
    assert "No other status" not in text_of(preview_of(staff, GUIDES, {**progress, **told("in_transit")}))


def test_a_selection_over_companies_and_countries_says_so_and_takes_each_destinations_clock(
    staff: Client, ours: Company, theirs: Company
) -> None:
    (here,), (there,) = shipped(ours, 1, country="CL").guides.all(), shipped(theirs, 1, country="PE").guides.all()
    chosen = ticked("advance_selected", here, there)
    form = text_of(staff.post(GUIDES, chosen))
    assert "several companies: Ours SpA, Theirs SpA" in form
    assert "several countries: Chile, Peru." in form
    assert '<option value="destination" selected' in form
    at = (timezone.now() - timedelta(days=2)).strftime("%Y-%m-%dT12:30")
    event = told("in_transit", occurred_at=at, zone="destination")
    done = text_of(moved(staff, GUIDES, {**chosen, **event}))
    assert "2 guides advanced." in done
    for guide, zone in ((here, "America/Santiago"), (there, "America/Lima")):
        moved_at = guide.events.get(status="in_transit").occurred_at
        assert moved_at.astimezone(ZoneInfo(zone)).strftime("%Y-%m-%dT%H:%M") == at


def test_a_selection_of_one_company_and_country_says_nothing_and_has_its_clock(staff: Client, ours: Company) -> None:
    manifest = shipped(ours, 2, country="PE")
    form = text_of(staff.post(GUIDES, ticked("advance_selected", *manifest.guides.all())))
    assert "several" not in form
    assert '<option value="America/Lima" selected' in form
