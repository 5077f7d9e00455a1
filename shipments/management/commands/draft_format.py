import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError
from openpyxl.utils import get_column_letter

from companies.countries import SERVED
from shipments.formats.drafting import name_of_file
from shipments.management.shipments_command import ShipmentsCommand
from shipments.manifests.cells import Workbook
from shipments.manifests.mapped.guess import draft
from shipments.manifests.mapped.sample import HeadingPlace
from shipments.manifests.mapped.spec import LONGEST_NAME, missing_fields
from shipments.manifests.xlsx import opening


class Command(ShipmentsCommand):
    help = (
        "Print a draft of a workbook format as JSON: `format`, what each column was taken for and the evidence in "
        "`guesses` with its letter, first values and decimal mark, and the fields in `missing` for which no column was "
        "found. Complete it before importing it. The sample is not kept; the first values are people's data."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("company", metavar="COMPANY", help="The client code.")
        parser.add_argument("country", metavar="COUNTRY", choices=[*SERVED])
        parser.add_argument("sample", metavar="SAMPLE.xlsx", type=Path)
        parser.add_argument("--sheet", help="The sheet of the headings; by default the first one that has any.")
        parser.add_argument("--row", type=int, help="The row of the headings; by default the likeliest one.")
        parser.add_argument("--two-rows", action="store_true", help="The row above --row has groups of headings.")
        parser.add_argument("--output", type=Path, metavar="FILE.json", help="Write the format alone into a new file.")

    def handle(self, *args: Any, **options: Any) -> None:
        company, country = self.company(options["company"]), options["country"]
        if options["row"] is None and (options["sheet"] is not None or options["two_rows"]):
            raise CommandError("--sheet and --two-rows need --row.")
        name = name_of_file(str(options["sample"])) or company.name[:LONGEST_NAME]
        unreadable = self.files_or("The sample cannot be read")
        with unreadable, self.refusals_in_words(), opening.reading(options["sample"]) as book:
            content, guesses = draft(book, country, name, _place(book, options))
        if not content:
            place = "there" if options["row"] is not None else "on any visible sheet"
            raise CommandError(f"No row of headings was found {place}.")
        if options["output"]:
            with self.files_or("The format cannot be written"), options["output"].open("x", encoding="utf-8") as file:
                json.dump(content, file, ensure_ascii=False, indent=1)
        shown = {
            "format": content,
            "guesses": [{"letter": get_column_letter(guess.column + 1), **guess._asdict()} for guess in guesses],
            "missing": missing_fields(country, {column["field"] for column in content["columns"]}),
        }
        self.stdout.write(json.dumps(shown, ensure_ascii=False, indent=1))


def _place(book: Workbook, options: dict[str, Any]) -> HeadingPlace | None:
    if options["row"] is None:
        return None
    sheet = options["sheet"] or next((sheet.name for sheet in book.sheets), "")
    return HeadingPlace(sheet, options["row"], 2 if options["two_rows"] else 1)
