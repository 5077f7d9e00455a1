"""Operators see how a workbook was understood, in their own language."""

from typing import get_args

import pytest
from django.test import Client
from django.utils import translation

from shipments.admin.understanding import _REASON_LABELS, field_name
from shipments.manifests.manifest import LeftOutReason
from shipments.models import Manifest
from tests.books import guide_row, workbook_bytes
from tests.conftest import Caller
from tests.documents import manifest
from tests.shipments.admin.pages import of_manifest, text_of

pytestmark = pytest.mark.django_db


def page_of(staff: Client, language: str) -> str:
    page = text_of(staff.get(of_manifest(Manifest.objects.get()), headers={"accept-language": language}))
    return " ".join(page.split())


@pytest.fixture
def _uploaded(acme: Caller) -> None:
    rows = [guide_row(1), guide_row(1, Contenido="Reloj"), guide_row(2, HAWB=None), {"HAWB": "TOTAL", "Bultos": 2}]
    assert acme.upload(workbook_bytes(rows), company_id="7").status_code == 201


@pytest.mark.usefixtures("_uploaded")
@pytest.mark.parametrize(
    ("language", "heading", "weight", "left_out", "unknown"),
    [
        ("en", "How the workbook was understood", "Weight (kg)", "No HAWB", "is not a field of the upload's form"),
        ("es", "Cómo se entendió la planilla", "Peso (kg)", "Sin HAWB", "no es un campo del formulario"),
    ],
)
def test_columns_rows_and_unknown_fields_are_shown(  # the fixture and the words of a language
    staff: Client, language: str, heading: str, weight: str, left_out: str, unknown: str
) -> None:
    page = page_of(staff, language).replace("&#x27;", "'")
    assert heading in page
    assert f"<td>H</td><td>Peso (kg)</td><td>{weight}</td><td>kg</td>" in page
    assert f'<td class="pa-number">6</td><td></td><td>{left_out}</td><td>Sheet</td>' in page
    assert unknown in page


@pytest.mark.usefixtures("_uploaded")
def test_rows_are_counted_by_kind(staff: Client) -> None:
    page = page_of(staff, "en")
    for label, count in {"Rows under the headings": 4, "Further products of a guide": 1, "Left out": 1}.items():
        assert f"<li>{label} <strong>{count}</strong></li>" in page


def test_a_json_manifest_has_no_workbook(staff: Client, acme: Caller) -> None:
    assert acme.post_json(manifest()).status_code == 201
    assert "How the workbook was understood" not in page_of(staff, "en")


def test_each_reason_to_leave_a_row_out_has_its_words() -> None:
    assert set(_REASON_LABELS) == set(get_args(LeftOutReason))


def test_the_times_of_a_flight_have_words_in_both_languages() -> None:
    for language, words in (("en", {"departure", "arrival"}), ("es", {"salida", "llegada"})):
        with translation.override(language):
            assert {field_name(name).lower() for name in ("scheduled_departure", "scheduled_arrival")} == words
