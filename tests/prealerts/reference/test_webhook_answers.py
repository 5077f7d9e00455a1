"""The webhooks' endpoints answer what the document says: every success and every error of each."""

import json
import time
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from base.models import Bucket
from companies.models import Company
from prealerts.reference import document
from tests.conftest import Caller, make_caller
from tests.prealerts.reference import schema
from tests.webhooks.test_replays import span
from tests.webhooks.test_self_service import URL, ask, create
from webhooks.models import Delivery, State, Subscription
from webhooks.subscriptions import disable, register

pytestmark = pytest.mark.django_db

ROUTES: Mapping[str, tuple[str, str]] = {
    "listEventTypes": ("GET", "event-types"),
    "listSubscriptions": ("GET", "subscriptions"),
    "createSubscription": ("POST", "subscriptions"),
    "getSubscription": ("GET", "subscriptions/{subscription}"),
    "changeSubscription": ("PATCH", "subscriptions/{subscription}"),
    "deleteSubscription": ("DELETE", "subscriptions/{subscription}"),
    "rotateSecret": ("POST", "subscriptions/{subscription}/rotate-secret"),
    "sendTest": ("POST", "subscriptions/{subscription}/test"),
    "replayRange": ("POST", "subscriptions/{subscription}/replay"),
    "listDeliveries": ("GET", "deliveries"),
    "getDelivery": ("GET", "deliveries/{delivery}"),
    "replayDelivery": ("POST", "deliveries/{delivery}/replay"),
}
EXAMPLES = json.loads(document.EXAMPLES.read_text(encoding="utf-8"))
OK = {"createSubscription": 201, "deleteSubscription": 204, "sendTest": 202, "replayDelivery": 202}


def body_of(name: str) -> Any:
    """The document's own example of a request, with what it cannot know."""
    own = {"createSubscription": {"url": f"{URL}/new"}, "replayRange": span()}
    return {**EXAMPLES.get(name, {}).get("request", {}).get("example", {}), **own.get(name, {})} or None


def at(caller: Caller, name: str, body: Any = None, **names: str) -> Any:
    """Ask a route; what it speaks of is made first, unless it is named."""
    method, path = ROUTES[name]
    if "{" in path and not names:
        made = create(caller)
        sent = ask(caller, "POST", f"subscriptions/{made['id']}/test", {"type": "guide.delivered"})
        names = {"subscription": made["id"], "delivery": sent.json()["delivery_id"]}
        Delivery.objects.update(state=State.DEAD, finished_at=timezone.now(), error="timeout", attempts=10)
    return ask(caller, method, path.format(**names), body_of(name) if body is None else body)


def acme() -> Caller:
    return make_caller("ACME")


def sent_by_acme(name: str, body: object) -> Any:
    return at(acme(), name, body)


def of_version_1(name: str) -> Any:
    caller = acme()
    old, _secret = register(caller.company, URL, "s3cret-of-the-client")
    return at(caller, name, subscription=old.public_id)


def without_password(name: str) -> Any:
    caller = acme()
    caller.password = " "
    return at(caller, name, subscription="sub_1", delivery="evt_1")


def with_a_wrong_password(name: str) -> Any:
    caller = acme()
    caller.password = "pa_live_wrong"
    return at(caller, name, subscription="sub_1", delivery="evt_1")


def as_a_courier(name: str) -> Any:
    return at(make_caller("SWIFT", kind="courier"), name, subscription="sub_1", delivery="evt_1")


def at_another_host(name: str) -> Any:
    caller = acme()
    caller.client = Client(raise_request_exception=False, headers={"Host": "elsewhere.example"})
    return at(caller, name, subscription="sub_1", delivery="evt_1")


def of_nobody(name: str) -> Any:
    return at(acme(), name, subscription="sub_1", delivery="evt_ab181e27-c073-4611-aa57-081315d42970")


def twice(name: str) -> Any:
    caller = acme()
    at(caller, name)
    return at(caller, name)


def full() -> Caller:
    caller = acme()
    for number in range(10):
        create(caller, f"{URL}/{number}")
    return caller


def activated_beyond_the_limit() -> Any:
    caller = full()
    first = Subscription.objects.order_by("pk")[0]
    disable(first)
    create(caller, f"{URL}/one-more")
    return at(caller, "changeSubscription", {"is_active": True}, subscription=first.public_id)


def changed_into_another() -> Any:
    caller = acme()
    create(caller)
    return at(caller, "changeSubscription", {"url": URL}, subscription=create(caller, f"{URL}/2")["id"])


