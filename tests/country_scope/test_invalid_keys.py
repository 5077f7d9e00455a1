"""Fields and filters that refer to rows, given no key: a form error or a refusal, wherever the admin has them."""

from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import pytest
from django.contrib.admin import site
from django.contrib.auth.models import Group, User
from django.template.response import TemplateResponse
from django.test import Client, RequestFactory
from django.urls import get_resolver, reverse

from companies.models import Company, OperatorAccess
from shipments.models import Carrier, Guide, OutgoingLayout
from tests.country_scope.operators import rows_of, undone
from tests.factories import ClientFactory
from webhooks.models import Subscription

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("plain_refusals")]

get_resolver().url_patterns  # noqa: B018  # reading it is what registers the pages
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


def test_a_field_of_a_form_that_is_given_no_key_is_an_error_of_the_form(
    browser: Client, admin_user: User, home: Guide, courier: Company
) -> None:
    request = RequestFactory().get("/")
    request.user = admin_user
    rows_of(home, courier)
    Group.objects.create(name="Ana's")

    def answers() -> Iterator[tuple[str, Any]]:
        for model in FORMS:
            form: Any = site._registry[model].get_form(request)
            for address in (page(model, "add"), *(page(model, "change", row.pk) for row in model.objects.all()[:1])):
                for value in ("abc", "9" * 30):
                    with undone():
                        yield f"{address} {value}", browser.post(address, dict.fromkeys(form.base_fields, value))

    assert broken(answers()) == {}


def test_no_other_model_has_a_form_that_refers_to_rows(admin_user: User) -> None:
    """Their forms would belong above."""
    request = RequestFactory().get("/")
    request.user = admin_user
    others = [each for model, each in site._registry.items() if model not in FORMS]
    assert [each for each in others if each.has_add_permission(request) or each.get_autocomplete_fields(request)] == []


def test_a_filter_that_is_given_no_key_is_refused(browser: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(TemplateResponse, "render", without_the_page)

    def answers() -> Iterator[tuple[str, Any]]:
        for model in site._registry:
            response: Any = browser.get(page(model, "changelist"))
            filters = response.context_data["cl"].filter_specs
            for name in sorted({name for one in filters for name in one.expected_parameters()}):
                for value in NO_KEYS[:4]:
                    query = f"{page(model, 'changelist')}?{name}={quote(value)}"
                    yield query, browser.get(query)

    assert broken(answers()) == {}


def without_the_page(response: Any) -> Any:
    """Work out a list, its filters and their choices, and leave out the page around them, which takes most time."""
    changelist = response.resolve_context(response.context_data)["cl"]
    for one in changelist.filter_specs:
        list(one.choices(changelist))
    list(changelist.result_list)
    response.content = b""
    return response


def test_what_completes_a_field_answers_any_term_and_page(browser: Client) -> None:
    def answers() -> Iterator[tuple[str, Any]]:
        for app, model, field in (
            ("webhooks", "subscription", "company"),
            ("webhooks", "delivery", "subscription"),
            ("companies", "company", "posts_for"),
        ):
            known = {"app_label": app, "model_name": model, "field_name": field}
            assert browser.get("/admin/autocomplete/", known).status_code == 200
            for name in ("term", "page", "forward", *(known if field == "company" else ())):
                for value in [*NO_KEYS, "", "x" * 3000, "%", "0", "999"]:
                    yield f"{field} {name}={value[:20]}", browser.get("/admin/autocomplete/", known | {name: value})

    assert broken(answers()) == {}


def test_no_address_of_a_row_fails_at_a_field_to_find_it_by(browser: Client) -> None:
    asked = (
        f"{page(model, name, 'x')}?_to_field=" for model in site._registry for name in ("change", "delete", "history")
    )
    assert not broken((address, browser.get(address)) for address in asked)
