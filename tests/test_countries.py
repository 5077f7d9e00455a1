"""Each country of the table is in every list. `test_fourth_country.py` runs this in a copy that has one more."""

import ast
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command, load_command_class
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from companies.countries import SERVED, Country
from companies.models import Company
from prealerts.reference.document import document
from shipments.admin.field_labels import field_choices
from shipments.admin.forms import AdvanceForm
from shipments.manifests.countries import COUNTRIES
from shipments.manifests.destinations import place_country
from shipments.manifests.guide_fields import GUIDE_FIELDS
from tests.companies.admin_pages import text_of
from tests.conftest import BASE, make_caller
from tests.documents import manifest

ROOT = Path(__file__).resolve().parent.parent
APPS = ("base", "companies", "webhooks", "shipments", "prealerts")
KEYED_BY_COUNTRY = {
    "shipments/manifests/destinations.py",  # the cities of each
    "prealerts/management/commands/demo.py",  # its invented companies
    "prealerts/demo_desk.py",  # an act of its operators
    "shipments/labels.py",  # what a city is called there; elsewhere a city
    "shipments/manifests/house/house_layouts.py",  # templates; a country without one is offered none
}


@pytest.fixture(params=[*SERVED.values()], ids=[*SERVED])
def country(request: pytest.FixtureRequest) -> Country:
    served: Country = request.param
    return served


def test_it_has_its_rules(country: Country) -> None:
    assert COUNTRIES.keys() == SERVED.keys()
    assert COUNTRIES[country.code].country == country.code


def test_a_workbook_may_name_it_by_its_capital(country: Country) -> None:
    assert place_country(country.capital) == country.code


@pytest.mark.parametrize(
    "name",
    [
        "companies_company_add",
        "companies_company_changelist",
        "shipments_manifest_changelist",
        "shipments_guide_changelist",
    ],
)
def test_operators_choose_it_by_its_name(admin_client: Client, country: Country, name: str) -> None:
    page = text_of(admin_client.get(reverse(f"admin:{name}")))
    assert country.name in page


def test_an_operator_may_be_given_it(admin_client: Client, admin_user: Any, country: Country) -> None:
    page = text_of(admin_client.get(reverse("admin:auth_user_change", args=[admin_user.pk])))
    assert country.name in page


def test_operators_give_times_by_its_clock(country: Country) -> None:
    labels = {key: str(label) for key, label in AdvanceForm().fields["zone"].choices}  # type: ignore[attr-defined]  # a ChoiceField has them
    assert labels[country.clock.key] == f"{country.capital} time"


def test_each_field_that_a_column_can_serve_is_offered(country: Country) -> None:
    offered = [name for _title, choices in field_choices(country.code) for name, _label in choices]
    rules = COUNTRIES[country.code]
    fields = {field.name for field in GUIDE_FIELDS if field.in_workbook}
    assert fields | {f"+{key}" for key in rules.extra_keys()} <= {*offered}
    assert ("category" in offered) == (rules.categories is not None)


@pytest.mark.django_db
def test_commands_take_it(country: Country, capsys: pytest.CaptureFixture[str]) -> None:
    code = country.code.lower()
    call_command("create_company", "Acme", client_code="ACME", countries=code, read_by_headings=code)
    assert capsys.readouterr().err == ""
    assert Company.objects.get().read_by_headings == [country.code]
    parser = load_command_class("shipments", "anonymise").create_parser("manage.py", "anonymise")
    assert parser.parse_args(["--country", country.code]).country == country.code


def test_the_reference_has_it(country: Country) -> None:
    made = document()
    assert country.code in made["components"]["schemas"]["JsonResult"]["properties"]["country"]["x-extensible-enum"]
    operation = made["paths"][f"{BASE}/process-pre-alert-json"]["post"]
    assert country.name in operation["description"]
    body = made["components"]["schemas"]["JsonManifest"]["properties"]["destination_airport"]
    assert country.name in body["description"]


@pytest.mark.django_db
def test_what_goes_there_is_taken_in_and_awaited(admin_client: Client, country: Country) -> None:
    acme, rival = make_caller("ACME", allowed_countries=[country.code]), make_caller("RIVAL", allowed_countries=[])
    eta = timezone.now().astimezone(country.clock).replace(hour=23, minute=59) + timedelta(days=1)
    sent = manifest(country=country.code, scheduled_arrival=eta.isoformat())
    answer = acme.post_json(sent)
    assert (answer.status_code, answer.json().get("country")) == (201, country.code), answer.json()
    assert acme.get(f"/guides/{answer.json()['guides'][0]['tracking_code']}").status_code == 200
    assert rival.get("/mawbs").json()["error"] == "unsupported_country"
    tomorrow = admin_client.get(reverse("admin:index")).context["tomorrow"]
    assert [destination["country"] for destination in tomorrow.destinations] == [country.name]


@pytest.mark.django_db
def test_it_needs_no_migration() -> None:
    call_command("makemigrations", "--check", "--dry-run")  # leaves with an error when something changed


def listing_all(source: str) -> bool:
    """Whether a list, a set, a mapping or a text in the code holds every code by hand."""
    return (
        any(
            {
                each.value
                for each in (node.keys if isinstance(node, ast.Dict) else node.elts)
                if isinstance(each, ast.Constant)
            }
            >= SERVED.keys()
            for node in ast.walk(ast.parse(source))
            if isinstance(node, ast.Dict | ast.List | ast.Tuple | ast.Set)
        )
        or ",".join(SERVED) in source
    )


def test_nothing_else_lists_the_countries() -> None:
    assert listing_all(f"SERVED = {list(SERVED)!r}")
    found = {
        path.relative_to(ROOT).as_posix()
        for app in APPS
        for path in (ROOT / app).rglob("*.py")
        if "migrations" not in path.parts and listing_all(path.read_text(encoding="utf-8"))
    }
    assert found <= KEYED_BY_COUNTRY
