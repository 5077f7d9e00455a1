"""Unsafe or contradictory settings are reported before the service starts, with a stable id and a hint."""

import subprocess
import sys
from typing import Any

import pytest
from django.core.checks import run_checks

from tests.live.server import ROOT

SSO = {
    "OIDC_ISSUER": "https://login.example.com", "OIDC_CLIENT_ID": "prealerts", "OIDC_CLIENT_SECRET": "secret",
    "OIDC_ROLES": {"ops": "Operations"}, "OIDC_COUNTRIES": {"cl": ["CL"], "all": "all"},
}  # fmt: skip
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
        (SSO, set()),
        ({**SSO, "OIDC_ISSUER": "http://127.0.0.1:8080/realms/courier", "LOCAL_PASSWORDS": False}, set()),
        ({"LOCAL_PASSWORDS": False, "BREAK_GLASS_USER": "rescue"}, {"prealerts.E030"}),
        ({**SSO, "OIDC_ISSUER": "http://login.example.com"}, {"prealerts.E031"}),
        ({**SSO, "OIDC_ISSUER": "http://localhost:8080"}, {"prealerts.E031"}),
        ({**SSO, "OIDC_CLIENT_SECRET": "", "OIDC_ROLES": {}}, {"prealerts.E032"}),
        ({**SSO, "OIDC_COUNTRIES": {"cl": ["CL", "XX"]}}, {"prealerts.E033"}),
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


@pytest.mark.django_db
def test_a_role_of_single_sign_on_that_there_is_not_is_named(settings: Any) -> None:
    settings.OIDC_ROLES = {"ops": "Operations", "night": "Night shift"}
    warned = {check.msg for check in run_checks(databases=["default"]) if check.id == "prealerts.W030"}
    assert warned == {"OIDC_ROLES names no role: Night shift."}


def test_a_command_loads_no_admin_page_and_the_checks_load_them_all() -> None:
    said = subprocess.run(
        [sys.executable, "-c", _WHAT_IS_LOADED], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout
    assert said.split() == ["False", "False", "True"]
