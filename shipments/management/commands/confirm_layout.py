import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from base.errors import DomainError
from companies.countries import SERVED
from companies.models import Company
from shipments.errors import WorkbookFormatChanged
from shipments.intake.workbook_reading import WorkbookReading
from shipments.layouts.answering import describe_layout
from shipments.layouts.files import MAX_FILE_BYTES, confirm_seen
from shipments.management.shipments_command import ShipmentsCommand
from shipments.manifests.destinations import an_airport_in
from shipments.manifests.findings import Collecting
from shipments.manifests.manifest import FlightFields
from shipments.manifests.xlsx import opening
from shipments.models import Layout


class Command(ShipmentsCommand):
    help = (
        "Confirm the layout of a workbook, so that the company's workbooks for the country are read as it says: each "
        "filled column as it is read now, or as --answers says. No guide is created, and none is changed."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("company", metavar="COMPANY", help="The client code.")
        parser.add_argument("file", metavar="FILE.xlsx", type=Path)
        parser.add_argument("--country", choices=[*SERVED], required=True, help="Of the destination.")
        parser.add_argument(
            "--answers", metavar="FILE.json", type=Path, help="What columns are, as the API takes it: answers, labels."
        )

    def handle(self, *args: Any, **options: Any) -> None:
        body = None
        if options["answers"]:
            with self.files_or("The answers cannot be read"), options["answers"].open("rb") as file:
                content = file.read(MAX_FILE_BYTES)
            try:
                body = json.loads(content)
            except ValueError:
                raise CommandError("The answers are not JSON.") from None
        company, path = self.client(options["company"]), options["file"]
        with self.files_or("The workbook cannot be read"), self.refusals_in_words():
            layout = _find_layout(company, path, options["country"])
            found = confirm_seen(layout, body)
        for column in describe_layout(Layout.objects.get(pk=layout.pk))["columns"]:
            measure = column["unit"] or column["currency"]
            what = " ".join(filter(None, [column["field"] or f"kept {column['key']}".strip(), measure]))
            self.stdout.write(f"{column['column']}\t{column['heading']}\t{what}")
        self.stdout.write(f"{layout.pk}: confirmed for {layout.country}; registered guides that differ: {found.total}")


def _find_layout(company: Company, path: Path, country: str) -> Layout:
    """Return the layout of a workbook, remembered if it is new. Raises the refusal of a workbook that has none."""
    form, refusing = FlightFields(destination_airport=an_airport_in(country)), Collecting()
    reading = WorkbookReading(company, form, refusing=refusing, is_remembered=True)
    refused: DomainError | None = None
    try:
        with opening.reading(path) as book:
            reading.read(book)
    except DomainError as error:
        refused = error
    changed = next((each for each in refusing.refusals if isinstance(each, WorkbookFormatChanged)), None)
    if reading.layout is None or changed:
        raise changed or refused or next(iter(refusing.refusals), CommandError("The workbook has no table of guides."))
    return reading.layout
