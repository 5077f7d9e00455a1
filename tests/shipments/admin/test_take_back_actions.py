"""Taking back a wrong status in the admin: for administrators, after a preview of what clients are sent."""

from collections import Counter
from datetime import UTC, datetime
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import User
from django.test import Client

from base.admin.activity import act_in_words
from companies.models import Company
from shipments.models import GuideEvent
from tests.shipments.admin.pages import GUIDES, moved, of_guide, preview_of, text_of, ticked
from tests.shipments.shipping import assert_sound, bring, shipped, tell
from webhooks.models import Delivery
from webhooks.subscriptions import register, register_signed

pytestmark = pytest.mark.django_db


@pytest.fixture
def administrator(db: None) -> Client:  # noqa: ARG001  # the database must be there first
    browser = Client()
    browser.force_login(User.objects.create_superuser("root"))
    return browser


def entered(wrong: str = "delivered", **more: Any) -> dict[str, Any]:
    """What the form sends."""
    return {"wrong": wrong, "zone": "America/Santiago", "reason": "Another MAWB was meant", **more}


def page_of(response: Any) -> str:
    return " ".join(text_of(response).split())


def test_a_final_status_of_several_is_taken_back_by_an_administrator(
    administrator: Client, ours: Company, theirs: Company
) -> None:
    register(ours, "https://203.0.114.5/hook")
    manifest, others = shipped(ours, 3), shipped(theirs, 1)
    guides = list(manifest.guides.order_by("pk"))
    for guide in guides:
        bring(guide, "out_for_delivery", "delivered")
    Delivery.objects.all().delete()

    chosen = {**ticked("take_back_selected", *guides, others.guides.get()), **entered()}
    form = text_of(administrator.post(GUIDES, ticked("take_back_selected", *guides)))
    assert "Wrong status" in form
    preview = page_of(preview_of(administrator, GUIDES, chosen))
    assert "1 client is notified by webhook. Guide out for delivery × 3" in preview
    assert "Nothing has been changed yet." in preview
    assert preview.count("would be taken back") == 4  # each guide, and the tally
    assert "The guide is &quot;Registered&quot;, not &quot;Delivered&quot;." in preview
    assert not GuideEvent.objects.exclude(withdrawn_at=None).exists()
    done = page_of(moved(administrator, GUIDES, chosen))
    assert "The status of 3 guides is taken back." in done
    manifest.refresh_from_db()
    assert (manifest.status, manifest.guides_by_status) == ("out_for_delivery", {"out_for_delivery": 3})
    assert Counter(Delivery.objects.values_list("event_type", flat=True)) == {"guide.out_for_delivery": 3}
    entry = LogEntry.objects.latest("pk")
    assert act_in_words(entry) == "Took back “Delivered” of 3 guides of a list."
    for one in (manifest, others):
        assert_sound(one)


def test_one_guide_is_taken_back_from_its_page_and_its_timeline_says_so(
    administrator: Client, staff: Client, ours: Company
) -> None:
    register_signed(ours, "https://203.0.114.5/hook")
    guide = bring(shipped(ours, 1).guides.get(), "in_transit", "lost")
    assert of_guide(guide, "take_back") in text_of(administrator.get(of_guide(guide)))
    assert of_guide(guide, "take_back") not in text_of(staff.get(of_guide(guide)))
    form = entered("lost", status="on_hold", client_note="It was found.")
    preview = page_of(preview_of(administrator, of_guide(guide, "take_back"), form))
    assert "Guide in exception × 1" in preview
    assert "Note to the client: It was found." in preview
    moved(administrator, of_guide(guide, "take_back"), form)
    guide.refresh_from_db()
    assert guide.status == "on_hold"
    page = page_of(staff.get(of_guide(guide)))
    assert '<del><span class="pa-badge pa-ended">Lost</span></del>' in page
    assert "Taken back by root" in page
    assert page.count("Another MAWB was meant") == 3  # of the wrong event, of the correcting one, and why it is on hold


def test_only_administrators_may(staff: Client, reader: Client, ours: Company) -> None:
    guide = bring(shipped(ours, 1).guides.get(), "in_transit", "delivered")
    for browser in (staff, reader):
        assert browser.post(of_guide(guide, "take_back"), {**entered(), "step": "run"}).status_code == 403
        browser.post(GUIDES, {**ticked("take_back_selected", guide), **entered(), "step": "run"})
        assert "take_back_selected" not in text_of(browser.get(GUIDES))
    guide.refresh_from_db()
    assert guide.status == "delivered"


def test_what_is_invalid_is_reported_beside_its_field(administrator: Client, ours: Company) -> None:
    guide = bring(shipped(ours, 1).guides.get(), "in_transit", "delivered")
    for field in ({"reason": ""}, {"wrong": "registered"}, {"status": "lost"}, {"zone": "Mars"}, {"occurred_at": "x"}):
        sent = {**entered(), **field, "step": "run"}
        assert "errors" in text_of(administrator.post(of_guide(guide, "take_back"), sent)), field
    guide.refresh_from_db()
    assert guide.status == "delivered"


def test_guides_that_have_not_moved_have_nothing_to_take_back(administrator: Client, ours: Company) -> None:
    guide = shipped(ours, 1).guides.get()
    answer = administrator.post(GUIDES, ticked("take_back_selected", guide), follow=True)
    assert "None of these guides has moved yet." in text_of(answer)
    assert of_guide(guide, "take_back") not in text_of(administrator.get(of_guide(guide)))


def test_the_list_shows_the_last_move_that_is_valid(administrator: Client, ours: Company) -> None:
    guide = shipped(ours, 1).guides.get()
    guide.events.update(occurred_at=datetime(2019, 3, 2, 12, tzinfo=UTC))  # registered long ago
    tell(guide, "in_transit", occurred_at=datetime(2020, 3, 2, 12, tzinfo=UTC))
    bring(guide, "delivered")
    assert "2 Mar 2020" not in text_of(administrator.get(GUIDES))
    moved(administrator, of_guide(guide, "take_back"), entered())
    assert "2 Mar 2020" in text_of(administrator.get(GUIDES))
