"""Clients' own webhooks by API: what they may do, what they are shown, and what is another company's."""

import json
from base64 import b64decode, b64encode
from typing import Any
from uuid import UUID

import pytest
from django.test import Client

from tests.conftest import BASE, Caller
from tests.webhooks.conftest import subscribe
from webhooks import subscriptions
from webhooks.events import EventType
from webhooks.models import Delivery, Subscription
from webhooks.v1 import self_service
from webhooks.verdicts import Failure

pytestmark = pytest.mark.django_db

URL = "https://8.8.8.8/hooks"


def ask(caller: Caller, method: str, path: str, body: object = None, **query: object) -> Any:
    content = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
    return caller.client.generic(
        method, f"{BASE}/webhooks/{path}", content, "application/json", headers=caller.headers, query_params=query
    )


def create(caller: Caller, url: str = URL, **fields: object) -> Any:
    answer = ask(caller, "POST", "subscriptions", {"url": url, **fields})
    assert answer.status_code == 201, answer.content
    return answer.json()


def refused(answer: Any, status: int, code: str) -> Any:
    assert (answer.status_code, answer.json()["error"]) == (status, code), answer.content
    return answer.json()


class TestSubscriptions:
    def test_one_is_made_with_a_secret_that_is_shown_this_once(self, acme: Caller) -> None:
        made = create(acme, event_types=["guide.delivered", "guide.exception"], countries=["CL"], description="ERP")
        assert made["success"] is True
        assert made["version"] == "v2"
        assert (made["event_types"], made["countries"]) == (["guide.delivered", "guide.exception"], ["CL"])
        assert len(b64decode(made["secret"].removeprefix("whsec_"), validate=True)) == 32
        seen = ask(acme, "GET", f"subscriptions/{made['id']}/").json()
        assert "secret" not in seen
        assert seen == {key: value for key, value in made.items() if key not in {"success", "secret"}}
        listed = ask(acme, "GET", "subscriptions").json()
        assert listed == {"subscriptions": [seen], "next_cursor": None}

    def test_a_name_of_the_inside_is_answered_like_one_that_does_not_exist(
        self, acme: Caller, monkeypatch: Any
    ) -> None:
        found: list[Any] = []
        monkeypatch.setattr("webhooks.destinations.socket.getaddrinfo", lambda *_args, **_options: found)
        unknown = create(acme, "https://db1.acme.cl/")
        found.append((2, 1, 6, "", ("10.1.2.3", 443)))
        inside = create(acme, "https://db2.acme.cl/")
        assert "does not resolve" in unknown["warning"]
        assert inside["warning"] == unknown["warning"]
        for name, error in ((unknown["id"], Failure.DNS), (inside["id"], Failure.ADDRESS_REFUSED)):
            ask(acme, "POST", f"subscriptions/{name}/test")
            Delivery.objects.filter(subscription__uuid=name.removeprefix("sub_")).update(error=error)
        one, other = ask(acme, "GET", "deliveries").json()["deliveries"]
        assert (one["error"], one["reason"]) == (other["error"], other["reason"])

    @pytest.mark.usefixtures("closed_doors")
    def test_a_name_without_a_dot_is_refused(self, acme: Caller) -> None:
        answer = ask(acme, "POST", "subscriptions", {"url": "https://localhost/"})
        assert "whole name" in refused(answer, 400, "validation_failed")["details"]["url"][0]

    @pytest.mark.parametrize("url", ["https://[::ffff:10.0.0.1]/", "http://8.8.8.8/"])
    @pytest.mark.usefixtures("closed_doors")
    def test_a_url_that_deliveries_may_not_reach_is_refused(self, acme: Caller, url: str) -> None:
        answer = ask(acme, "POST", "subscriptions", {"url": url})
        assert refused(answer, 400, "validation_failed")["details"].keys() == {"url"}
        made = create(acme)
        assert refused(ask(acme, "PATCH", f"subscriptions/{made['id']}", {"url": url}), 400, "validation_failed")

    @pytest.mark.parametrize(
        ("body", "fields"),
        [
            ({}, {"url"}),
            ({"url": None}, {"url"}),
            ({"url": URL, "secret": "mine", "colour": 1}, {"colour"}),
            ({"url": URL, "event_types": ["guide.delivered", "guide.lost"]}, {"event_types[1]"}),
            ({"url": URL, "event_types": []}, {"event_types"}),
            ({"url": URL, "countries": ["XX"]}, {"countries[0]"}),
            ({"url": URL, "countries": "CL"}, {"countries"}),
            ({"url": URL, "description": "x" * 201}, {"description"}),
        ],
    )
    def test_what_cannot_be_taken_is_named(self, acme: Caller, body: object, fields: set[str]) -> None:
        answer = ask(acme, "POST", "subscriptions", body)
        assert refused(answer, 400, "validation_failed")["details"].keys() == fields
        assert not Subscription.objects.exists()

    def test_a_body_with_a_key_twice_or_of_another_type_is_refused(self, acme: Caller) -> None:
        refused(ask(acme, "POST", "subscriptions", b'{"url": "a", "url": "b"}'), 400, "invalid_body")
        form = acme.client.post(f"{BASE}/webhooks/subscriptions", {"url": URL}, headers=acme.headers)
        refused(form, 400, "invalid_body")

    def test_the_same_url_twice_is_refused_and_beside_version_1_taken(self, acme: Caller, rival: Caller) -> None:
        subscribe(URL)
        create(acme)
        create(rival)
        refused(ask(acme, "POST", "subscriptions", {"url": URL}), 409, "subscription_exists")

    def test_the_eleventh_is_refused(self, acme: Caller, rival: Caller) -> None:
        made = [create(acme, f"{URL}/{number}") for number in range(10)]
        create(rival)
        refused(ask(acme, "POST", "subscriptions", {"url": URL}), 409, "subscription_limit")
        assert ask(acme, "PATCH", f"subscriptions/{made[0]['id']}", {"is_active": False}).status_code == 200
        create(acme)
        again = ask(acme, "PATCH", f"subscriptions/{made[0]['id']}", {"is_active": True})
        refused(again, 409, "subscription_limit")

    def test_changes_touch_what_is_named_and_nothing_else(self, acme: Caller) -> None:
        made = create(acme, event_types=["guide.delivered"], countries=["CL"])
        answer = ask(acme, "PATCH", f"subscriptions/{made['id']}", {"countries": None, "description": "SAP"})
        changed = answer.json()
        assert (changed["event_types"], changed["countries"]) == (["guide.delivered"], None)
        assert (changed["description"], changed["url"], changed["is_active"]) == ("SAP", URL, True)
        off = ask(acme, "PATCH", f"subscriptions/{made['id']}", {"is_active": False}).json()
        assert (off["is_active"], off["disabled_reason"]) == (False, None)
        refused(ask(acme, "PATCH", f"subscriptions/{made['id']}", {"is_active": "yes"}), 400, "validation_failed")
        on = ask(acme, "PATCH", f"subscriptions/{made['id']}", {"is_active": True}).json()
        assert (on["is_active"], on["disabled_at"]) == (True, None)

    def test_deleting_says_nothing_and_the_log_stays(self, acme: Caller) -> None:
        made = create(acme)
        name = ask(acme, "POST", f"subscriptions/{made['id']}/test").json()["delivery_id"]
        answer = ask(acme, "DELETE", f"subscriptions/{made['id']}")
        assert (answer.status_code, answer.content) == (204, b"")
        refused(ask(acme, "GET", f"subscriptions/{made['id']}"), 404, "not_found")
        assert ask(acme, "GET", f"deliveries/{name}").json()["state"] == "cancelled"

    def test_a_secret_of_the_clients_own_is_taken_and_rotating_to_it_again_changes_nothing(self, acme: Caller) -> None:
        mine, next_one = (f"whsec_{b64encode(each * 24).decode()}" for each in (b"a", b"b"))
        made = create(acme, secret=mine)
        assert made["secret"] == mine
        path = f"subscriptions/{made['id']}/rotate-secret"
        first = ask(acme, "POST", path, {"secret": next_one}).json()
        again = ask(acme, "POST", path, {"secret": next_one})
        assert (again.status_code, again.json()) == (200, first)
        assert first["secret"] == next_one
        for wrong in ("whsec_", next_one[:-4], next_one.replace("Y", "-", 1), "s3cret-of-the-client", next_one * 4, 5):
            assert "secret" in refused(ask(acme, "POST", path, {"secret": wrong}), 400, "validation_failed")["details"]
        answer = ask(acme, "PATCH", f"subscriptions/{made['id']}", {"secret": mine})
        assert "secret" in refused(answer, 400, "validation_failed")["details"]

    def test_a_rotated_secret_is_shown_once_and_the_old_one_signs_as_long_as_asked(self, acme: Caller) -> None:
        made = create(acme)
        turned = ask(acme, "POST", f"subscriptions/{made['id']}/rotate-secret", {"overlap_hours": 72}).json()
        assert turned["secret"] != made["secret"]
        assert turned["previous_secret_until"]
        at_once = ask(acme, "POST", f"subscriptions/{made['id']}/rotate-secret", {"overlap_hours": 0}).json()
        assert at_once["previous_secret_until"] is None
        for wrong in (73, -1, "soon"):
            answer = ask(acme, "POST", f"subscriptions/{made['id']}/rotate-secret", {"overlap_hours": wrong})
            assert refused(answer, 400, "validation_failed")["details"].keys() == {"overlap_hours"}

    def test_version_1_is_listed(self, acme: Caller) -> None:
        old = subscribe(URL)
        (listed,) = ask(acme, "GET", "subscriptions").json()["subscriptions"]
        assert (listed["id"], listed["version"]) == (old.public_id, "v1")

    def test_the_catalogue_has_every_type_with_an_example(self, acme: Caller) -> None:
        types = ask(acme, "GET", "event-types").json()["event_types"]
        assert [each["type"] for each in types] == list(EventType)
        assert all(each["meaning"] and each["sample"] and each["versions"] for each in types)


