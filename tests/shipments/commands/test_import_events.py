"""`import_events`: what it does, what it says, and how it ends."""

from pathlib import Path

import pytest

from shipments.admin.event_files import event_template
from shipments.models import GuideEvent, Manifest
from tests.shipments.commands.running import codes, everything, refused, run
from tests.shipments.shipping import assert_sound

pytestmark = pytest.mark.django_db


class TestImportEvents:
    @pytest.fixture
    def file(self, tmp_path: Path, manifest: Manifest) -> Path:
        first, second, third = codes(manifest)
        lines = [
            "Código de seguimiento;Estado;Fecha y hora;Fuente;Motivo",
            f"{first};entregado;2026-03-02T12:00:00-03:00;courier_scan;",
            f"{first};en reparto;2026-03-02T10:00:00-03:00;courier_scan;Móvil 7",
            f"{second};delivered;2026-03-02T11:00:00-03:00;;",
            "NOSUCHCODE;delivered;2026-03-02T11:00:00-03:00;;",
            f"{third};flying;2026-03-02T11:00:00-03:00;;",
        ]
        path = tmp_path / "scans.csv"
        path.write_bytes("\r\n".join(lines).encode("latin-1"))
        return path

    def test_does_the_good_rows_and_reports_the_bad_ones_by_their_number(self, manifest: Manifest, file: Path) -> None:
        said, end = refused("import_events", str(file))
        assert "5 NOSUCHCODE refused No guide has this tracking code" in said
        assert "6 " in said
        assert 'The status "flying" is unknown' in said
        assert "5 rows: 3 advanced, 2 refused." in said
        assert end == "2 of 5 rows refused; the others were done."
        assert_sound(manifest)
        assert manifest.guides_by_status == {"registered": 1, "delivered": 2}
        event = GuideEvent.objects.get(status="out_for_delivery")
        assert (event.internal_note, event.source, event.actor) == (
            "Móvil 7",
            "courier_scan",
            "manage.py import_events",
        )

    def test_shows_in_a_dry_run_what_would_happen_to_each_row_and_writes_nothing(
        self, manifest: Manifest, file: Path
    ) -> None:
        before = everything()
        said, end = refused("import_events", str(file), "--dry-run")
        first, second, _third = codes(manifest)
        assert f"2 {first} out_for_delivery -> delivered advanced" in said
        assert f"3 {first} registered -> out_for_delivery advanced" in said
        assert f"4 {second} registered -> delivered advanced" in said
        assert end == "2 of 5 rows would be refused."
        assert everything() == before

    def test_without_bad_rows_ends_well(self, manifest: Manifest, tmp_path: Path) -> None:
        path = tmp_path / "scans.csv"
        path.write_text(f"tracking_code,status\n{codes(manifest)[0]},in_transit\n")
        assert run("import_events", str(path)) == "1 row: 1 advanced.\n"

    def test_that_cannot_be_read_is_refused_whole(self, tmp_path: Path) -> None:
        path = tmp_path / "scans.csv"
        path.write_bytes(b"PK\x03\x04nonsense")
        assert "The workbook is damaged" in refused("import_events", str(path))[1]

    def test_a_missing_file_and_a_directory_are_said_to_be_none(self, tmp_path: Path) -> None:
        for path in (tmp_path / "none.csv", tmp_path):
            assert refused("import_events", str(path))[1] == "The file does not exist or cannot be read."

    def test_writes_the_template_and_never_over_a_file(self, tmp_path: Path) -> None:
        path = tmp_path / "events.xlsx"
        run("import_events", "--template", str(path))
        assert path.read_bytes()[:4] == event_template().getvalue()[:4]
        _said, end = refused("import_events", "--template", str(path))
        assert end == "The template cannot be written: File exists."
