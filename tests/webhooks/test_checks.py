"""Unsafe and unusable settings are reported before the service starts, with a stable id and a hint."""

from pathlib import Path
from typing import Any

import pytest
from django.core.checks import run_checks


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, set()),
        ({"WEBHOOK_ALLOWED_NETWORKS": ["10.0.0.0/8"]}, {"webhooks.W001"}),
        ({"WEBHOOK_ALLOWED_NETWORKS": ["10.0.0.0/8"], "DEBUG": True}, set()),
        ({"WEBHOOK_CA_BUNDLE": "the tests' own"}, {"webhooks.W001"}),
        ({"WEBHOOK_ALLOWED_NETWORKS": ["127.0.0.0/8"]}, {"webhooks.W001"}),
        ({"WEBHOOK_ALLOWED_NETWORKS": ["127.0.0.0/8"], "SANDBOX": True}, set()),
        ({"WEBHOOK_ALLOWED_NETWORKS": ["10.0.0.0/8"], "SANDBOX": True}, {"webhooks.W001"}),
        ({"WEBHOOK_ALLOWED_NETWORKS": ["10.0.0.0/99"]}, {"webhooks.W001", "webhooks.E001"}),
        ({"WEBHOOK_CA_BUNDLE": "/nowhere/ca.pem"}, {"webhooks.W001", "webhooks.E002"}),
        ({"WEBHOOK_CA_BUNDLE": __file__}, {"webhooks.W001", "webhooks.E002"}),
        ({"WEBHOOK_CONCURRENCY": 0}, {"webhooks.E003"}),
    ],
)
def test_each_open_door_has_its_id(settings: Any, authority: Any, changes: dict[str, Any], expected: set[str]) -> None:
    closed: dict[str, Any] = {"WEBHOOK_ALLOWED_NETWORKS": [], "WEBHOOK_CA_BUNDLE": ""}
    for name, value in (closed | changes).items():
        setattr(settings, name, authority.bundle if value == "the tests' own" else value)
    found = [message for message in run_checks() if message.id and message.id.startswith("webhooks.")]
    assert {message.id for message in found} == expected
    assert all(message.hint for message in found)
    assert Path(authority.bundle).exists()