class TestWhoMay:
    def test_another_companys_is_not_found(self, acme: Caller, rival: Caller) -> None:
        theirs = create(rival)
        name = ask(rival, "POST", f"subscriptions/{theirs['id']}/test").json()["delivery_id"]
        span = {"since": "2026-01-01T00:00:00Z", "until": "2026-01-02T00:00:00Z"}
        for method, path, body in (
            ("GET", f"subscriptions/{theirs['id']}", None),
            ("PATCH", f"subscriptions/{theirs['id']}", {"is_active": False}),
            ("DELETE", f"subscriptions/{theirs['id']}", None),
            ("POST", f"subscriptions/{theirs['id']}/rotate-secret", None),
            ("POST", f"subscriptions/{theirs['id']}/test", None),
            ("POST", f"subscriptions/{theirs['id']}/replay", span),
            ("GET", f"deliveries/{name}", None),
            ("POST", f"deliveries/{name}/replay", None),
        ):
            refused(ask(acme, method, path, body), 404, "not_found")
        assert ask(acme, "GET", "deliveries").json()["deliveries"] == []
        assert ask(acme, "GET", "subscriptions").json()["subscriptions"] == []
        foreign = ask(acme, "GET", "deliveries", subscription=theirs["id"])
        assert foreign.json()["deliveries"] == []

    @pytest.mark.parametrize("name", ["1", "sub_", "sub_x", "sub_٣", "sub_1", "evt_1", f"sub_{UUID(int=0)}"])
    def test_no_such_name_is_not_found(self, acme: Caller, name: str) -> None:
        refused(ask(acme, "GET", f"subscriptions/{name}"), 404, "not_found")
        refused(ask(acme, "GET", f"deliveries/{name}"), 404, "not_found")

    @pytest.mark.parametrize(("path", "methods"), [("webhooks/deliveries", "PATCH, DELETE"), ("mawbs", "GET, POST")])
    def test_browsers_may_change_webhooks_and_nothing_else(self, path: str, methods: str) -> None:
        answer = Client().options(f"{BASE}/{path}", headers={"Access-Control-Request-Method": "DELETE"})
        assert answer.status_code == 204
        assert methods in answer["Access-Control-Allow-Methods"]
        assert ("DELETE" in answer["Access-Control-Allow-Methods"]) is path.startswith("webhooks/")

    def test_another_method_is_405(self, acme: Caller) -> None:
        answer = ask(acme, "PUT", "subscriptions")
        refused(answer, 405, "method_not_allowed")
        assert "POST" in answer["Allow"]


