"""An error is reported to Sentry with its location, without personal data."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from prealerts import sentry
from shipments.models import Guide
from tests.conftest import Caller
from tests.prealerts.watch.sentry_receiver import SentryReceiver
from tests.shipments.manifests import payloads

pytestmark = pytest.mark.django_db(transaction=True)

MARK = "Marta Quispe 12345678-5"
ROOT = Path(__file__).resolve().parent.parent.parent.parent


@pytest.fixture
def receiver(settings: Any) -> Iterator[SentryReceiver]:
    with SentryReceiver() as receiver:
        settings.SENTRY_DSN = receiver.dsn
        sentry.configure()
        yield receiver


@pytest.fixture
def tracking_code(acme: Caller) -> str:
    answer = acme.post_json(payloads.body(payloads.guide(consignee_name=MARK)))
    return str(answer.json()["guides"][0]["tracking_code"])


def _refused_by_the_database(_guide_id: int) -> None:
    """On PostgreSQL the message of this error quotes the whole row."""
    row: dict[str, Any] = {"manifest_id": None, "consignee_name": MARK}
    Guide.objects.create(**row)


def test_a_fault_of_the_api_comes_with_its_request_and_its_frames_and_nothing_else(
    receiver: SentryReceiver, acme: Caller, tracking_code: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shipments.v1.reading.timeline", _refused_by_the_database)
    path = f"/guides/{tracking_code}?name={MARK}"
    answer = acme.get(path, HTTP_X_REQUEST_ID="req-4711", HTTP_COOKIE=f"who={MARK}")
    assert answer.status_code == 500
    (event,) = receiver.events()
    assert event["tags"] == {
        "request_id": "req-4711",
        "method": "GET",
        "route": "api/public/pre-alerts/v1/guides/(?P<tracking_code>[^/]+)/?$",
    }
    outermost = event["exception"]["values"][-1]
    assert outermost["type"] == "IntegrityError"
    functions = [frame["function"] for frame in outermost["stacktrace"]["frames"]]
    assert "_refused_by_the_database" in functions
    assert set(outermost) == {"type", "module", "mechanism", "stacktrace"}
    raw = receiver.raw()
    for secret in (*MARK.split(), acme.password, tracking_code, "Failing row", "DETAIL", "127.0.0.1"):
        assert secret not in raw, secret
    assert event.keys() & {"request", "user", "breadcrumbs", "extra", "contexts", "server_name", "logentry"} == set()


def test_an_exception_in_the_admin_is_reported_too(
    receiver: SentryReceiver, admin_user: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def break_down(*_arguments: object) -> None:
        raise ValueError(MARK)

    browser = Client(raise_request_exception=False)
    browser.force_login(admin_user)
    monkeypatch.setattr("shipments.admin.guides.search_guides", break_down)
    assert browser.get("/admin/shipments/guide/", {"q": MARK}).status_code == 500
    (event,) = receiver.events()
    assert event["exception"]["values"][-1]["type"] == "ValueError"
    assert event["tags"]["route"] == "admin/shipments/guide/"
    assert "Marta" not in receiver.raw()


def test_what_a_client_can_cause_is_not_a_fault(receiver: SentryReceiver, acme: Caller) -> None:
    assert acme.get("/guides/NOTHING").status_code == 404
    assert acme.upload(b"no workbook").status_code == 400
    assert acme.client.get("/nowhere").status_code == 404
    assert receiver.events() == []


def test_off_it_is_not_even_imported() -> None:
    check = "import sys, django; django.setup(); import prealerts.urls; sys.exit('sentry_sdk' in sys.modules)"
    command = [sys.executable, "-c", f"import tests.environment, os; {check}"]
    environment = {"DJANGO_SETTINGS_MODULE": "prealerts.settings", "PATH": ""}
    assert subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode == 0
