"""The commands about companies: names, standard output and exit codes are what scripts rely on."""

import json
import re
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from companies.models import Company
from tests.companies.admin_pages import opens_for
from tests.factories import ClientFactory, CourierFactory, password_of

pytestmark = pytest.mark.django_db


def run(*arguments: str) -> tuple[str, str]:
    """Standard output and standard error of `manage.py ...`."""
    out, err = StringIO(), StringIO()
    call_command(*arguments, stdout=out, stderr=err)
    return out.getvalue(), err.getvalue()


def only_json_line(out: str) -> dict[str, Any]:
    assert out.endswith("\n")
    assert out.count("\n") == 1
    line: dict[str, Any] = json.loads(out)
    return line


# --- create_company ---------------------------------------------------------------------------------------------


def test_a_created_company_gets_one_json_line_with_a_password_that_opens_for_it() -> None:
    other = ClientFactory.create()
    out, err = run("create_company", "Acme Ltda.", "--client-code", "ACME", "--countries", "CL,PE")
    line = only_json_line(out)
    company = Company.objects.get(client_code="ACME")
    assert set(line) == {"client_code", "api_password"}
    assert line["client_code"] == "ACME"
    assert opens_for(line["api_password"]) == company != other
    assert err == ""
    assert (company.name, company.kind, company.is_active) == ("Acme Ltda.", "client", True)
    assert (company.allowed_countries, company.tracking_prefix, company.is_marketplace) == (["CL", "PE"], "ACM", False)


def test_every_option_is_kept() -> None:
    run(
        "create_company", "Market", "--client-code", "mkt", "--countries", "ar, cl", "--tracking-prefix", "zz9",
        "--kind", "client", "--marketplace",
    )  # fmt: skip
    company = Company.objects.get()
    assert (company.client_code, company.tracking_prefix) == ("MKT", "ZZ9")
    assert company.allowed_countries == ["CL", "AR"]
    assert company.is_marketplace


def test_no_countries_and_no_prefix_are_said_explicitly() -> None:
    run("create_company", "Later", "--client-code", "LATER", "--countries", "", "--no-tracking-prefix")
    company = Company.objects.get()
    assert (company.allowed_countries, company.tracking_prefix) == ([], "")


def test_a_courier_is_linked_to_the_clients_it_posts_for() -> None:
    one, two, _unlinked = (
        ClientFactory.create(client_code="ONE"),
        ClientFactory.create(client_code="TWO"),
        ClientFactory.create(),
    )
    arguments = ["--client-code", "COU", "--countries", "CL", "--kind", "courier", "--posts-for", "one", "TWO"]
    run("create_company", "Correo", *arguments)
    courier = Company.objects.get(client_code="COU")
    assert courier.is_courier
    assert set(courier.posts_for.all()) == {one, two}


REFUSED = {
    "a code that is taken, in small letters": (["--client-code", "taken"], "--client-code"),
    "a country twice": (["--countries", "CL,CL"], "--countries"),
    "an empty prefix": (["--tracking-prefix", ""], "--no-tracking-prefix"),
    "a code too short to make a prefix from": (["--client-code", "A-"], "--tracking-prefix"),
    "a client that posts for another": (["--posts-for", "TAKEN"], "--posts-for"),
    "a courier that posts for nobody known": (["--kind", "courier", "--posts-for", "NOBODY"], "NOBODY"),
    "a courier that posts for a courier": (["--kind", "courier", "--posts-for", "COURIER"], "COURIER"),
    "a courier that is a marketplace": (["--kind", "courier", "--marketplace"], "--marketplace"),
    "an unknown kind": (["--kind", "carrier"], "--kind"),
    "both prefix arguments": (["--tracking-prefix", "ABC", "--no-tracking-prefix"], "--no-tracking-prefix"),
}


@pytest.mark.parametrize(("arguments", "named"), REFUSED.values(), ids=REFUSED.keys())
def test_a_refused_company_names_the_argument_to_change_and_leaves_nothing(arguments: list[str], named: str) -> None:
    ClientFactory.create(client_code="TAKEN")
    CourierFactory.create(client_code="COURIER")
    out = StringIO()
    complete = {"--client-code": "FRESH", "--countries": "CL"}
    given = [word for key, value in complete.items() if key not in arguments for word in (key, value)]
    with pytest.raises(CommandError, match=named):
        call_command("create_company", "Fresh Ltda.", *given, *arguments, stdout=out, stderr=StringIO())
    assert out.getvalue() == ""
    assert set(Company.objects.values_list("client_code", flat=True)) == {"TAKEN", "COURIER"}


def test_all_invalid_arguments_are_named_at_once() -> None:
    with pytest.raises(CommandError) as refusal:
        run("create_company", " ", "--client-code", "A B", "--countries", "XX", "--tracking-prefix", "?")
    for argument in ("NAME", "--client-code", "--countries", "--tracking-prefix"):
        assert f"{argument}: " in str(refusal.value)