class TestTests:
    @pytest.mark.parametrize("kind", EventType)
    def test_the_example_of_any_type_is_sent_and_says_that_it_is_a_test(self, acme: Caller, kind: EventType) -> None:
        made = create(acme, event_types=["guide.delivered"])
        create(acme, f"{URL}/other")
        answer = ask(acme, "POST", f"subscriptions/{made['id']}/test", {"type": kind})
        assert answer.status_code == 202
        delivery = Delivery.objects.get()
        body = json.loads(bytes(delivery.body))
        assert answer.json()["delivery_id"] == delivery.delivery_id == body["id"]
        assert (body["type"], body["api_version"], body["data"]["test"]) == (kind, "v2", True)

    def test_the_eleventh_in_a_minute_waits(self, acme: Caller, rival: Caller, time_machine: Any) -> None:
        time_machine.move_to("2026-11-21T12:00:00Z", tick=False)
        made = [create(acme, f"{URL}/{number}") for number in range(2)]
        for number in range(10):
            assert ask(acme, "POST", f"subscriptions/{made[number % 2]['id']}/test").status_code == 202
            time_machine.shift(2)
        answer = ask(acme, "POST", f"subscriptions/{made[0]['id']}/test")
        refused(answer, 429, "rate_limited")
        assert answer["Retry-After"] == "40"
        assert ask(rival, "POST", f"subscriptions/{create(rival)['id']}/test").status_code == 202
        time_machine.shift(41)
        assert ask(acme, "POST", f"subscriptions/{made[0]['id']}/test").status_code == 202

    def test_an_inactive_one_is_sent_nothing(self, acme: Caller) -> None:
        made = create(acme)
        subscriptions.disable(Subscription.objects.get())
        refused(ask(acme, "POST", f"subscriptions/{made['id']}/test"), 400, "validation_failed")
        assert self_service.TESTS_A_MINUTE == 10
