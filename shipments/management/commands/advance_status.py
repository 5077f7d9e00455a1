"""Apply one event to guides, given one by one or by their MAWB."""

from argparse import ArgumentParser
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.core.management.base import CommandError
from django.db.models import QuerySet

from shipments.management.moving_command import MovingCommand, in_order_of_first_mention
from shipments.management.screen import Line
from shipments.manifests.flights import moment
from shipments.models import Guide
from shipments.statuses import GuideStatus, Source
from shipments.tracking.advancing import advance
from shipments.tracking.moves import Fact, Outcome
from shipments.tracking.results import Result

# Plain strings, because argparse shows the choices by their repr in its errors.
_STATUSES = [status.value for status in GuideStatus]
_SOURCES = [source.value for source in Source]


class Command(MovingCommand):
    help = "Advance guides to a status: those whose tracking codes are given, or all of a company's MAWB."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("tracking_codes", nargs="*", metavar="TRACKING_CODE", help="Guides, one by one.")
        parser.add_argument("--company", metavar="CODE", help="The owner's client code; needs --mawb.")
        parser.add_argument("--mawb", help="Every guide of this MAWB; needs --company.")
        parser.add_argument("--to", required=True, choices=_STATUSES, metavar="STATUS", help=", ".join(_STATUSES))
        parser.add_argument(
            "--source", default=Source.OPERATOR.value, choices=_SOURCES, help="Who tells it (default: operator)."
        )
        parser.add_argument("--at", metavar="ISO", help="When it happened, with an offset; without it: now.")
        parser.add_argument("--reason", default="", help="Why, for people; at most 255 characters.")
        parser.add_argument("--dry-run", action="store_true", help="Show what would happen, and write nothing.")

    def handle(self, *args: Any, **options: Any) -> None:
        codes = in_order_of_first_mention(options["tracking_codes"])
        fact = Fact(
            GuideStatus(options["to"]), Source(options["source"]), _moment(options["at"]), options["reason"].strip()
        )
        guides, missing = self._guides(codes, options["company"], options["mawb"])
        dry_run = options["dry_run"]

        def move(after_batch: Any) -> Sequence[Result]:
            return advance(guides, fact, actor=self.actor, dry_run=dry_run, after_batch=after_batch)

        results = self.run(move, total=guides.count())
        lines = [*map(Line.of, results), *(_not_found(code, fact.status) for code in missing)]
        self.report(lines, dry_run=dry_run, no_color=options["no_color"], what="guide")

    def _guides(self, codes: list[str], client_code: str | None, mawb: str | None) -> tuple[QuerySet[Guide], list[str]]:
        """Return the guides that were named, and the tracking codes that were not found."""
        if bool(codes) is bool(client_code or mawb) or bool(client_code) is not bool(mawb):
            raise CommandError("Name the guides: TRACKING_CODE ..., or --company CODE and --mawb MAWB.")
        if client_code and mawb:
            return self.manifest(client_code, mawb).guides.all(), []
        guides = Guide.objects.filter(tracking_code__in=codes)
        known = set(guides.values_list("tracking_code", flat=True))
        return guides, [code for code in codes if code not in known]


def _moment(text: str | None) -> datetime | None:
    if text is None:
        return None
    try:
        return moment(text)
    except ValueError as problem:
        raise CommandError(f"--at: {problem}") from None


def _not_found(code: str, status: GuideStatus) -> Line:
    return Line(code, status.value, Outcome.REFUSED, "not_found: No guide has this tracking code.")