def test_a_shared_prefix_is_allowed_and_warned_of_beside_the_json_line() -> None:
    ClientFactory.create(client_code="ACMONE", tracking_prefix="ACM")
    out, err = run("create_company", "Acme", "--client-code", "ACME", "--countries", "CL")
    only_json_line(out)
    assert "ACMONE" in err
    assert "ACM" in err


# --- rotate_api_password ----------------------------------------------------------------------------------------


def test_rotating_one_company_leaves_the_others_password_alive() -> None:
    rotated, other = ClientFactory.create(client_code="ACME"), ClientFactory.create()
    line = only_json_line(run("rotate_api_password", "acme")[0])
    assert line["client_code"] == "ACME"
    assert opens_for(line["api_password"]) == rotated
    assert opens_for(password_of(rotated)) is None
    assert opens_for(password_of(other)) == other


def test_rotating_an_inactive_company_says_that_it_stays_closed() -> None:
    ClientFactory.create(client_code="ACME", is_active=False)
    out, err = run("rotate_api_password", "ACME")
    assert opens_for(only_json_line(out)["api_password"]) is None
    assert "activate_company" in err


# --- deactivate_company, activate_company -----------------------------------------------------------------------


def test_deactivating_closes_one_company_and_activating_opens_it_with_the_same_password() -> None:
    company, other = ClientFactory.create(client_code="ACME"), ClientFactory.create()
    assert "is deactivated" in run("deactivate_company", "ACME")[0]
    assert opens_for(password_of(company)) is None
    assert opens_for(password_of(other)) == other
    assert "is active" in run("activate_company", "acme")[0]
    assert opens_for(password_of(company)) == company


@pytest.mark.parametrize(("command", "is_active"), [("activate_company", True), ("deactivate_company", False)])
def test_what_is_so_already_is_said_and_is_not_an_error(command: str, is_active: Any) -> None:
    ClientFactory.create(client_code="ACME", is_active=is_active)
    assert "nothing changed" in run(command, "ACME")[0]
    assert Company.objects.get().is_active is is_active


@pytest.mark.parametrize("command", ["rotate_api_password", "deactivate_company", "activate_company"])
def test_an_unknown_code_is_an_error_that_names_it(command: str) -> None:
    company = ClientFactory.create()
    with pytest.raises(CommandError, match="NOBODY"):
        run(command, "nobody")
    assert opens_for(password_of(company)) == company


# --- list_companies ---------------------------------------------------------------------------------------------


def test_the_table_shows_what_an_operator_asks_and_never_a_password() -> None:
    client = ClientFactory.create(
        name="Acme Ñandú", client_code="ACME", allowed_countries=["CL", "AR"], tracking_prefix="ACM"
    )
    courier = CourierFactory.create(
        name="Brisa", client_code="BRISA", posts_for=[client], is_active=False, tracking_prefix=""
    )
    header, first, second = run("list_companies")[0].splitlines()
    headings = ["CODE", "NAME", "KIND", "ACTIVE", "MARKETPLACE", "COUNTRIES", "PREFIX", "POSTS FOR", "PASSWORD"]
    assert re.split(r"\s{2,}", header) == [*headings, "LAST USED"]
    cells = ["ACME", "Acme Ñandú", "client", "yes", "no", "CL,AR", "ACM", "-", client.api_password_hint, "-"]
    assert re.split(r"\s{2,}", first) == cells
    assert second.split()[:5] == ["BRISA", "Brisa", "courier", "no", "no"]
    assert second.split()[-3] == "ACME"
    for company in (client, courier):
        assert password_of(company) not in first + second
    assert header.index("PREFIX") == first.index("ACM", first.index("CL,AR"))


def test_json_lists_one_object_a_line() -> None:
    client = ClientFactory.create(name="A", client_code="ACME")
    client.note_use()
    CourierFactory.create(name="B", client_code="BRISA", posts_for=[client])
    first, second = [json.loads(line) for line in run("list_companies", "--json")[0].splitlines()]
    assert first["client_code"] == "ACME"
    assert first["last_used_at"].endswith("Z")
    assert first["api_password_hint"] == password_of(client)[:12]
    assert second["posts_for"] == ["ACME"]
    assert second["last_used_at"] is None


def test_listing_asks_the_database_twice_however_many_companies_there_are(django_assert_num_queries: Any) -> None:
    clients = ClientFactory.create_batch(5)
    CourierFactory.create_batch(5, posts_for=clients)
    with django_assert_num_queries(2):
        run("list_companies")


def test_an_empty_list_is_said_aside() -> None:
    out, err = run("list_companies")
    assert out == ""
    assert "create_company" in err
    assert run("list_companies", "--json")[0] == ""
