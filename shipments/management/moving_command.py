"""Base class of the commands that move guides: selecting the guides and reporting the results."""

from argparse import ArgumentParser
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any, TypeVar

from django.core.checks import Tags
from django.core.management.base import CommandError
from django.db import DatabaseError
from django.db.models import QuerySet

from shipments.management import screen
from shipments.management.screen import ScreenLine
from shipments.management.shipments_command import ShipmentsCommand
from shipments.manifests.flights import moment
from shipments.manifests.waybills import normal_mawb
from shipments.models import Guide, Manifest
from shipments.statuses import GuideStatus
from shipments.tracking.moves import Move, Outcome

_Moved = TypeVar("_Moved")


class MovingCommand(ShipmentsCommand):
    """A command that moves guides. `actor` is recorded on the timeline."""

    # Scripts run these commands often. The other checks import the whole admin, which takes longer than the command.
    requires_system_checks = [Tags.security]

    def manifest(self, client_code: str, mawb: str) -> Manifest:
        """Return the company's manifest with this MAWB, in any spelling. Raises `CommandError`."""
        company = self.company(client_code)
        number = normal_mawb(mawb)
        if number is None:
            raise CommandError("--mawb is not a valid MAWB: three digits, a hyphen and eight digits.")
        try:
            return Manifest.objects.of(company).without_findings().get(mawb=number)
        except Manifest.DoesNotExist:
            raise CommandError(f"{company.client_code} has no manifest {number}.") from None

    def guide(self, tracking_code: str) -> Guide:
        """Return the guide with this tracking code, in any case. Raises `CommandError`."""
        code = tracking_code.strip().upper()
        try:
            return Guide.objects.get(tracking_code=code)
        except Guide.DoesNotExist:
            raise CommandError(f"No guide has the tracking code {code}.") from None

    def move_named(
        self, options: Mapping[str, Any], status: GuideStatus, move: Callable[..., Sequence[Move]], *what: object
    ) -> None:
        """Move the guides that the options name, and report it. Raises `CommandError`.

        move: `advance` or `take_back`, called with the guides and `what`. status: what lines of unknown codes show.
        """
        guides, missing = self._guides(options)
        named = {"actor": self.actor, "dry_run": options["dry_run"]}
        moves = self.run(lambda: move(guides, *what, **named))
        lines = [*map(ScreenLine.of, moves), *(ScreenLine.not_found(code, status) for code in missing)]
        self.report(lines, options)

    def _guides(self, options: Mapping[str, Any]) -> tuple[QuerySet[Guide], list[str]]:
        """Return the guides that were named, and the tracking codes that were not found, each once."""
        codes = list(dict.fromkeys(code.strip().upper() for code in options["tracking_codes"]))
        client_code, mawb = options["company"], options["mawb"]
        if bool(codes) is bool(client_code or mawb) or bool(client_code) is not bool(mawb):
            raise CommandError("Specify the guides: TRACKING_CODE ..., or --company CODE and --mawb MAWB.")
        if client_code and mawb:
            return self.manifest(client_code, mawb).guides.all(), []
        guides = Guide.objects.filter(tracking_code__in=codes)
        known = set(guides.values_list("tracking_code", flat=True))
        return guides, [code for code in codes if code not in known]

    def run(self, move: Callable[[], _Moved]) -> _Moved:
        """Return what `move` returns. Raises `CommandError` if the domain refuses it as a whole, or it is stopped."""
        try:
            with self.refusals_in_words():
                return move()
        except (DatabaseError, KeyboardInterrupt) as stopped:
            # Only the type: a database's message may quote a whole row.
            raise CommandError(
                f"Stopped by {type(stopped).__name__}. Completed changes are kept; run the same command again for the "
                "rest."
            ) from None

    def report(self, lines: Sequence[ScreenLine], options: Mapping[str, Any], *, what: str = "guide") -> None:
        """Show the preview or the refusals, and a summary.

        what: what a line describes, in the singular.
        Raises `CommandError`, for exit code 1, if anything was refused.
        """
        dry_run = options["dry_run"]
        console = screen.console(self.stdout, no_color=options["no_color"])
        refused = [line for line in lines if line.outcome is Outcome.REFUSED]
        if dry_run:
            screen.show(console, lines, "Preview")
        else:
            screen.show(console, refused, "Refused")
        summary = f"{_number_of(len(lines), what)}: {screen.tally(line.outcome for line in lines)}."
        console.print(f"Dry run, nothing was changed. {summary}" if dry_run else summary)
        if refused:
            part = f"{len(refused):,} of {_number_of(len(lines), what)}"
            if dry_run:
                raise CommandError(f"{part} would be refused.")
            rest = "nothing was changed" if len(refused) == len(lines) else "the others were done"
            raise CommandError(f"{part} refused; {rest}.")


def add_dry_run(parser: ArgumentParser) -> None:
    parser.add_argument("--dry-run", action="store_true", help="Show what would happen; change nothing.")


def add_guide_arguments(parser: ArgumentParser) -> None:
    """Add the arguments that name guides; see `MovingCommand.move_named`."""
    parser.add_argument("tracking_codes", nargs="*", metavar="TRACKING_CODE", help="Guides, by tracking code.")
    parser.add_argument("--company", metavar="CODE", help="The owner's client code; needs --mawb.")
    parser.add_argument("--mawb", help="Every guide of this MAWB; needs --company.")


def moment_argument(text: str | None) -> datetime | None:
    """Return the time given as `--at`, with its offset; None without one. Raises `CommandError`."""
    if text is None:
        return None
    try:
        return moment(text)
    except ValueError as problem:
        raise CommandError(f"--at: {problem}") from None


def _number_of(number: int, what: str) -> str:
    return f"{number:,} {what}" if number == 1 else f"{number:,} {what}s"