def asked_too_often() -> Any:
    caller = acme()
    made = create(caller)
    for _each in range(10):
        at(caller, "sendTest", subscription=made["id"])
    return at(caller, "sendTest", subscription=made["id"])


def at_its_limit(name: str) -> Any:
    caller = acme()
    names = {"subscription": create(caller)["id"], "delivery": "evt_ab181e27-c073-4611-aa57-081315d42970"}
    Company.objects.update(requests_per_second=1)
    Bucket.objects.create(kind="company", key=caller.company.pk, tokens=0, filled_at=time.time() + 1)
    return at(caller, name, **names)


def of_version_1_replayed() -> Any:
    caller = acme()
    register(caller.company, URL, "s3cret-of-the-client")
    create(caller, f"{URL}/2")
    sent = ask(caller, "POST", f"subscriptions/{Subscription.objects.get(version=2).public_id}/test").json()
    Delivery.objects.update(max_attempts=1)
    return at(caller, "replayDelivery", delivery=sent["delivery_id"])


def sent_twice() -> Any:
    caller = acme()
    made = create(caller)
    sent = ask(caller, "POST", f"subscriptions/{made['id']}/test").json()["delivery_id"]
    return at(caller, "replayDelivery", delivery=sent)


WITH_BODY = {name for name, (method, _path) in ROUTES.items() if method in {"POST", "PATCH"}}

ERRORS: Mapping[tuple[str, str], Callable[[], Any]] = {
    **{(name, "missing_api_key"): partial(without_password, name) for name in ROUTES},
    **{(name, "invalid_api_key"): partial(with_a_wrong_password, name) for name in ROUTES},
    **{(name, "forbidden"): partial(as_a_courier, name) for name in ROUTES},
    **{(name, "not_found"): partial(of_nobody, name) for name, (_m, path) in ROUTES.items() if "{" in path},
    **{(name, "invalid_body"): partial(sent_by_acme, name, b"[]") for name in WITH_BODY},
    **{(name, "validation_failed"): partial(sent_by_acme, name, {"colour": 1}) for name in WITH_BODY},
    ("createSubscription", "validation_failed"): lambda: sent_by_acme(
        "createSubscription", {"url": URL, "event_types": ["guide.lost"]}
    ),
    **{(name, "invalid_host"): partial(at_another_host, name) for name in ROUTES},
    ("listSubscriptions", "invalid_query"): lambda: ask(acme(), "GET", "subscriptions?limit=0"),
    ("listDeliveries", "invalid_query"): lambda: ask(acme(), "GET", "deliveries?limit=0"),
    **{
        (name, "subscription_managed_by_operators"): partial(of_version_1, name)
        for name in ("changeSubscription", "deleteSubscription", "rotateSecret", "sendTest")
    },
    ("createSubscription", "subscription_exists"): lambda: twice("createSubscription"),
    ("createSubscription", "subscription_limit"): lambda: at(full(), "createSubscription"),
    ("changeSubscription", "subscription_exists"): changed_into_another,
    ("changeSubscription", "subscription_limit"): activated_beyond_the_limit,
    **{(name, "rate_limited"): partial(at_its_limit, name) for name in ROUTES if name != "sendTest"},
    ("sendTest", "rate_limited"): asked_too_often,
    ("replayRange", "replay_not_available"): lambda: of_version_1("replayRange"),
    ("replayDelivery", "replay_not_available"): of_version_1_replayed,
    ("replayDelivery", "delivery_in_flight"): sent_twice,
}


@pytest.mark.parametrize(("name", "code"), sorted(ERRORS))
def test_an_error_is_as_documented(name: str, code: str) -> None:
    answer = ERRORS[name, code]()
    assert answer.json()["error"] == code
    schema.assert_documented(answer, example=code)


@pytest.mark.parametrize("name", ROUTES)
def test_a_success_is_as_documented(name: str) -> None:
    caller = acme()
    if name.startswith("list"):
        ask(caller, "POST", f"subscriptions/{create(caller)['id']}/test")
    answer = at(caller, name)
    assert answer.status_code == OK.get(name, 200)
    schema.assert_documented(answer, example="answer")


def test_no_documented_error_is_left_out_above() -> None:
    documented = {
        (operation["operationId"], code)
        for operation in schema.operations().values()
        for response in operation["responses"].values()
        for media in response.get("content", {}).values()
        for code, example in media.get("examples", {}).items()
        if example["value"].get("success") is False and operation["tags"] == ["Webhooks"]
    }
    of_ours = {"method_not_allowed", "internal_server_error", "unavailable"}  # tried with the other endpoints
    assert {(name, code) for name, code in documented if code not in of_ours} == set(ERRORS)
