"""What operators of one country see of the log of a company that ships to others too."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from companies.models import Company
from shipments.models import Guide
from tests.country_scope.operators import URL, operator_of, text_of
from tests.factories import CourierFactory
from tests.shipments.shipping import shipped, tell
from webhooks.models import Delivery
from webhooks.outbox import send_test
from webhooks.subscriptions import register

pytestmark = pytest.mark.django_db


class TestOfACompanyThatShipsElsewhereToo:
    """Its deliveries are seen country by country."""

    @pytest.fixture
    def reported(self, both: Company, home: Guide, abroad: Guide) -> dict[str, Delivery]:
        """One delivery about a Chilean guide, one about a Peruvian one, one that concerns the whole company."""
        subscription, _secret = register(both, URL)
        tell(home, "customs_processing")
        tell(abroad, "customs_processing")
        send_test(subscription, "A test.")
        codes = {home.tracking_code: "CL", abroad.tracking_code: "PE", "": "both"}
        return {codes[delivery.subject]: delivery for delivery in Delivery.objects.all()}

    def listed(self, browser: Client, **query: str) -> list[Any]:
        response: Any = browser.get(reverse("admin:webhooks_delivery_changelist"), query)
        return list(response.context["cl"].result_list)

    def test_an_operator_sees_ones_own_countrys(self, reported: dict[str, Delivery]) -> None:
        assert self.listed(operator_of("CL")) == [reported["CL"]]
        assert self.listed(operator_of("PE", username="rosa")) == [reported["PE"]]
        assert self.listed(operator_of("AR", username="ines")) == []

    def test_what_concerns_the_whole_company_is_for_those_who_see_all_of_it(
        self, reported: dict[str, Delivery]
    ) -> None:
        assert set(self.listed(operator_of("CL", "PE"))) == set(reported.values())
        assert set(self.listed(operator_of("CL", "AR", username="ines"))) == {reported["CL"]}

    def test_a_page_shows_the_delivery_and_not_the_endpoint(self, reported: dict[str, Delivery]) -> None:
        staff = operator_of("CL")
        page = text_of(staff.get(reverse("admin:webhooks_delivery_change", args=[reported["CL"].pk])))
        assert reported["CL"].subject in page
        assert "also receives events of other countries" in page
        assert URL not in page
        for country in ("PE", "both"):
            assert staff.get(reverse("admin:webhooks_delivery_change", args=[reported[country].pk])).status_code == 404

    @pytest.mark.parametrize("asked", ["subject", "delivery_id"])
    def test_no_search_finds_the_others(self, reported: dict[str, Delivery], asked: str) -> None:
        staff = operator_of("CL")
        assert self.listed(staff, q=getattr(reported["CL"], asked)) == [reported["CL"]]
        assert self.listed(staff, q=getattr(reported["PE"], asked)) == []

    @pytest.mark.parametrize("query", [{"countries": "PE"}, {"countries__exact": "PE"}, {"countries__contains": "P"}])
    def test_no_filter_brings_them_in(self, reported: dict[str, Delivery], query: dict[str, str]) -> None:
        response = operator_of("CL").get(reverse("admin:webhooks_delivery_changelist"), query, follow=True)
        assert response.status_code == 400
        assert reported["PE"].subject not in response.content.decode()

    def test_a_subscription_that_one_may_not_see_filters_as_one_that_does_not_exist(
        self, reported: dict[str, Delivery]
    ) -> None:
        endpoint = {"subscription__id__exact": str(reported["CL"].subscription_id)}
        assert self.listed(operator_of("CL"), **endpoint) == []
        assert set(self.listed(operator_of("CL", "PE", username="rosa"), **endpoint)) == set(reported.values())

    def test_that_others_wait_is_not_reported(self, reported: dict[str, Delivery]) -> None:
        staff = operator_of("CL")
        hour_ago = reported["PE"].created_at - timedelta(hours=1)
        for country, is_reported in (("PE", False), ("CL", True)):
            Delivery.objects.filter(pk=reported[country].pk).update(created_at=hour_ago)
            page = text_of(staff.get(reverse("admin:webhooks_delivery_changelist")))
            assert ("sending has probably stopped" in page) is is_reported

    def test_a_country_that_is_given_up_takes_its_deliveries_along(
        self, both: Company, reported: dict[str, Delivery]
    ) -> None:
        Company.objects.filter(pk=both.pk).update(allowed_countries=["CL"])
        assert self.listed(operator_of("CL")) == [reported["CL"]]

    def test_a_pre_alert_is_reported_to_its_country(self, both: Company) -> None:
        register(both, URL)
        shipped(both, 1, country="PE")
        assert self.listed(operator_of("CL")) == []
        (seen,) = self.listed(operator_of("PE", username="rosa"))
        assert seen.event_type == "pre_alert.ingested"


def test_a_couriers_test_is_seen_by_those_who_see_all_that_it_posts_for(both: Company) -> None:
    courier = CourierFactory.create(allowed_countries=[], posts_for=[both])
    delivery = send_test(register(courier, URL)[0], "A test.")
    assert delivery.countries == "CL,PE"
