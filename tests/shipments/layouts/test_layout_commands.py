"""`confirm_layout` and `check_layouts`: a layout is confirmed from a workbook, and an upgrade says what it changes."""

import json
from datetime import timedelta
from pathlib import Path

import pytest
from django.core.management import CommandError
from django.utils import timezone

from shipments.layouts.answering import confirm
from shipments.manifests.sheets import evidence, layouts
from shipments.models import Layout
from tests.books import HEADER, guide_row, workbook_bytes
from tests.conftest import Caller
from tests.factories import CourierFactory
from tests.shipments.commands.running import refused, run

pytestmark = pytest.mark.django_db

ORDERS = workbook_bytes(
    [guide_row(1, Pedido="P-771"), guide_row(2, Pedido="P-902")], header=("Pedido", *HEADER[1:]), mawb="045-70310122"
)
"""Guides that only their orders identify."""


@pytest.fixture
def book(tmp_path: Path) -> Path:
    path = tmp_path / "orders.xlsx"
    path.write_bytes(ORDERS)
    return path


@pytest.mark.parametrize("command", ["confirm_layout", "import_layouts", "export_layouts"])
def test_a_courier_has_no_layouts(book: Path, command: str) -> None:
    further = {"confirm_layout": [str(book), "--country", "CL"], "import_layouts": [str(book)]}.get(command, [])
    with pytest.raises(CommandError, match="only clients have layouts"):
        run(command, CourierFactory.create().client_code, *further)
    assert Layout.objects.count() == 0


def test_a_layout_is_confirmed_by_answers_and_its_workbooks_are_read_by_them(
    acme: Caller, rival: Caller, book: Path, tmp_path: Path
) -> None:
    assert acme.upload(ORDERS).json()["error"] == "hawb_in_doubt"
    with pytest.raises(CommandError, match="which column is the HAWB"):
        run("confirm_layout", "ACME", str(book), "--country", "CL")
    answers = tmp_path / "answers.json"
    answers.write_text(json.dumps({"answers": [{"heading": "Pedido", "field": "hawb"}]}))
    said = run("confirm_layout", "ACME", str(book), "--country", "CL", "--answers", str(answers))
    assert "A\tPedido\thawb" in said
    layout = Layout.objects.of(acme.company).get()
    assert layout.confirmed_at is not None
    body = acme.upload(ORDERS).json()
    assert (body["guides"][0]["hawb"], body["questions"]) == ("P-771", [])
    assert {each["strength"] for each in body["columns"]} == {"told"}
    assert "layout_not_confirmed" not in {each["code"] for each in body["notices"]}
    assert rival.upload(ORDERS).json()["error"] == "hawb_in_doubt"


def test_what_has_no_guides_or_no_answers_is_refused_in_words(acme: Caller, book: Path, tmp_path: Path) -> None:  # noqa: ARG001  # its company
    none, text = tmp_path / "none.xlsx", tmp_path / "answers.json"
    text.write_text("{")
    for arguments, said in (
        ((str(none),), "The workbook cannot be read"),
        ((str(text),), "xlsx"),
        ((str(book), "--answers", str(text)), "not JSON"),
        ((str(book), "--answers", str(none)), "The answers cannot be read"),
    ):
        with pytest.raises(CommandError, match=said):
            run("confirm_layout", "ACME", *arguments, "--country", "CL")


class TestChecking:
    @pytest.fixture(autouse=True)
    def layouts(self, acme: Caller, rival: Caller) -> None:
        acme.upload()
        rival.upload(ORDERS)

    @pytest.fixture
    def upgrade(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """From now on, no heading names any field."""
        monkeypatch.setattr(layouts, "TABLE", dict.fromkeys(evidence.TABLE, ((evidence.Strength.NO,) * 4,) * 2))

    def test_nothing_changes_without_an_upgrade(self) -> None:
        assert run("check_layouts") == "0 layouts change\n"

    @pytest.mark.usefixtures("upgrade")
    def test_a_heading_that_is_understood_otherwise_is_named(self) -> None:
        said, _end = refused("check_layouts", "ACME")
        assert "ACME\tCL" in said
        assert "HAWB: hawb sure → hawb no" in said
        assert "RIVAL" not in said

    @pytest.mark.usefixtures("upgrade")
    def test_a_confirmed_layout_changes_only_where_it_would_be_refused(self) -> None:
        layout = Layout.objects.get(company__client_code="ACME")
        confirm(layout, None)
        assert run("check_layouts", "ACME") == "0 layouts change\n"
        layout.answers.filter(field="weight_kg").update(field="weight")
        assert "confirmed, would be refused" in refused("check_layouts", "ACME")[0]

    @pytest.mark.usefixtures("upgrade")
    def test_what_was_not_seen_for_long_is_left_out(self) -> None:
        Layout.objects.update(last_seen_at=timezone.now() - timedelta(days=91))
        assert run("check_layouts") == "0 layouts change\n"
