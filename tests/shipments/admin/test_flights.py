"""Flights by the destination's clock, with their MAWBs."""

import re
from datetime import UTC, datetime
from typing import Any

import pytest
from django.contrib.auth.models import Permission, User
from django.urls import reverse

from companies.models import Company
from shipments.models import Flight, Manifest
from tests.country_scope.operators import operator_of, text_of
from tests.factories import ClientFactory
from tests.shipments.shipping import bring, shipped

pytestmark = pytest.mark.django_db

LIST = reverse("admin:shipments_flight_changelist")
AT = datetime(2026, 11, 25, 11, 40, tzinfo=UTC)


def flown(company: Company, country: str, number: str = "LA2409") -> Manifest:
    manifest = shipped(company, 2, country=country)
    Flight.objects.filter(pk=manifest.flight_id).update(
        flight_number=number, scheduled_departure=AT, scheduled_arrival=AT
    )
    return manifest


def page_of(manifest: Manifest) -> str:
    return reverse("admin:shipments_flight_change", args=[manifest.flight_id])


@pytest.fixture
def lima() -> Manifest:
    return flown(ClientFactory.create(client_code="LIMA", allowed_countries=["CL", "PE"]), "PE")


def test_times_are_the_destinations_in_the_list_and_on_the_page(lima: Manifest) -> None:
    browser = operator_of()
    flown(ClientFactory.create(client_code="OTHER"), "CL", "LA500")
    page = text_of(browser.get(LIST))
    assert re.search("25 Nov( 2026)? 06:40(?! -)", page)
    assert re.search("25 Nov( 2026)? 08:40(?! -)", page)
    assert "Scheduled arrival, destination&#x27;s time" in page or "Scheduled arrival, destination's time" in page
    assert re.search("25 Nov( 2026)? 06:40(?! -)", text_of(browser.get(page_of(lima))))
    found = text_of(browser.post(reverse("search"), {"s": "LA2409"}))
    assert re.search("25 Nov( 2026)? 06:40 -05", found)


def test_a_flights_page_lists_its_mawbs_with_company_and_progress(lima: Manifest) -> None:
    bring(lima.guides.earliest("id"), "customs_processing")
    neighbours = flown(ClientFactory.create(client_code="THEIRS"), "PE")
    elsewhere = flown(ClientFactory.create(client_code="AWAY"), "CL")
    other = flown(ClientFactory.create(client_code="OTHER"), "PE", "LA1")
    page = text_of(operator_of("PE").get(page_of(lima)))
    for manifest, is_shown in ((lima, True), (neighbours, True), (elsewhere, False), (other, False)):
        link = reverse("admin:shipments_manifest_change", args=[manifest.pk])
        assert ((link in page), (manifest.company.client_code in page)) == (is_shown, is_shown)
    assert 'aria-label="Registered: 1, In customs: 1"' in page


def test_mawbs_need_the_permission_to_see_manifests(lima: Manifest) -> None:
    browser: Any = operator_of("PE")
    user = User.objects.get(username="camila")
    user.user_permissions.set(Permission.objects.filter(codename="view_flight"))
    page = text_of(browser.get(page_of(lima)))
    assert lima.mawb not in page
