"""Headings of refused workbooks that name a person, with two companies: found, and erased."""

import json

import pytest

from companies.models import Company
from shipments.models import Manifest, RefusedRequest
from tests.conftest import Caller
from tests.shipments.privacy.conftest import PERSON, Run, later

pytestmark = pytest.mark.django_db

PASSPORT = "XK98765"
NAMING = ["QUISPE, Márta", PASSPORT]
OTHERS = ["Zurbo", "Pedro Soto"]


@pytest.fixture
def refused(uploaded: dict[str, Manifest], acme: Caller, rival: Caller) -> None:  # noqa: ARG001  # for Marta's name
    for caller, headings in ((acme, [*NAMING, *OTHERS]), (rival, OTHERS), (rival, [])):
        RefusedRequest.objects.create(
            company=caller.company, endpoint="POST upload", status=400, code="no_rows_parsed", headings=headings
        )


@pytest.mark.usefixtures("refused")
def test_are_printed_for_the_person_and_nobody_else(run: Run) -> None:
    entries = json.loads(run("personal_data", "--document", "-", stdin=f"{PERSON}\n{PASSPORT}"))
    (found,) = [entry["refused_request"] for entry in entries if "refused_request" in entry]
    assert (found["company"], found["headings"]) == ("Acme Ltda.", NAMING)
    assert "Pedro Soto" not in json.dumps(entries)


@pytest.mark.usefixtures("refused")
def test_are_erased_with_the_person(run: Run) -> None:
    documents = f"{PERSON}\n{PASSPORT}"
    foreseen = run("anonymise", "--document", "-", "--dry-run", stdin=documents)
    assert "Headings of refused workbooks to erase: 2." in foreseen
    assert RefusedRequest.objects.filter(headings=[*NAMING, *OTHERS]).exists()
    assert "Headings of refused workbooks erased: 2." in run("anonymise", "--document", "-", stdin=documents)
    assert [*RefusedRequest.objects.order_by("pk").values_list("headings", flat=True)] == [OTHERS, OTHERS, []]
    assert json.loads(run("personal_data", "--document", "-", stdin=documents)) == []


@pytest.mark.usefixtures("refused")
def test_of_companies_that_do_not_ship_to_the_country_stay(run: Run, acme: Caller) -> None:
    Company.objects.filter(pk=acme.company.pk).update(allowed_countries=["CL"])
    assert json.loads(run("personal_data", "--document", "-", "--country", "PE", stdin=PASSPORT)) == []
    run("anonymise", "--document", "-", "--country", "PE", stdin=PASSPORT)
    assert RefusedRequest.objects.filter(headings=[*NAMING, *OTHERS]).exists()


@pytest.mark.usefixtures("refused")
def test_are_erased_by_age(run: Run) -> None:
    with later(days=10):
        assert "Headings of refused workbooks erased: 2." in run("anonymise", "--older-than", "5")
    assert {str(each) for each in RefusedRequest.objects.values_list("headings", flat=True)} == {"[]"}
