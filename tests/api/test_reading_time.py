"""A workbook that takes too long to read is refused in words wherever one is read, and a long cell is cut."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from openpyxl import load_workbook

from shipments.errors import EventFileUnreadable
from shipments.manifests.cells import LONGEST_CELL
from shipments.manifests.xlsx import opening, workbook_child
from shipments.models import Guide, Manifest
from shipments.tracking.event_files.reading import read_event_file
from tests.api.test_jobs import job_of, queue, work
from tests.api.validated import annotated, validate
from tests.books import guide_row, workbook_bytes
from tests.companies.admin_pages import operator, text_of
from tests.conftest import Caller
from tests.shipments.admin.entry.entering import confirmed, previewed, send

pytestmark = pytest.mark.django_db

LONG = workbook_bytes([guide_row(1, Contenido="x" * 32_767), guide_row(2)])
TOO_LONG = "takes too long to read: 4 rows, longest cell 32767 characters"
"""The two guides, their headings and the row of the MAWB."""


@pytest.fixture
def no_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """The child is in time, and nothing is left for its reader."""
    monkeypatch.setattr(workbook_child, "CPU_SECONDS", 0)


@pytest.fixture
def staff(acme: Caller, rival: Caller) -> Client:  # noqa: ARG001  # the companies must be there first
    return operator("change_manifest", "view_manifest", "view_guide")


def of_job(acme: Caller) -> Any:
    answer = queue(acme, LONG)
    work()
    return job_of(acme, answer)["error"]


@pytest.mark.usefixtures("no_time")
@pytest.mark.parametrize(
    "refusal_of",
    [lambda acme: acme.upload(LONG).json(), lambda acme: validate(acme, LONG).json()["refusal"], of_job],
    ids=["upload", "validate", "job"],
)
def test_the_api_says_how_much_there_is_to_read(acme: Caller, refusal_of: Callable[[Caller], Any]) -> None:
    refusal = refusal_of(acme)
    assert refusal["error"] == "excel_parse_error"
    assert TOO_LONG in refusal["message"]
    assert not Manifest.objects.exists()


@pytest.mark.usefixtures("no_time")
def test_an_operators_draft_says_so_too(staff: Client, acme: Caller) -> None:
    refused = send(staff, acme, LONG)
    assert refused.status_code == 400
    assert TOO_LONG in text_of(refused)


@pytest.mark.usefixtures("no_time")
@pytest.mark.parametrize("content", [LONG, f"tracking_code,status\nABC,{'x' * 32_767}\n".encode()])
def test_an_event_file_says_so_too(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "events"
    path.write_bytes(content)
    with pytest.raises(EventFileUnreadable, match=r"too long to read: [1-4] rows, longest cell (13|32767) characters"):
        read_event_file(path)


@pytest.mark.usefixtures("no_time")
def test_an_annotated_workbook_has_the_refusal_without_the_rows(acme: Caller) -> None:
    (problems,) = load_workbook(BytesIO(annotated(acme, LONG).content)).worksheets
    assert TOO_LONG in str([[cell.value for cell in row] for row in problems.rows])


@pytest.mark.usefixtures("no_time")
def test_it_is_said_in_spanish(acme: Caller) -> None:
    answer = validate(acme, LONG, {"Accept-Language": "es"})
    said = "tarda demasiado en leerse: 4 filas, la celda más larga tiene 32767 caracteres"
    assert said in answer.json()["refusal"]["message"]


def test_the_clock_ends_a_reading_too(acme: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opening.ReadingTime, "measure_seconds", lambda _time: opening.WALL_SECONDS + 1.0)
    assert TOO_LONG in acme.upload(LONG).json()["message"]


def test_a_cell_is_cut_and_its_warning_says_so(acme: Caller) -> None:
    body = acme.upload(LONG).json()
    assert [(each["field"], each["error_code"]) for each in body["warnings"]] == [
        ("description_original", "description_original_truncated")
    ]
    assert Guide.objects.get(hawb="HAWB00001").description_original == "x" * LONGEST_CELL


def test_only_uploads_may_use_every_slot_and_only_what_a_company_sends_counts_as_its_own(
    acme: Caller, staff: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[int | None, bool]] = []

    @contextmanager
    def slot(for_company: int | None, _seconds: float, *, is_upload: bool) -> Iterator[None]:
        asked.append((for_company, is_upload))
        yield

    monkeypatch.setattr(opening, "parse_slot", slot)
    acme.upload(workbook_bytes())
    queue(acme, workbook_bytes(mawb="045-20000002"))
    work()
    validate(acme)
    confirmed(staff, previewed(staff, acme, workbook_bytes(mawb="045-10000005")))
    (tmp_path / "events.xlsx").write_bytes(workbook_bytes())
    with suppress(EventFileUnreadable):
        read_event_file(tmp_path / "events.xlsx")
    own = acme.company.pk
    assert asked == [(own, True), (own, True), (own, False), (None, False), (None, False), (None, False)]
