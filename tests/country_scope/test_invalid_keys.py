"""Fields and filters that refer to rows, given no key: a form error or a refusal, wherever the admin has them."""

from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import pytest
from django.contrib.admin import site
from django.contrib.auth.models import Group, User
from django.test import Client, RequestFactory
from django.urls import get_resolver, reverse

from companies.models import Company, OperatorAccess
from shipments.models import Carrier, Guide, OutgoingLayout
from tests.country_scope.operators import rows_of
from tests.factories import ClientFactory
from webhooks.models import Subscription

pytestmark = pytest.mark.django_db

get_resolver().url_patterns  # noqa: B018  # reading it is what registers the pages
MODELS = [pytest.param(model, id=model._meta.label) for model in site._registry]
FORMS: list[Any] = [Carrier, Company, Subscription, User, Group, OperatorAccess, OutgoingLayout]
NO_KEYS = ["abc", "1.5", "-1", "9" * 30, "²", "1,2", "None", "\x00", "0x1"]


def page(model: Any, name: str, *arguments: object) -> str:
    return reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_{name}", args=arguments)


def broken(answers: Iterator[tuple[str, Any]]) -> dict[str, int]:
    return {asked: answer.status_code for asked, answer in answers if answer.status_code >= 500}


@pytest.fixture
def courier() -> Company:
    return ClientFactory.create(kind="courier", allowed_countries=[])


@pytest.fixture
def browser(admin_client: Client) -> Client:
    admin_client.raise_request_exception = False
    return admin_client


@pytest.mark.parametrize("model", FORMS)
def test_a_field_of_a_form_that_is_given_no_key_is_an_error_of_the_form(
    browser: Client, admin_user: User, home: Guide, courier: Company, model: Any
) -> None:
    admin = site._registry[model]
    request = RequestFactory().get("/")
    request.user = admin_user
    rows_of(home, courier)
    Group.objects.create(name="Ana's")
    pages = [page(model, "add"), *(page(model, "change", row.pk) for row in model.objects.all())]
    form: Any = admin.get_form(request)

    def answers() -> Iterator[tuple[str, Any]]:
        for address in pages:
            for value in ("abc", "9" * 30):
                everywhere = dict.fromkeys(form.base_fields, value)
                yield f"{address} {value}", browser.post(address, everywhere)

    assert broken(answers()) == {}


def test_no_other_model_has_a_form_that_refers_to_rows(admin_user: User) -> None:
    """Their forms would belong above."""
    request = RequestFactory().get("/")
    request.user = admin_user
    others = [each for model, each in site._registry.items() if model not in FORMS]
    assert [each for each in others if each.has_add_permission(request) or each.get_autocomplete_fields(request)] == []


@pytest.mark.parametrize("model", MODELS)
def test_a_filter_that_is_given_no_key_is_refused(browser: Client, model: Any) -> None:
    response: Any = browser.get(page(model, "changelist"))
    filters = response.context_data["cl"].filter_specs
    names = sorted({name for one in filters for name in one.expected_parameters()})

    def answers() -> Iterator[tuple[str, Any]]:
        for name in names:
            for value in NO_KEYS[:4]:
                query = f"{name}={quote(value)}"
                yield query, browser.get(f"{page(model, 'changelist')}?{query}")

    assert broken(answers()) == {}


@pytest.mark.parametrize("field", ["company", "subscription", "posts_for"])
def test_what_completes_a_field_answers_any_term_and_page(browser: Client, field: str) -> None:
    of = {"company": "subscription", "subscription": "delivery", "posts_for": "company"}[field]
    known = {"app_label": "companies" if of == "company" else "webhooks", "model_name": of, "field_name": field}

    def answers() -> Iterator[tuple[str, Any]]:
        yield "known", browser.get("/admin/autocomplete/", known)
        for name in (*known, "term", "page", "forward"):
            for value in [*NO_KEYS, "", "x" * 3000, "%", "0", "999"]:
                yield f"{name}={value[:20]}", browser.get("/admin/autocomplete/", known | {name: value})

    found = dict(answers())
    assert found["known"].status_code == 200
    assert broken(iter(found.items())) == {}


@pytest.mark.parametrize("model", MODELS)
def test_no_address_of_a_row_fails_at_a_field_to_find_it_by(browser: Client, model: Any) -> None:
    asked = (f"{page(model, name, 'x')}?_to_field=" for name in ("change", "delete", "history"))
    assert not broken((address, browser.get(address)) for address in asked)
