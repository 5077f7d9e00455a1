"""Unsafe or contradictory settings are reported before the service starts, with a stable id and a hint."""

import subprocess
import sys
from typing import Any

import pytest
from django.core.checks import run_checks

from tests.live.server import ROOT

MAIL = {"host": "mail.example"}
FERNET = "dGVzdHMtb25seS10ZXN0cy1vbmx5LXRlc3RzLW9ubHk="


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, set()),
        ({"API_PASSWORD_PEPPER": "short"}, {"prealerts.E001"}),
        ({"API_PASSWORD_PEPPER": "x" * 40, "SECRET_KEY": "x" * 40}, {"prealerts.E002"}),
        ({"FIELD_ENCRYPTION_KEYS": []}, {"prealerts.E003"}),
        ({"FIELD_ENCRYPTION_KEYS": [FERNET, "not a key"]}, {"prealerts.E003"}),
        ({"DEBUG": True, "ALLOWED_HOSTS": ["prealerts.example"]}, {"prealerts.E004"}),
        ({"DEBUG": True, "ALLOWED_HOSTS": ["localhost"]}, set()),
        ({"ALLOWED_HOSTS": ["*"], "BEHIND_HTTPS": True}, {"prealerts.W001"}),
        ({"ALLOWED_HOSTS": ["prealerts.example"]}, {"prealerts.W002"}),
        ({"ALLOWED_HOSTS": ["prealerts.example"], "BEHIND_HTTPS": True}, set()),
        (
            {"ALLOWED_HOSTS": ["prealerts.example"], "BEHIND_HTTPS": True, "ADMIN_SECOND_FACTOR": False},
            {"prealerts.W004"},
        ),
        ({"ADMIN_SECOND_FACTOR": False}, set()),
        ({"ALLOWED_HOSTS": []}, {"prealerts.W003"}),
        ({"MEDIA_ROOT": "/srv/app/static", "STATIC_ROOT": "/srv/app/static"}, {"prealerts.E006"}),
        ({"MEDIA_ROOT": "/srv/app/static/media", "STATIC_ROOT": "/srv/app/static"}, {"prealerts.E006"}),
        ({"PREPARED_STATEMENTS": True}, set()),
        ({"PREPARED_STATEMENTS": True, "BEHIND_PGBOUNCER": True}, {"prealerts.E011"}),
        ({"RETENTION_DAYS_FILES": 0}, {"prealerts.E007"}),
        ({"RETENTION_DAYS_FILES": 90, "RETENTION_DAYS_PERSONAL_DATA": 30}, {"prealerts.E008"}),
        ({"RETENTION_DAYS_FILES": 30, "RETENTION_DAYS_PERSONAL_DATA": 90}, set()),
        ({"MAIL": MAIL, "EMAIL_FROM": "Carga <carga@example.com>"}, set()),
        ({"MAIL": MAIL, "EMAIL_FROM": "nobody"}, {"prealerts.E022"}),
        ({"MAIL": MAIL, "SITE_URL": "carga.example.com", "EMAIL_FROM": "a@example.com"}, {"prealerts.E023"}),
        (
            {"MAIL": MAIL, "EMAIL_FROM": "a@example.com", "ALLOWED_HOSTS": ["*"], "BEHIND_HTTPS": True},
            {"prealerts.W001", "prealerts.E024"},
        ),
        ({"METRICS_BIND": "9108"}, {"prealerts.E020"}),
        ({"DISPATCHER_METRICS_BIND": "127.0.0.1:high"}, {"prealerts.E020"}),
        ({"DISPATCHER_METRICS_BIND": "localhost:9109"}, {"prealerts.E020"}),
        ({"METRICS_BIND": "0.0.0.0:9108"}, {"prealerts.W020"}),
        ({"METRICS_BIND": "[::]:9108"}, {"prealerts.W020"}),
        ({"METRICS_BIND": "127.0.0.1:9108", "DISPATCHER_METRICS_BIND": "127.0.0.1:9108"}, {"prealerts.E021"}),
        ({"METRICS_BIND": "127.0.0.1:9108", "DISPATCHER_METRICS_BIND": "[::1]:9109"}, set()),
    ],
)
def test_each_contradiction_has_its_id(settings: Any, changes: dict[str, Any], expected: set[str]) -> None:
    settings.ADMIN_SECOND_FACTOR = True  # as in production; the tests' environment does without
    for name, value in changes.items():
        setattr(settings, name, value)
    found = [message for message in run_checks() if message.id and message.id.startswith("prealerts.")]
    assert {message.id for message in found} == expected
    assert all(message.hint for message in found)


_WHAT_IS_LOADED = """
import sys, django
from django.contrib import admin
from django.core.checks import run_checks
django.setup()
print("openpyxl" in sys.modules, len(admin.site._registry) > 0)
run_checks(tags=["admin"])
print(len(admin.site._registry) > 0)
"""


def test_a_command_loads_no_admin_page_and_the_checks_load_them_all() -> None:
    said = subprocess.run(
        [sys.executable, "-c", _WHAT_IS_LOADED], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout
    assert said.split() == ["False", "False", "True"]
