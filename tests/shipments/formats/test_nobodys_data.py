"""A marked sample and marked uploads: nothing of their people in kept tests, export files, alarms or logs."""

import json
from pathlib import Path
from typing import Any

import pytest

from shipments.models import FormatAlarm, FormatTest, FormatVersion
from tests.api.answers import error
from tests.conftest import Caller
from tests.shipments.formats.layouts_of_clients import HEADINGS, NAME, book, format_json, guide, run

pytestmark = pytest.mark.django_db

MARKS = ("Zacarías", "ZACARÍAS", "Uribe", "20512345671", "47000123", "Jirón Ucayali", "987654321", "zacarias@")
MORE = ("Dirección", "Celular", "Correo", "Notas")
FIELDS = ("consignee_address", "consignee_phone", "consignee_email", None)


def marked(number: int, document: Any = "20512345671", **changes: Any) -> list[Any]:
    contact = ("Jirón Ucayali 100, Lima", 987654321, "zacarias@correo.pe", "Llamar a Zacarías Uribe al 987654321")
    return [*guide(number, Quién="Zacarías Uribe", Papel=document, **changes), *contact]


def test_of_a_person_is_kept_beside_guides(
    lima: Caller, tmp_path: Path, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    headings = [*HEADINGS, *MORE]
    columns = [{"heading": heading, "field": field} for heading, field in zip(MORE, FIELDS, strict=True)]
    path, sample = tmp_path / "format.json", tmp_path / "sample.xlsx"
    path.write_text(json.dumps(format_json(columns=columns)), encoding="utf-8")
    above = [["Preparado por Zacarías Uribe", 987654321]]
    rows = [marked(1), marked(2, 47000123, Bruto="1,5"), marked(3, "47000123-X", Plata="veinte")]
    sample.write_bytes(book(*rows, headings=headings, above=above))
    run("import_format", "LIMA", str(path), "--sample", str(sample), "--publish")

    assert lima.upload(book(*rows, headings=headings, above=above)).status_code == 201
    renamed = [*HEADINGS[:4], "Masa total", *HEADINGS[5:], *MORE]
    assert error(lima.upload(book(*rows, headings=renamed, above=above))) == (400, "workbook_format_changed")
    competing = [*headings, "Peso bruto (kg)"]
    heavier = [[*row, 2] for row in rows]
    assert lima.upload(book(*heavier, headings=competing, mawb="045-12345686")).status_code == 201

    (test,) = FormatTest.objects.all()
    assert len(test.expected["guides"]) == 3, "made up"
    kept = [
        run("export_format", "LIMA", NAME),
        json.dumps([test.grid, test.expected], ensure_ascii=False),
        json.dumps([*FormatVersion.objects.values_list("spec", flat=True)], ensure_ascii=False),
        json.dumps([*FormatAlarm.objects.values_list("kind", "headings")], ensure_ascii=False),
        caplog.text,
        *capfd.readouterr(),
    ]
    assert FormatAlarm.objects.count() == 2
    assert [mark for mark in MARKS for text in kept if mark in text] == []
