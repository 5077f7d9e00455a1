"""Every list of the admin allows the lookups of its own filters and refuses others, without a 500."""

import re
from collections.abc import Iterator
from contextlib import suppress
from itertools import product
from typing import Any
from urllib.parse import quote

import pytest
from django.contrib.admin import site
from django.contrib.admin.exceptions import DisallowedModelAdminLookup, DisallowedModelAdminToField
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import User
from django.contrib.sessions.backends.db import SessionStore
from django.core.exceptions import BadRequest
from django.core.handlers.wsgi import WSGIRequest
from django.http import QueryDict
from django.test import Client, RequestFactory
from django.urls import get_resolver, reverse

from base.admin.scoped_admin import StrictAdmin
from companies.models import Company
from tests.factories import ClientFactory
from tests.shipments.shipping import shipped
from webhooks.outbox import send_test
from webhooks.subscriptions import register

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("rows")]

get_resolver().url_patterns  # noqa: B018  # reading it is what registers the pages
MODELS = list(site._registry)
LOOKUPS = ["startswith", "range", "no_such_lookup"]
BAD_VALUES = [
    "99999999999", "9" * 30, "9" * 5000, "(", "", "²", "\0", "0001-01-01",
    "9999-12-31T23:59:59-12:00", "0001-01-01T00:00:00+14:00",
]  # fmt: skip
BAD_PLACES = [
    "p=0", "p=-1", f"p={'9' * 30}", f"p={'9' * 5000}", "p=abc", "o=99.-0.--1..x", f"o={'9' * 30}", f"o=-{'9' * 5000}",
    "all=x", "_facets=x", "_popup=1", "_to_field=id", "_to_field=created_at",
]  # fmt: skip


def list_of(model: Any) -> str:
    return reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist")


@pytest.fixture
def rows() -> Company:
    """Something in each list of the trade."""
    company = ClientFactory.create(client_code="ACME")
    User.objects.create_user("olga", is_staff=True)  # with one user alone, no list is filtered by users
    shipped(company, 2)
    send_test(register(company, "https://203.0.114.5/hook")[0], "A test.")
    return company


def parameters_of(browser: Client, model: Any) -> set[str]:
    """What the list's filters and the pages that link to it ask by."""
    response: Any = browser.get(list_of(model))
    filters = response.context_data["cl"].filter_specs
    offered = {name for one in filters for name in one.expected_parameters()}
    lists: Any = site._registry[model]
    return offered | set(lists.linked_lookups)


def foreign_lookups(model: Any, own: set[str]) -> Iterator[str]:
    """Look-ups of each column of the model and of what it refers to, one step on."""
    for field in model._meta.get_fields():
        names = [field.name]
        if field.is_relation and field.related_model:
            names += [f"{field.name}__{one.name}" for one in field.related_model._meta.concrete_fields]
        for name in names:
            for lookup in ("", *(f"__{one}" for one in LOOKUPS)):
                if f"{name}{lookup}" not in own:
                    yield f"{name}{lookup}"


def test_every_list_is_one_that_knows_its_look_ups() -> None:
    assert len(MODELS) >= 11
    assert [model for model in MODELS if not isinstance(site._registry[model], StrictAdmin)] == []


@pytest.fixture
def list_request(admin_user: User) -> WSGIRequest:
    """A request for a list, without its page: the middleware and the templates take five times as long as the list."""
    request = RequestFactory().get("/")
    request.user = admin_user
    request.session = SessionStore()
    return request


REFUSALS = (BadRequest, DisallowedModelAdminLookup, DisallowedModelAdminToField)


@pytest.mark.parametrize("model", MODELS, ids=[model._meta.label for model in MODELS])
def test_no_list_answers_a_look_up_that_it_does_not_offer(
    admin_client: Client, list_request: WSGIRequest, model: Any
) -> None:
    own = parameters_of(admin_client, model)
    for name in [*foreign_lookups(model, own), "e", "no_such_column", "pk", "pk__in", "__", "id__id"]:
        if name not in own:
            list_request.GET = QueryDict(f"{name}=1")
            with pytest.raises(REFUSALS):
                site._registry[model].get_changelist_instance(list_request)


