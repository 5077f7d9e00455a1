"""Every list says which filters are set, and names only what its operator may see."""

import pytest
from django.test import Client
from django.urls import reverse

from companies.models import Company
from tests.companies.admin_pages import text_of
from tests.country_scope.operators import operator_of
from tests.factories import ClientFactory
from webhooks.subscriptions import register

pytestmark = pytest.mark.django_db


def test_deliveries_name_their_filters_in_words(admin_client: Client) -> None:
    company: Company = ClientFactory.create()
    subscription, _secret = register(company, "https://203.0.114.5/hook", "a-secret-of-its-own")
    query: dict[str, str] = {"subscription__id__exact": str(subscription.pk), "state__exact": "waiting"}
    page = text_of(admin_client.get(reverse("admin:webhooks_delivery_changelist"), query))
    assert f"<strong>{subscription}</strong>" in page
    assert "State: <strong>" in page
    assert "Remove all" in page
    page = text_of(admin_client.get(reverse("admin:companies_company_changelist"), {"is_active__exact": "1"}))
    assert "<strong>Yes</strong>" in page


def test_another_countrys_company_is_not_named(admin_client: Client) -> None:
    company: Company = ClientFactory.create(allowed_countries=["PE"])
    query = {"company__id__exact": company.pk}
    address = reverse("admin:webhooks_delivery_changelist")
    assert f"<strong>{company}</strong>" in text_of(admin_client.get(address, query))
    assert str(company) not in text_of(operator_of("CL").get(address, query))
