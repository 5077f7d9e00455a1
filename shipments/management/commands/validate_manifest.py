"""Read a workbook as its upload would, and report the result."""

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from companies.errors import DomainError
from shipments.intake.ingest import kept
from shipments.intake.trial import Trial, try_workbook
from shipments.management.format_command import FormatCommand
from shipments.manifests.manifest import FlightFields
from shipments.manifests.mapped.spec import MAX_FILE_BYTES, FormatInUse, load
from shipments.models import Manifest
from shipments.v1.answers import findings


class Command(FormatCommand):
    help = (
        "Read a workbook as the company's upload would and print the result as JSON, without people's data: the "
        "refusal or null, country, format, MAWB, totals, columns, rows, warnings and notices. Nothing is stored."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("company", metavar="COMPANY", help="The client code.")
        parser.add_argument("file", metavar="FILE.xlsx", type=Path)
        parser.add_argument("--draft", metavar="FILE.json", type=Path, help="Read by this format instead.")
        parser.add_argument(
            "--annotated",
            metavar="OUT.xlsx",
            type=Path,
            help="Write a copy of the workbook with each problem at its cell. It contains people's data.",
        )
        parser.add_argument("--destination-airport", default="", help="As in the upload's form.")

    def handle(self, *args: Any, **options: Any) -> None:
        company, known = self.company(options["company"]), None
        try:
            if options["draft"]:
                with self.refusals_in_words():
                    known = [_draft(options["draft"])]
            form = FlightFields(destination_airport=options["destination_airport"].upper())
            code_of = _no_code if options["annotated"] else None
            with self.refusals_in_words():
                trial = try_workbook(company, options["file"], form, known=known, code_of=code_of)
        except OSError as problem:
            raise CommandError(f"The file cannot be read: {problem.strerror}.") from None
        if options["annotated"]:
            _write(options["annotated"], trial.annotated)
        self.stdout.write(json.dumps(_shown(trial), ensure_ascii=False, indent=1))


def _no_code(_refusal: DomainError) -> str:
    """The codes are the API's; here the sentences say enough."""
    return ""


def _write(path: Path, content: bytes) -> None:
    try:
        path.write_bytes(content)
    except OSError as problem:
        raise CommandError(f"The annotated workbook cannot be written: {problem.strerror}.") from None


def _draft(path: Path) -> FormatInUse:
    with path.open("rb") as file:
        spec, _ = load(file.read(MAX_FILE_BYTES + 1))
    return FormatInUse(0, spec.name, 0, spec)


def _shown(trial: Trial) -> dict[str, Any]:
    refusal = trial.refusal
    told = {"message": refusal.message, **refusal.extras} if refusal else None
    if trial.read is None:
        return {"refusal": told}
    parsed, form = trial.read.parsed, trial.form
    return {
        "refusal": told,
        "country": parsed.country,
        "format": {"name": form.name, "version": form.number} if form else None,
        "mawb": parsed.mawb,
        **findings(Manifest(**kept(parsed))),
    }
