"""manage.py personal_data: all of a person's data, and nothing of anybody else's."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from shipments.models import Manifest
from tests.conftest import Caller
from tests.shipments.admin.pages import of_guide
from tests.shipments.privacy.conftest import PERSON, guide
from tests.shipments.shipping import shipped, tell
from webhooks.subscriptions import register

pytestmark = pytest.mark.django_db

Run = Callable[..., str]


def told(run: Run, document: str) -> Any:
    return json.loads(run("personal_data", "--document", "-", stdin=document))


def test_shows_what_is_held_with_every_company(uploaded: dict[str, Manifest], run: Run, admin_client: Client) -> None:
    manifest = uploaded["ACME"]
    marta = guide(manifest, "M1")
    _subscription, secret = register(manifest.company, "https://example.com/hook")
    tell(marta, "in_transit", internal_note="Left with a neighbour")
    admin_client.get(of_guide(marta))
    printed = run("personal_data", "--document", "-", stdin="12.345.678-5")
    entries = json.loads(printed)
    assert {entry["manifest"]["company"] for entry in entries} == {"Acme Ltda.", "Rival Ltda."}
    (ours,) = (entry for entry in entries if entry["manifest"]["company"] == "Acme Ltda.")
    assert ours["guide"]["consignee_name"] == "Marta Quispe"
    assert ours["guide"]["consignee_document"] == PERSON
    assert ours["guide"]["fob_usd"] == "100.25"
    assert [event["internal_note"] for event in ours["events"]] == ["", "Left with a neighbour"]
    assert [(seen["operator"], seen["what"]) for seen in ours["seen_and_changed_by"]] == [("admin", "Opened.")]
    assert [(sent["url"], sent["event_type"]) for sent in ours["webhooks"]] == [
        ("https://example.com/hook", "guide.status_changed")
    ]
    assert {file["kind"] for file in ours["manifest"]["files"]} == {"manifest", "invoice"}
    assert "Pedro" not in printed
    assert "7654321-6" not in printed
    assert secret not in printed


def test_reports_every_column_of_a_guide_but_the_keys_between_tables(acme: Caller, run: Run) -> None:
    shipped(acme.company, 1, consignee_document=PERSON)
    (entry,) = told(run, PERSON)
    columns = {field.name for field in guide(acme.company.manifests.get(), "H001")._meta.concrete_fields}
    assert columns - entry["guide"].keys() == {"id", "manifest", "company"}


def test_nobody_is_an_empty_list(uploaded: dict[str, Manifest], run: Run) -> None:  # noqa: ARG001  # for what it leaves
    assert told(run, "11222333-9") == []


def test_leaves_only_how_many_in_the_log(
    uploaded: dict[str, Manifest],  # noqa: ARG001  # for what it leaves
    run: Run,
    caplog: pytest.LogCaptureFixture,
) -> None:
    run("personal_data", "--document", "-", stdin=PERSON)
    assert "personal_data_printed" in caplog.text
    assert "12345678" not in caplog.text
