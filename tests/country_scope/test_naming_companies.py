"""No form and no completion of the admin hands a company that ships elsewhere too to an operator of one country."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.apps import apps
from django.contrib.admin import site
from django.contrib.auth.models import User
from django.test import Client, RequestFactory
from django.urls import get_resolver, reverse

from companies.models import Company, OperatorProfile
from tests.country_scope.operators import operator_of, text_of
from tests.factories import ClientFactory, CourierFactory

pytestmark = pytest.mark.django_db

FILTERS = {("webhooks", "delivery", "company")}
"""Completed for a filter: it names whatever the operator sees, and hands nothing over."""


OF_ONE_COUNTRY = {"shipments.OutgoingLayout"}
"""Models whose rows are of a company in one country, which is the operator's: they take whoever ships there."""


def fields_that_name_a_company() -> Iterator[tuple[str, str, str]]:
    """(app, model, field) of every relation to a company, from either side."""
    for model in apps.get_models():
        for field in model._meta.get_fields(include_hidden=True):
            if field.related_model is Company or (model is Company and field.is_relation):
                yield model._meta.app_label, str(model._meta.model_name), field.name


get_resolver().url_patterns  # noqa: B018  # reading it is what registers the pages


@pytest.fixture
def own() -> Company:
    """A client that ships to Chile alone."""
    return ClientFactory.create(name="Propia", client_code="OWN", allowed_countries=["CL"])


def courier_of(*clients: Company) -> tuple[Company, str]:
    """A Chilean courier of these clients, and the address of its page."""
    courier: Any = CourierFactory.create(name="Ruta", client_code="RUTA", allowed_countries=["CL"], posts_for=clients)
    return courier, reverse("admin:companies_company_change", args=[courier.pk])


def form(*clients: Company, **fields: Any) -> dict[str, Any]:
    return {
        "name": "Ruta", "may_correct": "on", "allowed_countries": ["CL"], "tracking_prefix": "RUT",
        "posts_for": [client.pk for client in clients], **fields,
    }  # fmt: skip


def test_a_completion_offers_what_the_operator_governs(staff: Client, own: Company, both: Company) -> None:
    ClientFactory.create(allowed_countries=["PE"])
    walked = sorted(set(fields_that_name_a_company()))
    offering = set()
    for app, model, field in walked:
        asked = {"app_label": app, "model_name": model, "field_name": field}
        answer = staff.get(reverse("admin:autocomplete"), asked)
        if answer.status_code == 403:
            continue
        offering.add((app, model, field))
        offered = {one["id"] for one in answer.json()["results"]}
        is_wider = (app, model, field) in FILTERS or apps.get_model(app, model)._meta.label in OF_ONE_COUNTRY
        assert offered == ({str(own.pk), str(both.pk)} if is_wider else {str(own.pk)}), (model, field)
    assert {("companies", "company", "posts_for"), ("webhooks", "subscription", "company")} <= offering


@pytest.mark.parametrize("asked", [("companies", "company", "couriers"), ("shipments", "manifest", "company"),
                                   ("companies", "company", "name"), ("", "", ""), ("companies", "none", "posts_for"),
                                   ("companies", "operatorprofile", "user")])  # fmt: skip
def test_a_completion_that_no_form_has_is_refused(admin_client: Client, asked: tuple[str, str, str]) -> None:
    query = dict(zip(("app_label", "model_name", "field_name"), asked, strict=True))
    assert admin_client.get(reverse("admin:autocomplete"), query).status_code == 403
    assert admin_client.get(reverse("admin:autocomplete")).status_code == 403


def test_a_completion_asks_for_a_permission_on_its_form(own: Company) -> None:
    asked = {"app_label": "companies", "model_name": "company", "field_name": "posts_for"}
    address = reverse("admin:autocomplete")
    assert operator_of("CL", role="Read-only").get(address, asked).status_code == 403
    offered = operator_of("CL", username="olga", role="Onboarding").get(address, asked).json()["results"]
    assert [one["id"] for one in offered] == [str(own.pk)]


def test_a_form_takes_what_the_operator_governs(own: Company, both: Company) -> None:
    request = RequestFactory().get("/")
    operator_of("CL")
    request.user = User.objects.get(username="camila")
    for model, admin in site._registry.items():
        opened = [row for row in model._default_manager.all() if admin.has_change_permission(request, row)]
        for row in [None, *opened] if admin.has_add_permission(request) else opened:
            for field in admin.get_form(request, row, change=row is not None).base_fields.values():
                queryset = getattr(field, "queryset", None)
                if queryset is not None and queryset.model is Company:
                    assert own in queryset, model
                    assert (both in queryset) is (model._meta.label in OF_ONE_COUNTRY), model


