"""Every workbook of the tests' tables and of the examples, as an upload reads it, in both languages."""

import json
import random
from collections.abc import Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import transaction
from django.test import Client

from companies.countries import SERVED
from shipments.manifests.cells import Sheet
from shipments.models import Guide
from tests.factories import ClientFactory, password_of
from tests.shipments.layouts import fresh_layouts
from tests.shipments.manifests import (
    destination_cases,
    layouts,
    nasty_workbooks,
    sheet_cases,
    traps,
    understanding_cases,
)
from tests.shipments.manifests.made_sheets import MAWB_LABEL, sheet
from tests.shipments.manifests.xlsx_files import save
from tools.recordings.journal import Journal, content_of, head_of

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"
API = "/api/public/pre-alerts/v1"
MAWB = "045-12345675"


def sheets() -> Iterator[tuple[str, list[Sheet]]]:
    """Name and sheets of each case of the tests' tables."""
    for kind in ("USUAL", "WRONG", "EMPTY"):
        for case in getattr(understanding_cases, kind):
            yield f"{kind.lower()}: {case.name}", [sheet(*case.rows())]
    for name, cases in sheet_cases.CLASSES.items():
        for case in cases:
            yield f"{name}: {case.name}", [*case.sheets]
    for name, nasty in nasty_workbooks.NASTY.items():
        yield f"nasty: {name}", nasty.sheets
    for trap in traps.some_traps(240, seed=4):
        yield f"trap: {trap.name}", [sheet(MAWB_LABEL, trap.headings, *trap.rows)]
    for value, _country in destination_cases.DOMESTIC:
        yield f"destination: {value}", [destination_cases.beside(value)]
    for value in destination_cases.FOREIGN:
        yield f"destination: {value}", [destination_cases.below(value)]
    for label in destination_cases.LABELS:
        yield f"destination: {label}", [destination_cases.beside("LIM", label)]


def files() -> Iterator[tuple[str, bytes]]:
    """Name and content of every workbook."""
    with TemporaryDirectory() as scratch:
        path = Path(scratch) / "case.xlsx"
        for name, case in sheets():
            save(case, path)
            yield name, path.read_bytes()
        guides = [
            layouts.Written(
                f"81000{at}", ("Ana", "Rojas", "Soto"), (12345678, "5"), "Prat", at, "Macul", "Ropa", at, at * 450, 1999
            )
            for at in range(1, 4)
        ]
        for name, layout in layouts.LAYOUTS.items():
            save(layouts.write(layout, MAWB, guides, random.Random(1)), path)  # noqa: S311  # no secret
            yield f"layout: {name}", path.read_bytes()
    for path in sorted(EXAMPLES.glob("*.xlsx")):
        yield f"example: {path.name}", path.read_bytes()
    for country in sorted(SERVED):
        yield f"template: {country}", Client().get(f"/docs/templates/manifest-{country}.xlsx").getvalue()


class Reader:
    """A company that uploads, and forgets each upload."""

    def __init__(self, journal: Journal, *countries: str) -> None:
        company = ClientFactory.create(client_code=f"READS{''.join(countries)}", allowed_countries=[*countries])
        self.journal, self.bearer = journal, {"Authorization": f"Bearer {password_of(company)}"}

    def upload(self, content: bytes, language: str) -> dict[str, Any]:
        """Record an upload: the answer, and in English the guides that it made."""
        sent = {"manifest_file": SimpleUploadedFile("manifest.xlsx", content)}
        answer = Client().post(f"{API}/upload", sent, headers={**self.bearer, "Accept-Language": language})
        guides = Guide.objects.order_by("pk").values() if language == "en" else ()
        parts = [head_of(answer), content_of(answer, str)]
        self.journal.write(language, *parts, *(as_text(guide) for guide in guides))
        said: dict[str, Any] = answer.json()
        return said

    def read(self, name: str, content: bytes) -> None:
        self.journal.write(name)
        for language in ("en", "es"):
            with transaction.atomic():
                self.upload(content, language)
                transaction.set_rollback(True)

    def answer_and_read(self, name: str, layout: fresh_layouts.Layout) -> None:
        """Record a workbook of a client's own layout, what is then asked, and the next workbook once it is answered."""
        self.journal.write(f"own layout: {name}")
        client = Client(headers=self.bearer)
        with transaction.atomic():
            self.upload(layout.book(MAWB), "en")
            asked = client.get(f"{API}/layouts")
            self.journal.write("layouts", content_of(asked, str))
            where = f"{API}/layouts/{asked.json()['layouts'][0]['id']}/answers"
            answers = client.put(where, json.dumps(layout.answers()), "application/json")
            self.journal.write("answers", head_of(answers), content_of(answers, str))
            for language, mawb in (("en", "045-70310122"), ("es", "045-70310133")):
                self.upload(layout.book(mawb), language)
            transaction.set_rollback(True)


def as_text(row: Mapping[str, Any]) -> str:
    """Return the columns of a row that have a value."""
    return json.dumps({name: value for name, value in row.items() if value}, ensure_ascii=False, default=str)


def record(directory: Path) -> None:
    journal = Journal(directory / "workbooks.txt")
    chilean, everywhere = Reader(journal, "CL"), Reader(journal, *SERVED)
    for name, content in files():
        reader = everywhere if name.startswith(("destination", "example", "template")) else chilean
        reader.read(name, content)
    for name, layout in fresh_layouts.LAYOUTS.items():
        everywhere.answer_and_read(name, layout)
