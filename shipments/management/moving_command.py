"""Base class of the commands that move guides: selecting the guides and reporting the results."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from django.core.checks import Tags
from django.core.management.base import CommandError
from django.db import DatabaseError

from companies.errors import DomainError
from companies.management.company_command import CompanyCommand
from shipments.management import screen
from shipments.management.screen import Line
from shipments.manifests.waybills import normal_mawb
from shipments.models import Guide, Manifest
from shipments.tracking.moves import Outcome
from shipments.tracking.results import Result

WHAT_STANDS = "what was done stands"


class MovingCommand(CompanyCommand):
    """A command that moves guides. `actor` is recorded on the timeline."""

    # Scripts run these commands often. The other checks import the whole admin, which takes longer than the command.
    requires_system_checks = [Tags.security]

    _what_stands = "nothing was changed"

    def execute(self, *args: Any, **options: Any) -> str | None:  # noqa: ANN401  # Django's signature
        """Run the command. Interrupting it before or after the guides are moved is reported without a traceback."""
        try:
            output: str | None = super().execute(*args, **options)
        except KeyboardInterrupt:
            raise CommandError(f"Stopped; {self._what_stands}.") from None
        return output

    @property
    def actor(self) -> str:
        return f"manage.py {self.__module__.rpartition('.')[2]}"

    def manifest(self, client_code: str, mawb: str) -> Manifest:
        """Return the company's manifest with this MAWB, in any spelling. Raises `CommandError`."""
        company = self.company(client_code)
        number = normal_mawb(mawb)
        if number is None:
            raise CommandError("--mawb is no MAWB: write three digits, a hyphen and eight digits.")
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

    def run(self, move: Callable[[Callable[[Sequence[Result]], None]], Any], total: int) -> Any:  # noqa: ANN401  # what `move` gives
        """Call `move` with a callback to call after each batch. If it is interrupted, report what was already saved.

        Raises `CommandError`, also when the domain refuses the call as a whole.
        """
        self._what_stands = WHAT_STANDS
        done: list[Outcome] = []
        with screen.progress(total) as advance_bar:

            def after_batch(results: Sequence[Result]) -> None:
                done.extend(result.outcome for result in results)
                advance_bar(results)

            try:
                return move(after_batch)
            except DomainError as refused:
                raise CommandError(told(refused)) from refused
            except (DatabaseError, KeyboardInterrupt) as stopped:
                # Only the type: a database's message may quote a whole row.
                message = (
                    f"Stopped by {type(stopped).__name__} after {len(done):,} of {total:,} ({screen.tally(done)}). "
                    "What was done stands; the same command again does the rest."
                )
                raise CommandError(message) from None

    def report(self, lines: Sequence[Line], *, dry_run: bool, no_color: bool, what: str) -> None:
        """Show the preview or the refusals, and a summary.

        what: what a line describes, in the singular.
        Raises `CommandError`, for exit code 1, if anything was refused.
        """
        console = screen.console(self.stdout, no_color=no_color)
        refused = [line for line in lines if line.outcome is Outcome.REFUSED]
        if dry_run:
            screen.show(console, lines, "What would happen")
        else:
            screen.show(console, refused, "Refused")
        sum_of_it = f"{_counted(len(lines), what)}: {screen.tally(line.outcome for line in lines)}."
        console.print(f"Dry run, nothing was written. {sum_of_it}" if dry_run else sum_of_it)
        if refused:
            raise CommandError(_refused_part(len(refused), len(lines), what, dry_run=dry_run))


def told(refused: DomainError) -> str:
    """Return a refusal with its details on one line."""
    details = [f"{field}: {message}" for field, messages in refused.details.items() for message in messages]
    return " ".join(details or [refused.message])


def _refused_part(refused: int, all_of_them: int, what: str, *, dry_run: bool) -> str:
    part = f"{refused:,} of {_counted(all_of_them, what)}"
    if dry_run:
        return f"{part} would be refused."
    if refused == all_of_them:
        return f"{part} refused; nothing was changed."
    return f"{part} refused; what is not refused was done and stands."


def _counted(number: int, what: str) -> str:
    return f"{number:,} {what}" if number == 1 else f"{number:,} {what}s"


def in_order_of_first_mention(codes: Iterable[str]) -> list[str]:
    """Return the tracking codes in their stored form, without duplicates."""
    return list(dict.fromkeys(code.strip().upper() for code in codes))
