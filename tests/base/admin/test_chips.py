"""Every list says which filters are set; tests/country_scope/test_lists.py, that it names nothing from abroad."""

import pytest
from django.test import Client
from django.urls import reverse

from companies.models import Company
from tests.companies.admin_pages import text_of
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
