"""`advance_status`: what it does, what it says, and how it ends."""

import re
from contextlib import redirect_stderr
from datetime import UTC, datetime
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command, execute_from_command_line
from django.db import OperationalError

from shipments.models import Guide, GuideEvent, Manifest
from shipments.tracking import advancing
from shipments.tracking.rows import LockedRows
from tests.conftest import Caller
from tests.shipments.commands.running import codes, everything, refused, run
from tests.shipments.shipping import assert_sound, bring, shipped

pytestmark = pytest.mark.django_db


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

    @pytest.mark.parametrize("stop", [OperationalError("DETAIL: a row with personal data"), KeyboardInterrupt()])
    def test_stopped_half_way_says_what_is_done(
        self, manifest: Manifest, monkeypatch: pytest.MonkeyPatch, stop: BaseException
    ) -> None:
        monkeypatch.setattr(advancing, "BATCH_GUIDES", 2)
        write, batches = LockedRows.write, iter([None])

        def fail_later(*args: Any) -> None:
            if next(batches, "over") == "over":
                raise stop
            write(*args)

        monkeypatch.setattr(LockedRows, "write", fail_later)
        said, end = refused("advance_status", "--to", "on_hold", *codes(manifest))
        assert said == ""
        assert end.startswith(f"Stopped by {type(stop).__name__}. Completed changes are kept; run the same command")
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
