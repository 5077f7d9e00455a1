"""What is still to be looked at, the filters that are set, and the orders of the lists."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import Permission, User
from django.test import Client
from django.utils import timezone

from companies.models import Company
from shipments.admin import read_only_admin
from shipments.admin.guides import GuideAdmin
from shipments.models import Guide
from shipments.tracking.voiding import void_manifest
from tests.shipments.admin.pages import GUIDES, MANIFESTS, listed, of_guide, of_manifest, text_of
from tests.shipments.shipping import bring, shipped, tell

pytestmark = pytest.mark.django_db

INVALID: dict[str, Any] = {"country": "CL", "review_reasons": ("rut_invalid_format",)}


def chips(browser: Client, address: str, **query: Any) -> list[tuple[str, str]]:
    """The chips of a list: what each says, and the address without it."""
    page = text_of(browser.get(address, query))
    part = page.partition('class="pa-chips"')[2].partition("</ul>")[0]
    found = re.findall(r'<li><a href="([^"]*)"[^>]*>(.*?)</a></li>', part)
    return [(" ".join(re.sub("<span.*?</span>|<[^>]+>", "", text).split()), link) for link, text in found]


class TestWhatIsLeft:
    def test_the_work_lists_hold_what_is_still_to_be_done(self, staff: Client, ours: Company) -> None:
        waiting, done = shipped(ours, 2, **INVALID).guides.order_by("pk")
        held = shipped(ours, 1, country="PE", retention_reason="fob").guides.get()
        shipped(ours, 1)
        voided = shipped(ours, 1, **INVALID)
        void_manifest(voided, reason="sent twice", actor="olga")
        bring(done, "delivered")
        assert listed(staff.get(GUIDES, {"work": "review"})) == [waiting]
        assert listed(staff.get(GUIDES, {"work": "retention"})) == [held]
        assert listed(staff.get(MANIFESTS, {"work": "review"})) == [waiting.manifest]
        assert listed(staff.get(MANIFESTS, {"work": "retention"})) == [held.manifest]

    def test_the_badge_says_the_reason(self, staff: Client, ours: Company) -> None:
        guide = shipped(ours, 1, **INVALID).guides.get()
        assert "invalid RUT" in text_of(staff.get(GUIDES))
        bring(guide, "delivered")
        assert "invalid RUT" not in text_of(staff.get(GUIDES))

    def test_a_manifest_shows_how_many_are_left(self, staff: Client, ours: Company) -> None:
        manifest = shipped(ours, 3, **INVALID)
        shipped(ours, 1, **INVALID)
        bring(manifest.guides.earliest("pk"), "delivered")
        assert "2 to review" in text_of(staff.get(MANIFESTS))
        page = text_of(staff.get(of_manifest(manifest)))
        assert "2 guides still need a review" in page
        assert f"?manifest__id__exact={manifest.pk}&amp;work=review" in page
        manifest.guides.update(needs_review=False)
        assert "still need" not in text_of(staff.get(of_manifest(manifest)))


class TestTheGuidesPage:
    def test_it_begins_with_what_is_wrong_and_what_to_do(self, staff: Client, reader: Client, ours: Company) -> None:
        guide = shipped(ours, 1, **INVALID).guides.get()
        page = text_of(staff.get(of_guide(guide)))
        strip = page.partition('class="pa-matter"')[2].partition("</section>")[0]
        assert "The consignee&#x27;s RUT is missing or invalid." in strip
        assert of_guide(guide, "correct_consignee") in strip
        assert of_guide(guide, "mark_reviewed") in strip
        seen = text_of(reader.get(of_guide(guide))).partition('class="pa-matter"')[2].partition("</section>")[0]
        assert "RUT" in seen
        assert "href" not in seen

    def test_it_names_an_exception_with_its_reason_and_nothing_once_it_is_over(
        self, staff: Client, ours: Company
    ) -> None:
        guide = shipped(ours, 1, country="PE", retention_reason="fob").guides.get()
        bring(guide, "customs_held")
        guide.events.filter(status="customs_held").update(internal_note="Falta la factura")
        page = text_of(staff.get(of_guide(guide)))
        assert page.count('class="pa-matter"') == 2
        assert "Falta la factura" in page.partition('class="pa-story"')[0]
        bring(guide, "returned")
        assert "pa-matter" not in text_of(staff.get(of_guide(guide)))

    def test_the_webhooks_about_it_are_linked_for_those_who_may_see_them(
        self, staff: Client, reader: Client, ours: Company
    ) -> None:
        guide = shipped(ours, 1).guides.get()
        link = f"/admin/webhooks/delivery/?q={guide.tracking_code}"
        assert link not in text_of(reader.get(of_guide(guide)))
        User.objects.get(username="rita").user_permissions.add(Permission.objects.get(codename="view_delivery"))
        assert link in text_of(reader.get(of_guide(guide)))
        assert staff.get(of_guide(guide)).status_code == 200


class TestFilters:
    def test_voided_manifests_are_hidden_until_asked_or_searched_for(self, staff: Client, ours: Company) -> None:
        kept, voided = shipped(ours, 1), shipped(ours, 1)
        void_manifest(voided, reason="sent twice", actor="olga")
        assert listed(staff.get(MANIFESTS)) == [kept]
        assert listed(staff.get(MANIFESTS, {"voided": "yes"})) == [voided]
        assert set(listed(staff.get(MANIFESTS, {"voided": "all"}))) == {kept, voided}
        assert listed(staff.get(MANIFESTS, {"q": voided.mawb})) == [voided]

    def test_manifests_by_status(self, staff: Client, ours: Company) -> None:
        moved, new = shipped(ours, 1), shipped(ours, 1)
        void_manifest(shipped(ours, 1), reason="sent twice", actor="olga")
        bring(moved.guides.get(), "customs_held")
        assert listed(staff.get(MANIFESTS, {"status": "exception"})) == [moved]
        assert listed(staff.get(MANIFESTS, {"status": "registered"})) == [new]
        assert listed(staff.get(MANIFESTS, {"status": "closed"})) == []
        assert set(listed(staff.get(MANIFESTS, {"status": ["closed", "exception", "registered"]}))) == {moved, new}
        assert len(listed(staff.get(MANIFESTS, {"status": "no such"}))) == 2

    def test_manifests_with_guides_that_customs_has_had_for_more_than_two_days(
        self, staff: Client, ours: Company
    ) -> None:
        long, recent, now = shipped(ours, 2), shipped(ours, 2), timezone.now()
        for manifest, hours in ((long, 49), (recent, 47)):
            for guide in manifest.guides.all():
                tell(guide, "customs_held", occurred_at=now - timedelta(hours=hours))
        assert listed(staff.get(MANIFESTS, {"work": "customs"})) == [long]

    def test_manifests_by_flight_and_by_a_list(self, staff: Client, ours: Company) -> None:
        one, other = shipped(ours, 1, mawb="045-00000011"), shipped(ours, 1, mawb="045-00000022")
        shipped(ours, 1)
        type(one.flight).objects.filter(pk=one.flight_id).update(flight_number="LA505")
        assert listed(staff.get(MANIFESTS, {"q": "la 505"})) == [one]
        assert set(listed(staff.get(MANIFESTS, {"q": "04500000011 045-00000022 045-00000099"}))) == {one, other}

    def test_each_filter_is_a_chip_that_takes_it_off(self, staff: Client, ours: Company) -> None:
        manifest = shipped(ours, 1, **INVALID)
        found = dict(chips(staff, GUIDES, company="OURS", status__exact="registered", work="review", q="soto"))
        assert found == {
            "Status: Registered": "?company=OURS&amp;q=soto&amp;work=review",
            "Needs attention: Still to review": "?company=OURS&amp;q=soto&amp;status__exact=registered",
            "Company: Ours SpA (OURS)": "?q=soto&amp;status__exact=registered&amp;work=review",
            "Search: soto": "?company=OURS&amp;status__exact=registered&amp;work=review",
        }
        assert chips(staff, GUIDES, manifest__id__exact=manifest.pk) == [(f"Manifest: {manifest.mawb}", "?")]
        linked = {"eta__gte": "2026-11-20T03:00:00+00:00", "voided_at__isnull": "True"}
        assert [text for text, _link in chips(staff, MANIFESTS, **linked)] == [
            "ETA: ≥ 20 Nov 03:00", "Voided at: No",
        ]  # fmt: skip
        assert chips(staff, GUIDES) == []


@pytest.mark.parametrize("counted", [5, 100], ids=["cut", "counted to its end"])
def test_guides_are_sorted_by_mawb_status_and_time(
    staff: Client, ours: Company, monkeypatch: pytest.MonkeyPatch, counted: int
) -> None:
    monkeypatch.setattr(read_only_admin, "COUNTED", counted)
    monkeypatch.setattr(GuideAdmin, "list_per_page", 3)
    for mawb in ("045-00000033", "045-00000011", "045-00000022"):
        bring(shipped(ours, 2, mawb=mawb).guides.earliest("pk"), "in_transit")
    response: Any = staff.get(GUIDES)
    names = list(response.context["cl"].list_display)
    for column, shown in (("manifest__mawb", "shown_mawb"), ("status", "shown_status"), ("pk", "shown_received")):
        values = dict(Guide.objects.values_list("pk", column))
        for sign in ("", "-"):
            pages = [listed(staff.get(GUIDES, {"o": f"{sign}{names.index(shown)}", "p": page})) for page in (1, 2)]
            found = [guide.pk for page in pages for guide in page]
            wanted = Guide.objects.order_by(f"{sign}{column}").values_list(column, flat=True)
            assert [values[pk] for pk in found] == list(wanted)
            assert len(set(found)) == 6
