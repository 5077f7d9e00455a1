"""Drafting a format from a sample, trying it on a workbook, and using it: with commands alone."""

import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management.base import CommandError
from openpyxl import load_workbook

from shipments.formats.publishing import save_version
from shipments.manifests.mapped.spec import from_json
from shipments.models import FormatAlarm, FormatTest, FormatVersion, Guide, Manifest, ManifestFile
from tests.conftest import Caller
from tests.shipments.formats.layouts_of_clients import DNI, HEADINGS, NAME, bind, book, format_json, guide, run

pytestmark = pytest.mark.django_db


@pytest.fixture
def sample(tmp_path: Path) -> Path:
    path = tmp_path / "sample.xlsx"
    headings = ("HAWB", "Consignatario", "DNI", "Contenido", "Peso (lb)", "Valor FOB", "Rarezas")
    path.write_bytes(book(("H1", "Ana Rojas", DNI, "Ropa", "10,5", 20, "x"), headings=headings))
    return path


def test_a_draft_is_completed_tried_and_published(lima: Caller, sample: Path, tmp_path: Path) -> None:
    draft = tmp_path / "draft.json"
    shown = json.loads(run("draft_format", "LIMA", "PE", str(sample), "--output", str(draft)))
    assert shown["missing"] == []
    assert [(each["heading"], each["confidence"]) for each in shown["guesses"]][-1] == ("Rarezas", "none")
    assert shown["format"]["name"] == "sample", "after its file"
    weight, rare = shown["guesses"][4], shown["guesses"][6]
    assert (weight["letter"], weight["samples"], weight["decimals"]) == ("E", ["10,5"], "comma")
    assert (rare["letter"], rare["samples"]) == ("G", ["x"])
    tried = json.loads(run("validate_manifest", "LIMA", str(sample), "--draft", str(draft)))
    assert (tried["refusal"], tried["country"], tried["totals"]["weight_kg"]) == (None, "PE", 4.763)
    assert not any(model.objects.exists() for model in (Manifest, Guide, ManifestFile, FormatVersion))
    run("import_format", "LIMA", str(draft), "--publish")
    answer = lima.upload(sample.read_bytes()).json()
    same = ("mawb", "totals", "columns", "rows", "warnings", "notices", "country")
    assert {name: answer[name] for name in same} == {name: tried[name] for name in same}


def test_a_refusal_is_the_result_and_raises_no_alarm(lima: Caller, tmp_path: Path) -> None:
    bind(lima)
    path = tmp_path / "changed.xlsx"
    path.write_bytes(book(headings=[*HEADINGS[:4], "Masa total", *HEADINGS[5:]]))
    refusal = json.loads(run("validate_manifest", "LIMA", str(path)))["refusal"]
    assert (refusal["format"], refusal["missing"]) == ({"name": NAME, "version": 1}, ["Bruto"])
    assert not FormatAlarm.objects.exists()
    path.write_bytes(book())
    lima.upload(book())
    assert json.loads(run("validate_manifest", "LIMA", str(path)))["refusal"]["manifest_id"]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("draft_format", "LIMA", "PE", "nothing.xlsx"), "cannot be read"),
        (("validate_manifest", "LIMA", "nothing.xlsx"), "cannot be read"),
        (("import_format", "LIMA", "nothing.json"), "cannot be read"),
        (("export_format", "LIMA", "Nada"), "no format 'Nada'"),
        (("publish_format", "LIMA", NAME, "--version", "9"), "no version 9"),
        (("export_format", "LIMA", NAME, "--version", "9"), "no version 9"),
        (("list_formats", "NOBODY"), "NOBODY"),
    ],
)
def test_what_is_not_there_is_refused_by_sentence(lima: Caller, arguments: tuple[Any, ...], sentence: str) -> None:
    bind(lima)
    with pytest.raises(CommandError, match=sentence):
        run(*arguments)


def test_a_trial_can_write_the_annotated_workbook(lima: Caller, tmp_path: Path) -> None:
    bind(lima)
    sent, annotated = tmp_path / "sent.xlsx", tmp_path / "annotated.xlsx"
    sent.write_bytes(book(guide(1, Papel="1234")))
    run("validate_manifest", "LIMA", str(sent), "--annotated", str(annotated))
    problems, sheet = load_workbook(annotated).worksheets
    named = [(row[0], row[2]) for row in problems.iter_rows(min_row=2, values_only=True)]
    assert (4, "Papel") in named
    assert sheet["C4"].value == "1234"
    with pytest.raises(CommandError, match="cannot be written"):
        run("validate_manifest", "LIMA", str(sent), "--annotated", str(tmp_path / "nowhere" / "out.xlsx"))


