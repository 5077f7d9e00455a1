"""Lists, searches, filters, choices, the start page and exports name nothing of another country."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from shipments.models import Guide, Manifest
from tests.country_scope.operators import PERUVIAN, URL, rows_of, text_of
from tests.factories import ClientFactory
from tests.shipments.shipping import tell
from webhooks.subscriptions import register

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("searched", ["QUISPE", "mawb", "code", "hawb"])
def test_a_search_finds_nothing_abroad(staff: Client, home: Guide, abroad: Guide, searched: str) -> None:
    Guide.objects.filter(pk=abroad.pk).update(hawb="ABROAD1")
    words = {"mawb": abroad.manifest.mawb, "code": abroad.tracking_code, "hawb": "ABROAD1"}
    response: Any = staff.get(reverse("admin:shipments_guide_changelist"), {"q": words.get(searched, searched)})
    assert list(response.context["cl"].result_list) == []
    response = staff.get(reverse("admin:shipments_guide_changelist"), {"q": home.tracking_code})
    assert list(response.context["cl"].result_list) == [home]


@pytest.mark.parametrize("query", [{"country": "PE"}, {"company": "BOTH"}, {"manifest__id__exact": "abroad"}])
def test_a_filter_brings_nothing_in(staff: Client, home: Guide, abroad: Guide, query: dict[str, str]) -> None:
    query = {name: str(abroad.manifest_id) if value == "abroad" else value for name, value in query.items()}
    response: Any = staff.get(reverse("admin:shipments_guide_changelist"), query)
    assert {guide.manifest.country for guide in response.context["cl"].result_list} <= {"CL"}
    assert PERUVIAN not in text_of(response)
    assert home.manifest.country == "CL"


@pytest.mark.parametrize("page", ["guide", "manifest"])
def test_a_country_that_one_may_not_see_filters_as_one_that_does_not_exist(
    staff: Client, home: Guide, abroad: Guide, page: str
) -> None:
    address = reverse(f"admin:shipments_{page}_changelist")
    listed = {
        country: bool(staff.get(address, {"country": country}).context["cl"].result_list)
        for country in (home.manifest.country, abroad.manifest.country, "XX")
    }
    assert listed == {"CL": True, "PE": False, "XX": False}


@pytest.mark.parametrize("field", ["company", "subscription"])
def test_a_filter_of_the_log_does_not_name_what_it_may_not_show(staff: Client, abroad: Guide, field: str) -> None:
    company = ClientFactory.create(name="Lejana SAC", allowed_countries=["PE"])
    theirs = rows_of(abroad, company)
    key = {"company": company, "subscription": theirs["webhooks_subscription"]}[field].pk
    page = text_of(staff.get(reverse("admin:webhooks_delivery_changelist"), {f"{field}__id__exact": key}))
    assert "Lejana" not in page
    assert URL not in page


def test_autocompletion_offers_no_subscription_from_abroad(staff: Client) -> None:
    for country in ("CL", "PE"):
        register(ClientFactory.create(name=f"In {country}", allowed_countries=[country]), f"{URL}/{country}")
    wanted = {"app_label": "webhooks", "model_name": "delivery", "field_name": "subscription"}
    (offered,) = staff.get(reverse("admin:autocomplete"), wanted).json()["results"]
    assert "CL" in offered["text"]


def test_the_start_page_counts_and_plots_ones_own_country(staff: Client, home: Guide, abroad: Guide) -> None:
    for guide in (home, abroad):
        tell(guide, "customs_held", occurred_at=timezone.now() - timedelta(days=3))
        Guide.objects.filter(pk=guide.pk).update(needs_review=True, retention_required=True)
    context: Any = staff.get(reverse("admin:index")).context
    figures = {str(each.title): each.figure.count for each in context["headlines"]}
    assert {figures[name] for name in ("In exception", "In customs over 48 hours", "To review")} == {1}
    assert context["uploads"]["mawbs"].count == 1
    assert [each["country"] for day in ("today", "tomorrow") for each in context[day].destinations] in ([], ["Chile"])


def test_an_arrival_abroad_is_not_on_the_start_page(staff: Client, home: Guide, abroad: Guide) -> None:
    Manifest.objects.filter(pk__in=[home.manifest_id, abroad.manifest_id]).update(eta=timezone.now())
    page = text_of(staff.get(reverse("admin:index")))
    assert home.manifest.mawb in page
    assert abroad.manifest.mawb not in page


def test_an_export_leaves_other_countries_out(staff: Client, home: Guide, abroad: Guide) -> None:
    content = text_of(staff.get(reverse("admin:shipments_guide_export_csv")))
    assert home.tracking_code in content
    assert abroad.tracking_code not in content


def test_an_export_of_ticked_guides_leaves_other_countries_out(staff: Client, home: Guide, abroad: Guide) -> None:
    data = {"action": "export_ticked_as_csv", "_selected_action": [home.pk, abroad.pk]}
    content = text_of(staff.post(reverse("admin:shipments_guide_changelist"), data))
    assert home.tracking_code in content
    assert abroad.tracking_code not in content