@pytest.mark.parametrize("role", ["Onboarding", None])
def test_no_courier_is_onboarded_for_a_client_that_ships_elsewhere_too(
    own: Company, both: Company, role: str | None
) -> None:
    staff = operator_of("CL", role=role)
    for countries in ([], ["CL"]):
        sent = form(both, client_code="RUTA", kind="courier", allowed_countries=countries)
        answer: Any = staff.post(reverse("admin:companies_company_add"), sent)
        assert set(answer.context["adminform"].form.errors) == {"posts_for"}
    assert not Company.objects.filter(kind="courier").exists()
    sent = form(own, client_code="RUTA", kind="courier")
    assert "pa_live_" in text_of(staff.post(reverse("admin:companies_company_add"), sent, follow=True))


def test_no_courier_is_linked_to_a_client_that_ships_elsewhere_too(staff: Client, own: Company, both: Company) -> None:
    courier, page = courier_of(own)
    answer: Any = staff.post(page, form(own, both))
    assert set(answer.context["adminform"].form.errors) == {"posts_for"}
    assert list(courier.posts_for.all()) == [own]
    assert f'value="{both.pk}"' not in text_of(staff.get(f"{page}?posts_for={both.pk}"))


def test_a_link_that_is_there_and_not_the_operators_to_choose_stays(staff: Client, own: Company) -> None:
    nowhere = ClientFactory.create(name="Sin destino", client_code="NONE", allowed_countries=[])
    courier, page = courier_of(own, nowhere)
    assert "Sin destino" not in text_of(staff.get(page))
    other = ClientFactory.create(allowed_countries=["CL"])
    assert staff.post(page, form(other, name="Otra ruta")).status_code == 302
    assert set(courier.posts_for.all()) == {other, nowhere}
    courier.refresh_from_db()
    assert courier.name == "Otra ruta"


def test_a_courier_of_a_client_that_ships_elsewhere_too_is_read_and_left_alone(
    staff: Client, own: Company, both: Company
) -> None:
    abroad = ClientFactory.create(name="Lejana SAC", client_code="LEJANA", allowed_countries=["PE"])
    courier, page = courier_of(own, both, abroad)
    before = Company.objects.filter(pk=courier.pk).values().get()
    text = text_of(staff.get(page))
    assert "Propia" in text
    assert "LEJANA" not in text
    assert staff.post(page, form(own)).status_code == 403
    for name in ("rotate_api_password", "deactivate", "activate"):
        address = reverse(f"admin:companies_company_{name}", args=[courier.pk])
        assert staff.get(address).status_code == 403
        assert staff.post(address, {"step": "run"}).status_code == 403
    assert "pa_live_" not in text_of(staff.get(reverse("admin:companies_company_api_password", args=[courier.pk])))
    subscription = {"company": courier.pk, "url": "https://203.0.114.5/mine", "secret": "x" * 20}
    assert "Select a valid choice" in text_of(staff.post(reverse("admin:webhooks_subscription_add"), subscription))
    assert set(courier.posts_for.all()) == {own, both, abroad}
    assert Company.objects.filter(pk=courier.pk).values().get() == before


def test_a_client_does_not_become_a_courier_nor_ship_further(staff: Client, own: Company, both: Company) -> None:
    page = reverse("admin:companies_company_change", args=[own.pk])
    staff.post(page, form(both, kind="courier", allowed_countries=["CL"]))
    refused: Any = staff.post(page, form(allowed_countries=["CL", "PE"]))
    assert set(refused.context["adminform"].form.errors) == {"allowed_countries"}
    own.refresh_from_db()
    assert (own.kind, own.allowed_countries, list(own.posts_for.all())) == ("client", ["CL"], [])


def test_whoever_sees_every_country_links_any_client(both: Company) -> None:
    user = User.objects.create_superuser("chief")
    OperatorProfile.objects.create(user=user, countries=["CL"])
    browser = Client()
    browser.force_login(user)
    courier, page = courier_of()
    assert browser.post(page, form(both)).status_code == 302
    assert list(courier.posts_for.all()) == [both]


@pytest.mark.parametrize("name", [
    "enter-manifest", "reports", "admin:shipments_layout_sample", "admin:shipments_outgoinglayout_add",
])  # fmt: skip
def test_a_page_finds_its_company_by_typing_and_lists_none(admin_client: Client, own: Company, name: str) -> None:
    page = admin_client.get(reverse(name)).content.decode()
    assert "/admin/autocomplete/" in page
    assert own.name not in page


def test_the_completion_is_at_the_address_that_the_forms_ask() -> None:
    match = get_resolver().resolve(reverse("admin:autocomplete"))
    assert match.url_name == "autocomplete"
    assert not match.namespaces