@pytest.mark.usefixtures("lima")
def test_a_sample_gives_a_test_that_has_nothing_of_its_people(tmp_path: Path) -> None:
    path, sample = tmp_path / "format.json", tmp_path / "sample.xlsx"
    path.write_text(json.dumps(format_json()), encoding="utf-8")
    sample.write_bytes(book(guide(1, Quién="Zacarías Uribe"), guide(2, Papel="47000123", Bruto="1,5")))
    assert run("import_format", "LIMA", str(path), "--sample", str(sample), "--publish").count("\n") == 1
    exported = run("export_format", "LIMA", NAME)
    assert not [mark for mark in ("Zacarías", "Uribe", "47000123", "Ropa") if mark in exported]
    assert run("test_formats") == "1 tests, 0 read differently\n"
    path.write_text(
        json.dumps(format_json(description_original={"empty": ["Zapatillas deportivas 1"]})), encoding="utf-8"
    )
    said = run("import_format", "LIMA", str(path), "--sample", str(sample), "--dry-run")
    assert "No test is kept. Made-up guides are read differently" in said
    sample.write_bytes(book(headings=["A", "B", "C", "D", "E", "F", "G"]))
    with pytest.raises(CommandError, match="does not have the headings"):
        run("import_format", "LIMA", str(path), "--sample", str(sample))
    with pytest.raises(CommandError, match="sample cannot be read"):
        run("import_format", "LIMA", str(path), "--sample", str(tmp_path / "nothing.xlsx"))


def test_another_layout_under_the_same_name_is_saved_once_that_is_confirmed(lima: Caller, tmp_path: Path) -> None:
    bind(lima)
    path = tmp_path / "format.json"
    headings = (*HEADINGS[:3], "Otro 1", "Otro 2", "Otro 3", "Otro 4")
    path.write_text(json.dumps(format_json(headings=headings)), encoding="utf-8")
    with pytest.raises(CommandError, match="Only 3 of the 7 headings of version 1"):
        run("import_format", "LIMA", str(path))
    assert "version 2: saved" in run("import_format", "LIMA", str(path), "--despite-headings")
    path.write_text(json.dumps(format_json(headings=(*HEADINGS[:4], *headings[4:]))), encoding="utf-8")
    assert "version 3: saved" in run("import_format", "LIMA", str(path)), "four of seven"


def test_stored_workbooks_are_compared_with_what_was_read_of_them(lima: Caller, rival: Caller) -> None:
    bind(lima)
    bind(rival)
    for caller in (lima, rival):
        assert caller.upload(book(guide(1), guide(2, Quién="Zacarías Uribe"))).status_code == 201
    assert "the same" in run("test_formats", "LIMA", "--past")
    Guide.objects.filter(manifest__company=lima.company, hawb="H0001").update(weight_kg=3)
    assert run("test_formats", "RIVAL", "--past").count("the same") == 1
    with pytest.raises(CommandError, match="read differently"):
        run("test_formats", "--past")


def test_only_the_newest_ten_tests_are_kept(lima: Caller) -> None:
    saved = bind(lima)
    grid = [["MAWB", "045-12345675"]]
    for number in range(12):
        tests = [{"name": f"t{number}", "grid": grid, "expected": {"refused": "not_recognised"}}]
        save_version(lima.company, from_json(saved.spec), actor="ana", tests=tests)
    assert [*FormatTest.objects.order_by("pk").values_list("name", flat=True)] == [f"t{n}" for n in range(2, 12)]


@pytest.mark.usefixtures("lima")
def test_the_row_of_the_headings_can_be_told(tmp_path: Any) -> None:
    sample = tmp_path / "sample.xlsx"
    sample.write_bytes(book(above=[["Guía", "Destinatario", "Peso", "Contenido", "Valor", "Bultos"]]))
    arguments = ("draft_format", "LIMA", "PE", str(sample))
    headings = [column["heading"] for column in json.loads(run(*arguments, "--row", "4"))["format"]["columns"]]
    assert headings == [*HEADINGS]
    for options in (("--row", "99"), ("--row", "4", "--sheet", "Otra"), ("--sheet", "Sheet"), ("--two-rows",)):
        with pytest.raises(CommandError, match=r"found there|need --row"):
            run(*arguments, *options)