@pytest.mark.parametrize("model", MODELS, ids=[model._meta.label for model in MODELS])
def test_each_value_of_any_look_up_and_each_place_in_a_list_is_answered_or_refused(
    admin_client: Client, list_request: WSGIRequest, model: Any
) -> None:
    values = product(sorted(parameters_of(admin_client, model)), BAD_VALUES)
    for query in [*(f"{name}={quote(value)}" for name, value in values), *BAD_PLACES]:
        list_request.GET = QueryDict(query)
        with suppress(*REFUSALS):  # anything else would be an internal error
            changes: Any = site._registry[model].get_changelist_instance(list_request)
            for spec in changes.filter_specs:
                list(spec.choices(changes))
            assert len(list(changes.result_list)) <= changes.result_count  # which an uncounted list does not know
    for search in ("q=%00%ff(", f"q={'a+' * 1500}"):
        assert admin_client.get(f"{list_of(model)}?o=99.-0.--1..x&_facets=x&{search}").status_code in {200, 400}


@pytest.mark.parametrize(
    ("page", "query"),
    [
        ("auth/user", "password__startswith=pbkdf2"),
        ("shipments/guide", "manifest__company__api_password_digest__startswith=a"),
        ("shipments/guide", "created_at__year=99999999999"),
        ("shipments/guide", "e=1"),
    ],
)
def test_what_a_review_got_through_is_refused(admin_client: Client, page: str, query: str) -> None:
    assert admin_client.get(f"/admin/{page}/?{query}").status_code == 400


def test_the_exports_take_no_other_look_ups_than_the_list(admin_client: Client) -> None:
    for ending in ("csv", "xlsx"):
        address = reverse(f"admin:shipments_guide_export_{ending}")
        assert admin_client.get(address, {"consignee_name__startswith": "Soto"}).status_code == 400
    assert not LogEntry.objects.filter(change_message__contains="Soto").exists()


def test_a_refusal_keeps_the_frame_of_the_admin_and_says_why(admin_client: Client) -> None:
    for query in ("api_password_digest__startswith=a", "kind__isnull=2&is_active__exact=x"):
        page = admin_client.get(f"/admin/companies/company/?{query}").content.decode()
        assert "The list cannot be shown" in page
        assert f'href="{reverse("admin:webhooks_subscription_changelist")}"' in page  # the sidebar


@pytest.mark.parametrize("query", ["sealed_secret__startswith=gAAAAword", "is_active__exact=gAAAAword", "p=gAAAAword"])
def test_no_log_holds_what_a_list_was_asked(
    admin_client: Client, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture, query: str
) -> None:
    admin_client.get(f"/admin/webhooks/subscription/?{query}")
    told = "".join(capfd.readouterr()) + caplog.text
    assert "admin/webhooks/subscription/" in told
    assert "gAAAAword" not in told
    assert "sealed_secret" not in told


@pytest.mark.parametrize("model", MODELS, ids=[model._meta.label for model in MODELS])
def test_no_ticked_row_causes_an_internal_error(admin_client: Client, list_request: WSGIRequest, model: Any) -> None:
    for action, selected in product(site._registry[model].get_actions(list_request) or ["none"], ["abc", "9" * 30]):
        sent = {"action": action, "_selected_action": [selected], "index": "0"}
        response: Any = admin_client.post(list_of(model), sent)
        if response.streaming:
            response.getvalue()  # which closes an export's file
        assert response.status_code in {200, 302, 400, 403}


def test_no_form_is_filled_in_from_its_address(admin_client: Client) -> None:
    user = User.objects.get(username="admin")
    query = f"posts_for=abc&company={'9' * 30}&groups=abc&name=Given"
    for page in ("companies/company/add", "webhooks/subscription/add", "auth/user/add", f"auth/user/{user.pk}/change"):
        response = admin_client.get(f"/admin/{page}/?{query}")
        assert response.status_code == 200
        assert "Given" not in response.content.decode()


def test_the_start_page_links_to_look_ups_that_its_lists_take(admin_client: Client) -> None:
    page = admin_client.get(reverse("admin:index")).content.decode().replace("&amp;", "&")
    links = re.findall(r'href="(/admin/[a-z]+/[a-z]+/\?[^"]+)"', page)
    of_each_kind = {re.sub("=[^&]*", "", link): link for link in links}.values()
    assert of_each_kind
    assert [link for link in of_each_kind if admin_client.get(link).status_code != 200] == []
