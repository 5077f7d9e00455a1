"""Workbook formats in the admin: who sees them, who publishes, goes back and retires."""

import json

import pytest
from django.test import Client
from django.urls import reverse

from shipments.formats.format_files import import_format
from shipments.models import FormatVersion, WorkbookFormat
from tests.conftest import Caller, make_caller
from tests.country_scope.operators import operator_of, text_of
from tests.shipments.formats.layouts_of_clients import HEADINGS, NAME, bind, book, format_json, guide

pytestmark = pytest.mark.django_db

LIST = "admin:shipments_workbookformat_changelist"


def page(version: FormatVersion, name: str = "change") -> str:
    return reverse(f"admin:shipments_workbookformat_{name}", args=[version.format_id])


@pytest.fixture
def version(lima: Caller) -> FormatVersion:
    return bind(lima)


def test_an_operator_sees_the_formats_of_their_countries_with_versions_and_alarms(
    version: FormatVersion, lima: Caller
) -> None:
    lima.upload(book(headings=[*HEADINGS[:4], "Masa total", *HEADINGS[5:]]))
    staff = operator_of("PE")
    assert NAME in text_of(staff.get(reverse(LIST)))
    shown = text_of(staff.get(page(version)))
    assert all(text in shown for text in (NAME, "v1", "Masa total"))


@pytest.mark.parametrize("name", ["change", "use_version", "retire", "history"])
def test_an_operator_of_another_country_finds_nothing(version: FormatVersion, name: str) -> None:
    staff = operator_of("CL")
    assert staff.get(page(version, name)).status_code == 404
    assert staff.post(page(version, name), {"step": "run", "number": 1}).status_code == 404
    assert NAME not in text_of(staff.get(reverse(LIST)))


def test_onboarding_goes_back_to_a_version_and_retires(version: FormatVersion, lima: Caller) -> None:
    bind(lima, format_json(weight_kg={"unit": "lb"}))
    staff = operator_of("PE", role="Onboarding")
    assert "v2" in text_of(staff.get(page(version, "use_version")))
    assert staff.post(page(version, "use_version"), {"step": "run", "number": 1}).status_code == 302
    assert WorkbookFormat.objects.get().in_use == version
    assert staff.post(page(version, "retire"), {"step": "run"}).status_code == 302
    form = WorkbookFormat.objects.get()
    assert (form.is_active, form.in_use) == (False, None)
    assert "retired" in text_of(staff.post(page(version, "use_version"), {"step": "run", "number": 1}))


def test_a_version_that_reads_a_kept_test_differently_is_used_once_that_is_confirmed(lima: Caller) -> None:
    grid = [["MAWB", "045-12345675"], [], [*HEADINGS], guide(1, Bruto=10)]
    expected = {"guides": [{"hawb": "H0001", "weight_kg": "10.000"}]}
    version = bind(lima, format_json(tests=[{"name": "marzo", "grid": grid, "expected": expected}]))
    pounds = json.dumps(format_json(weight_kg={"unit": "lb"})).encode()
    number = import_format(lima.company, pounds, actor="ana").version.number
    staff, answer = operator_of("PE", role="Onboarding"), {"step": "run", "number": number}
    assert "despite_tests" not in staff.get(page(version, "use_version")).content.decode()
    refused = staff.post(page(version, "use_version"), answer)
    assert "marzo" in text_of(refused)
    assert "despite_tests" in refused.content.decode()
    assert WorkbookFormat.objects.get().in_use == version
    assert staff.post(page(version, "use_version"), {**answer, "despite_tests": "on"}).status_code == 302
    shown = text_of(staff.get(page(version)))
    assert "“marzo” is not run: version 2 was published although it reads this test differently." in shown


@pytest.mark.parametrize("role", ["Operations", "Read-only"])
def test_other_roles_look_and_change_nothing(version: FormatVersion, role: str) -> None:
    staff = operator_of("PE", role=role)
    assert NAME in text_of(staff.get(page(version)))
    for name in ("use_version", "retire"):
        assert staff.post(page(version, name), {"step": "run", "number": 1}).status_code == 403
    assert WorkbookFormat.objects.get().in_use == version


def test_a_company_that_also_ships_elsewhere_is_not_changed_by_an_operator_of_one_country() -> None:
    both = make_caller("BOTH", allowed_countries=["CL", "PE"])
    version = bind(both)
    staff = operator_of("PE")
    assert NAME in text_of(staff.get(page(version)))
    assert staff.post(page(version, "retire"), {"step": "run"}).status_code == 403
    assert WorkbookFormat.objects.get().is_active


def test_nobody_edits_a_format_by_hand(version: FormatVersion, admin_client: Client) -> None:
    assert admin_client.post(page(version), {"name": "Otro"}).status_code == 403
    assert admin_client.get(reverse("admin:shipments_workbookformat_add")).status_code == 403
