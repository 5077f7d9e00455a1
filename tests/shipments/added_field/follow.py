"""What must be true of a field that `test_added_field.py` adds to a copy of the project, and runs this in.

Nothing here names the places that were forgotten once; it asks from outside.
"""

import csv
import io
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from prealerts.reference.document import document
from shipments.models import Guide
from shipments.privacy.erasing import erase_person
from shipments.privacy.person import Documents, Person
from tests import documents
from tests.books import HEADER, guide_row, workbook_bytes
from tests.companies.admin_pages import operator
from tests.conftest import Caller
from tests.shipments.admin.pages import of_guide, text_of

pytestmark = pytest.mark.django_db

FIELD = "consignee_district"
HEADING = "Junta vecinal"
VALUE, OTHER = "Barrio Italia", "Barrio Yungay"


@pytest.fixture
def staff(db: None) -> Client:  # noqa: ARG001  # the database must be there first
    return operator("view_guide", "view_manifest", "change_guide", "change_manifest")


def uploaded(caller: Caller, value: str, **row: Any) -> Guide:
    content = workbook_bytes([guide_row(1, **{HEADING: value}, **row)], header=(*HEADER, HEADING))
    answer = caller.upload(content)
    assert answer.status_code == 201, answer.json()
    assert answer.json()["notices"] == []
    return Guide.objects.get(tracking_code=answer.json()["guides"][0]["tracking_code"])


def exported(staff: Client, **filters: str) -> list[str]:
    content = staff.get(reverse("admin:shipments_guide_export_for_programs"), filters).getvalue().decode("utf-8-sig")
    return [row[FIELD] for row in csv.DictReader(io.StringIO(content))]


def test_a_workbooks_value_is_answered_to_its_company_alone(acme: Caller, rival: Caller) -> None:
    guide = uploaded(acme, VALUE)
    assert acme.get(f"/guides/{guide.tracking_code}").json()[FIELD] == VALUE
    assert rival.get(f"/guides/{guide.tracking_code}").status_code == 404


def test_a_workbooks_value_that_is_too_long_is_cut_with_a_warning(acme: Caller) -> None:
    content = workbook_bytes([guide_row(1, **{HEADING: "x" * 80})], header=(*HEADER, HEADING))
    (warning,) = acme.upload(content).json()["warnings"]
    assert (warning["field"], warning["error_code"]) == (FIELD, f"{FIELD}_truncated")
    assert getattr(Guide.objects.get(), FIELD) == "x" * 64


def test_a_value_in_json_is_answered(acme: Caller) -> None:
    answer = acme.post_json(documents.manifest(documents.guide(1, **{FIELD: VALUE}), documents.guide(2)))
    codes = [guide["tracking_code"] for guide in answer.json()["guides"]]
    assert [acme.get(f"/guides/{code}").json()[FIELD] for code in codes] == [VALUE, ""]


def test_an_invalid_value_in_json_is_reported(acme: Caller) -> None:
    answer = acme.post_json(documents.manifest(documents.guide(1, **{FIELD: "x" * 65})))
    assert answer.status_code == 400
    assert [row["field"] for row in answer.json()["invalid_rows"]] == [FIELD]


def test_the_openapi_document_says_what_is_taken_and_answered() -> None:
    schemas = document()["components"]["schemas"]
    assert schemas["JsonGuide"]["properties"][FIELD]["maxLength"] == 64
    assert FIELD in schemas["Guide"]["properties"]
    assert FIELD in schemas["Guide"]["required"]


def test_the_value_is_exported(acme: Caller, rival: Caller, staff: Client) -> None:
    uploaded(acme, VALUE)
    uploaded(rival, OTHER)
    assert exported(staff, company="ACME") == [VALUE]


def test_an_operator_sees_the_value_and_corrects_it(acme: Caller, staff: Client) -> None:
    guide = uploaded(acme, VALUE, RUT="1-2")
    assert VALUE in text_of(staff.get(of_guide(guide)))
    form = of_guide(guide, "correct_consignee")
    assert VALUE in text_of(staff.get(form))
    kept = {"consignee_name": guide.consignee_name, "consignee_document": guide.consignee_document}
    assert staff.post(form, {**kept, FIELD: OTHER, "step": "run"}).status_code == 302
    guide.refresh_from_db()
    assert getattr(guide, FIELD) == OTHER


def test_anonymising_a_person_empties_it_for_that_person_alone(acme: Caller) -> None:
    answer = acme.post_json(
        documents.manifest(
            documents.guide(1, consignee_document="12345678-5", **{FIELD: VALUE}),
            documents.guide(2, consignee_document="7654321-6", **{FIELD: OTHER}),
        )
    )
    assert answer.status_code == 201
    erase_person(Person(Documents(["12345678-5"])), reference="PRIV-1", actor="camila")
    assert list(Guide.objects.order_by("pk").values_list(FIELD, flat=True)) == ["", OTHER]
