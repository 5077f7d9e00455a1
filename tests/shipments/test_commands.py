"""The commands that move guides: what they do, what they say, and how they end. Another company is always in sight."""

import re
from collections.abc import Iterator
from contextlib import redirect_stderr
from datetime import UTC, datetime
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command, execute_from_command_line
from django.db import OperationalError

from shipments.event_files.template import event_template
from shipments.models import Guide, GuideEvent, Manifest
from shipments.tracking import advancing
from tests.conftest import Caller
from tests.shipments.shipping import assert_sound, bring, shipped

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def other(rival: Caller) -> Iterator[Manifest]:
    """The same MAWB at another company: no command may touch it."""
    manifest = shipped(rival.company, mawb="045-12345675")
    yield manifest
    assert_sound(manifest)
    assert manifest.guides_by_status == {"registered": 3}


@pytest.fixture
def manifest(acme: Caller) -> Manifest:
    return shipped(acme.company, mawb="045-12345675")


def codes(manifest: Manifest) -> list[str]:
    return list(manifest.guides.order_by("id").values_list("tracking_code", flat=True))


def run(*arguments: str, **options: Any) -> str:
    """What a command says on standard output; runs of blanks as one."""
    output = StringIO()
    call_command(*arguments, stdout=output, **options)
    return re.sub(r" +", " ", output.getvalue())


def refused(*arguments: str, **options: Any) -> tuple[str, str]:
    """What a command that ends with exit code 1 says, and how it ends."""
    output = StringIO()
    with pytest.raises(CommandError) as ended:
        call_command(*arguments, stdout=output, **options)
    assert ended.value.returncode == 1
    return re.sub(r" +", " ", output.getvalue()), str(ended.value)


def everything() -> Any:
    """All that a dry run must leave as it is."""
    return (
        list(Manifest.objects.order_by("pk").values()),
        list(Guide.objects.order_by("pk").values()),
        list(GuideEvent.objects.order_by("pk").values()),
    )


