import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from shipments.intake.ingest import to_columns
from shipments.intake.trial import try_workbook
from shipments.management.shipments_command import ShipmentsCommand
from shipments.manifests.manifest import FlightFields
from shipments.models import Manifest
from shipments.v1.answers import findings


class Command(ShipmentsCommand):
    help = (
        "Read a workbook as the company's upload would and print the result as JSON, without people's data: the "
        "refusal or null, country, MAWB, totals, columns, rows, warnings and notices. Nothing is stored."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("company", metavar="COMPANY", help="The client code.")
        parser.add_argument("file", metavar="FILE.xlsx", type=Path)
        parser.add_argument(
            "--annotated",
            metavar="OUT.xlsx",
            type=Path,
            help="Write a copy of the workbook with each problem at its cell. It contains people's data.",
        )
        parser.add_argument("--destination-airport", default="", help="As in the upload's form.")

    def handle(self, *args: Any, **options: Any) -> None:
        company = self.company(options["company"])
        form = FlightFields(destination_airport=options["destination_airport"].upper())
        with self.files_or("The file cannot be read"), self.refusals_in_words():
            trial = try_workbook(company, options["file"], form, is_annotated=bool(options["annotated"]))
        if options["annotated"]:
            with self.files_or("The annotated workbook cannot be written"):
                options["annotated"].write_bytes(trial.annotated)
        refusal = trial.refusal
        result: dict[str, Any] = {"refusal": {"message": refusal.message, **refusal.extras} if refusal else None}
        if trial.read:
            parsed = trial.read.parsed
            result |= {"country": parsed.country, "mawb": parsed.mawb, **findings(Manifest(**to_columns(parsed)))}
        self.stdout.write(json.dumps(result, ensure_ascii=False, indent=1))
