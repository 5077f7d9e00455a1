"""Every workbook of the tests' tables and of the examples, as an upload reads it, in both languages."""

import json
import random
from collections.abc import Iterator, Sequence
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
from tools.recordings.journal import Journal, content_of

API = "/api/public/pre-alerts/v1"
MAWB = "045-12345675"


def sheets() -> Iterator[tuple[str, Sequence[Sheet]]]:
    """Name and sheets of each case of the tests' tables."""
    for kind in ("USUAL", "WRONG", "EMPTY"):
        for case in getattr(understanding_cases, kind):
            yield f"{kind.lower()}: {case.name}", [sheet(*case.rows())]
    for name, cases in sheet_cases.CLASSES.items():
        yield from ((f"{name}: {case.name}", [*case.sheets]) for case in cases)
    yield from ((f"nasty: {name}", nasty.sheets) for name, nasty in nasty_workbooks.NASTY.items())
    for trap in traps.some_traps(240, seed=4):
        yield f"trap: {trap.name}", [sheet(MAWB_LABEL, trap.headings, *trap.rows)]
    tables = destination_cases
    yield from ((f"destination: {value}", [tables.beside(value)]) for value, _country in tables.DOMESTIC)
    yield from ((f"destination: {value}", [tables.below(value)]) for value in tables.FOREIGN)
    yield from ((f"destination: {label}", [tables.beside("LIM", label)]) for label in tables.LABELS)


def files() -> Iterator[tuple[str, bytes]]:
    """Name and content of every workbook."""
    with TemporaryDirectory() as scratch:
        path = Path(scratch) / "case.xlsx"
        for name, case in sheets():
            save(case, path)
            yield name, path.read_bytes()
        person = ("Ana", "Rojas", "Soto"), (12345678, "5"), "Prat"
        guides = [layouts.Written(f"81000{n}", *person, n, "Macul", "Ropa", n, n * 450, 1999) for n in range(1, 4)]
        for name, layout in layouts.LAYOUTS.items():
            save(layouts.write(layout, MAWB, guides, random.Random(1)), path)  # noqa: S311  # no secret
            yield f"layout: {name}", path.read_bytes()
    for path in sorted(Path("docs/examples").glob("*.xlsx")):
        yield f"example: {path.name}", path.read_bytes()
    for country in sorted(SERVED):
        yield f"template: {country}", Client().get(f"/docs/templates/manifest-{country}.xlsx").getvalue()


class Reader:
    """A company that uploads, and forgets each upload."""

    def __init__(self, journal: Journal, *countries: str) -> None:
        company = ClientFactory.create(client_code=f"READS{''.join(countries)}", allowed_countries=[*countries])
        self.journal = journal
        self.client = Client(headers={"Authorization": f"Bearer {password_of(company)}"})

    def upload(self, content: bytes, language: str) -> None:
        """Record an upload: the answer, and in English the guides that it made, with the columns that have a value."""
        sent = {"manifest_file": SimpleUploadedFile("manifest.xlsx", content)}
        answer = self.client.post(f"{API}/upload", sent, headers={"Accept-Language": language})
        rows = Guide.objects.order_by("pk").values() if language == "en" else ()
        filled = ({name: value for name, value in row.items() if value} for row in rows)
        guides = (json.dumps(row, ensure_ascii=False, default=str) for row in filled)
        self.journal.write_answer(language, answer, *guides)

    def read(self, name: str, content: bytes) -> None:
        self.journal.write(name)
        for language in ("en", "es"):
            with transaction.atomic():
                self.upload(content, language)
                transaction.set_rollback(True)

    def answer_and_read(self, name: str, layout: fresh_layouts.Layout) -> None:
        """Record a workbook of a client's own layout, what is then asked, and the next workbook once it is answered."""
        self.journal.write(f"own layout: {name}")
        with transaction.atomic():
            self.upload(layout.book(MAWB), "en")
            asked: Any = self.client.get(f"{API}/layouts")
            self.journal.write("layouts", content_of(asked))
            where = f"{API}/layouts/{asked.json()['layouts'][0]['id']}/answers"
            self.journal.write_answer("answers", self.client.put(where, layout.answers(), "application/json"))
            for language, mawb in (("en", "045-70310122"), ("es", "045-70310133")):
                self.upload(layout.book(mawb), language)
            transaction.set_rollback(True)


def record(directory: Path) -> None:
    journal = Journal(directory / "workbooks.txt")
    chilean, everywhere = Reader(journal, "CL"), Reader(journal, *SERVED)
    for name, content in files():
        reader = everywhere if name.startswith(("destination", "example", "template")) else chilean
        reader.read(name, content)
    for name, layout in fresh_layouts.LAYOUTS.items():
        everywhere.answer_and_read(name, layout)