class TestAdvanceStatus:
    def test_moves_a_whole_mawb_of_one_company(self, manifest: Manifest) -> None:
        said = run("advance_status", "--to", "in_transit", "--company", "acme", "--mawb", "04512345675")
        assert said == "3 guides: 3 advanced.\n"
        assert_sound(manifest)
        assert manifest.guides_by_status == {"in_transit": 3}

    def test_moves_single_guides_and_keeps_when_why_and_who(self, manifest: Manifest) -> None:
        first, second, _third = codes(manifest)
        run(
            "advance_status", "--to", "customs_held", "--source", "customs", "--at", "2026-03-02T09:30:00-03:00",
            "--internal-note", "Papers", first.lower(), second, first,
        )  # fmt: skip
        assert_sound(manifest)
        assert manifest.guides_by_status == {"registered": 1, "customs_held": 2}
        event = GuideEvent.objects.get(guide__tracking_code=first, status="customs_held")
        assert (event.source, event.occurred_at, event.internal_note, event.actor) == (
            "customs",
            datetime(2026, 3, 2, 12, 30, tzinfo=UTC),
            "Papers",
            "manage.py advance_status",
        )

    def test_says_plainly_what_was_refused_and_that_the_rest_is_done(self, manifest: Manifest) -> None:
        bring(manifest.guides.get(hawb="H002"), "delivered")
        said, end = refused("advance_status", "--to", "in_transit", "--company", "ACME", "--mawb", "045-12345675")
        code = codes(manifest)[1]
        assert f"{code} delivered -> in_transit refused guide_already_terminal:" in said
        assert "3 guides: 2 advanced, 1 refused." in said
        assert end == "1 of 3 guides refused; the others were done."
        assert_sound(manifest)
        assert manifest.guides_by_status == {"in_transit": 2, "delivered": 1}

    def test_refuses_codes_that_are_nobodys_and_moves_the_others(self, manifest: Manifest) -> None:
        first = codes(manifest)[0]
        said, end = refused("advance_status", "--to", "in_transit", "NOSUCHCODE", first)
        assert "NOSUCHCODE in_transit refused not_found" in said
        assert end == "1 of 2 guides refused; the others were done."
        assert Guide.objects.get(tracking_code=first).status == "in_transit"

    @pytest.mark.parametrize(("option", "most"), [("--source", "operator"), ("--to", "cancelled")])
    def test_names_the_words_it_knows_as_they_are_typed(self, manifest: Manifest, option: str, most: str) -> None:
        said = StringIO()
        with pytest.raises(SystemExit) as ended, redirect_stderr(said):
            execute_from_command_line(
                ["manage.py", "advance_status", *codes(manifest), "--to", "lost", option, "wrong"]
            )
        assert ended.value.code == 2
        assert "invalid choice: 'wrong' (choose from" in said.getvalue()
        assert f"'{most}'" in said.getvalue()
        assert "<" not in said.getvalue()
        assert manifest.guides.filter(status="registered").count() == 3

    def test_takes_an_empty_time_for_a_mistake_and_not_for_now(self, manifest: Manifest) -> None:
        _said, end = refused("advance_status", "--to", "lost", "--at", "", *codes(manifest))
        assert end.startswith("--at: Write date and time in ISO 8601")
        assert manifest.guides.filter(status="registered").count() == 3

    def test_says_when_nothing_at_all_was_done(self, manifest: Manifest) -> None:
        _said, end = refused("advance_status", "--to", "returned", *codes(manifest))
        assert end == "3 of 3 guides refused; nothing was changed."

    def test_repeated_changes_nothing_and_is_not_a_failure(self, manifest: Manifest) -> None:
        arguments = ("advance_status", "--to", "in_transit", *codes(manifest))
        run(*arguments)
        before = everything()
        assert run(*arguments) == "3 guides: 3 unchanged.\n"
        assert everything() == before

    def test_shows_in_a_dry_run_what_would_happen_to_each_guide_and_writes_nothing(self, manifest: Manifest) -> None:
        bring(manifest.guides.get(hawb="H002"), "delivered")
        before = everything()
        said, end = refused("advance_status", "--to", "on_hold", "--dry-run", *codes(manifest))
        first, second, third = codes(manifest)
        for code in (first, third):
            assert f"{code} registered -> on_hold advanced" in said
        assert f"{second} delivered -> on_hold refused guide_already_terminal" in said
        assert "Dry run, nothing was changed. 3 guides: 2 advanced, 1 refused." in said
        assert end == "1 of 3 guides would be refused."
        assert everything() == before

    def test_sums_a_long_dry_run_up(self, acme: Caller) -> None:
        long = shipped(acme.company, 120)
        bring(long.guides.get(hawb="H007"), "lost")
        said, _end = refused("advance_status", "--to", "on_hold", "--dry-run", "--company", "ACME", "--mawb", long.mawb)
        assert "119 registered -> on_hold advanced" in said
        assert "1 lost -> on_hold refused" in said
        assert len(said.splitlines()) < 12

    def test_stopped_half_way_says_what_is_done(self, manifest: Manifest, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(advancing, "BATCH_GUIDES", 2)
        write, batches = advancing._Batch.write, iter([None])

        def fail_later(*args: Any) -> None:
            if next(batches, "over") == "over":
                raise OperationalError("DETAIL: a row with personal data")
            write(*args)

        monkeypatch.setattr(advancing._Batch, "write", fail_later)
        said, end = refused("advance_status", "--to", "on_hold", *codes(manifest))
        assert said == ""
        assert "after 2 of 3 (2 advanced). Completed changes are kept; run the same command again for the rest." in end
        assert "personal" not in end
        assert_sound(manifest)
        assert manifest.guides_by_status == {"registered": 1, "on_hold": 2}

    @pytest.mark.parametrize(
        ("arguments", "complaint"),
        [
            (["--to", "in_transit"], "Specify the guides"),
            (["--to", "in_transit", "--company", "ACME"], "Specify the guides"),
            (["--to", "in_transit", "--mawb", "045-12345675"], "Specify the guides"),
            (["--to", "in_transit", "X", "--company", "ACME", "--mawb", "045-12345675"], "Specify the guides"),
            (["--to", "in_transit", "--company", "NOBODY", "--mawb", "045-12345675"], "No company has the code NOBODY"),
            (["--to", "in_transit", "--company", "ACME", "--mawb", "045-12345686"], "ACME has no manifest"),
            (["--to", "in_transit", "--company", "ACME", "--mawb", "many"], "--mawb is not a valid MAWB"),
            (["--to", "in_transit", "--at", "2026-03-02T09:30:00", "{code}"], "--at: Add the offset"),
            (["--to", "in_transit", "--at", "yesterday", "{code}"], "--at: Write date and time"),
            (["--to", "flying", "{code}"], "invalid choice"),
            (["--to", "in_transit", "--source", "rumour", "{code}"], "invalid choice"),
            (["{code}"], "required: --to"),
            (["--to", "in_transit", "--client-note", "x" * 256, "{code}"], "client_note: Enter at most 255"),
        ],
    )
    def test_says_what_is_wrong_with_its_arguments(
        self, manifest: Manifest, arguments: list[str], complaint: str
    ) -> None:
        before = everything()
        with pytest.raises(CommandError, match=re.escape(complaint)):
            call_command("advance_status", *(word.format(code=codes(manifest)[0]) for word in arguments))
        assert everything() == before

    def test_refuses_a_time_to_come_by_its_code(self, manifest: Manifest) -> None:
        said, _end = refused("advance_status", "--to", "lost", "--at", "2099-01-01T00:00:00Z", *codes(manifest))
        assert said.count("event_in_future") == 3


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

    def test_sent_twice_changes_nothing_more(self, file: Path) -> None:
        refused("import_events", str(file))
        before = everything()
        said, _end = refused("import_events", str(file))
        assert "5 rows: 3 unchanged, 2 refused." in said
        assert everything() == before

    def test_without_bad_rows_ends_well(self, manifest: Manifest, tmp_path: Path) -> None:
        path = tmp_path / "scans.csv"
        path.write_text(f"tracking_code,status\n{codes(manifest)[0]},in_transit\n")
        assert run("import_events", str(path)) == "1 row: 1 advanced.\n"

    @pytest.mark.parametrize(
        ("content", "complaint"),
        [
            (b"", "No header row"),
            (b"\x00\x01", "neither CSV nor XLSX"),
            (b"PK\x03\x04nonsense", "The workbook is damaged"),
            (b"\n" * (19 * 1024**2), "more than 1048576 lines; delete the empty ones"),
        ],
    )
    def test_that_cannot_be_read_is_refused_whole(self, tmp_path: Path, content: bytes, complaint: str) -> None:
        path = tmp_path / "scans.csv"
        path.write_bytes(content)
        _said, end = refused("import_events", str(path))
        assert complaint in end

    def test_a_missing_file_is_said_to_be_missing(self, tmp_path: Path) -> None:
        _said, end = refused("import_events", str(tmp_path / "none.csv"))
        assert end == "The file does not exist or cannot be read."

    def test_a_directory_is_not_a_file_either(self, tmp_path: Path) -> None:
        _said, end = refused("import_events", str(tmp_path))
        assert end == "The file does not exist or cannot be read."

    def test_writes_the_template_and_never_over_a_file(self, tmp_path: Path) -> None:
        path = tmp_path / "events.xlsx"
        run("import_events", "--template", str(path))
        assert path.read_bytes()[:4] == event_template().getvalue()[:4]
        _said, end = refused("import_events", "--template", str(path))
        assert end == "The template cannot be written: File exists."


class TestCheckTotals:
    def test_says_that_all_agree(self, manifest: Manifest) -> None:
        assert run("check_totals") == "All totals agree.\n"
        assert_sound(manifest)

    def test_names_what_differs_and_fixes_it_with_fix(self, manifest: Manifest) -> None:
        Manifest.objects.filter(pk=manifest.pk).update(guides_by_status={"delivered": 3}, total_pieces=7)
        said, end = refused("check_totals")
        assert f"ACME 045-12345675 {manifest.pk} total_pieces: stored 7, counted 3" in said
        assert end == "2 totals differ; --fix makes them correct."
        assert "2 totals were corrected." in run("check_totals", "--fix")
        assert_sound(manifest)
        assert run("check_totals") == "All totals agree.\n"

    def test_counts_one_as_one(self, manifest: Manifest) -> None:
        Manifest.objects.filter(pk=manifest.pk).update(total_pieces=7)
        assert refused("check_totals")[1] == "1 total differs; --fix makes it correct."
        assert "1 total was corrected." in run("check_totals", "--fix")


class TestLiftRetention:
    def test_lets_one_guide_go_on(self, acme: Caller) -> None:
        guide, held = shipped(acme.company, 2, country="PE", retention_reason="FOB").guides.order_by("id")
        said = run("lift_retention", guide.tracking_code.lower(), "--reason", "Duties paid")
        assert said == f"{guide.tracking_code} is no longer under retention.\n"
        guide.refresh_from_db()
        held.refresh_from_db()
        assert (guide.retention_required, held.retention_required) == (False, True)
        assert (guide.retention_lifted_by, guide.retention_lifted_reason) == ("manage.py lift_retention", "Duties paid")

    def test_says_why_it_cannot(self, manifest: Manifest) -> None:
        code = codes(manifest)[0]
        assert refused("lift_retention", code, "--reason", "R")[1] == f"{code}: The guide is not under retention."
        assert "No guide has the tracking code" in refused("lift_retention", "NOSUCHCODE", "--reason", "R")[1]
        assert "reason: Say why." in refused("lift_retention", code, "--reason", " ")[1]


class TestVoidManifest:
    ARGUMENTS = ("void_manifest", "--company", "ACME", "--mawb", "045-12345675", "--reason", "Sent twice")

    def test_voids_it_and_says_so(self, acme: Caller, manifest: Manifest) -> None:
        assert run(*self.ARGUMENTS) == (
            "3 guides: 3 advanced.\nThe manifest 045-12345675 is void; its MAWB can be sent again.\n"
        )
        manifest.refresh_from_db()
        assert (manifest.voided_by, manifest.void_reason) == ("manage.py void_manifest", "Sent twice")
        assert "ACME has no manifest" in refused(*self.ARGUMENTS)[1]
        shipped(acme.company, mawb="045-12345675")

    def test_in_a_dry_run_writes_nothing(self, manifest: Manifest) -> None:
        assert manifest.total_guides == 3
        before = everything()
        said = run(*self.ARGUMENTS, "--dry-run")
        assert said.count("registered -> cancelled advanced") == 3
        assert "is void" not in said
        assert everything() == before

    def test_refuses_one_that_is_under_way(self, manifest: Manifest) -> None:
        bring(manifest.guides.get(hawb="H003"), "in_transit")
        before = everything()
        for dry_run in ([], ["--dry-run"]):
            assert "have already moved" in refused(*self.ARGUMENTS, *dry_run)[1]
        assert everything() == before
