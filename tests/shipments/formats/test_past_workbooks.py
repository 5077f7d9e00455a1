"""Past workbooks: what a format that is not used yet makes of uploads that were ingested before."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from shipments.files.stored_files import erase_older_files
from shipments.formats.past_workbooks import MOST_WORKBOOKS, PastResult, PastWorkbook, past_workbooks
from shipments.manifests.mapped.spec import FormatSpec, load
from shipments.models import FormatAlarm, Manifest
from tests.books import workbook_bytes
from tests.conftest import Caller
from tests.shipments.formats.layouts_of_clients import HEADINGS, bind, book, format_json, guide

pytestmark = pytest.mark.django_db

Maker = Callable[..., Caller]


@pytest.fixture
def lima(company_maker: Maker) -> Caller:
    caller = company_maker("LIMA", allowed_countries=["PE", "CL"])
    bind(caller)
    return caller


def mawb(number: int) -> str:
    return f"045-{number:07d}{number % 7}"


def spec(**changes: Any) -> FormatSpec:
    return load(json.dumps(format_json(**changes)).encode())[0]


def results(found: Sequence[PastWorkbook]) -> list[tuple[str, int]]:
    return [(each.result, each.differing) for each in found]


class TestPastWorkbooks:
    def test_are_the_same_by_the_version_that_read_them(self, lima: Caller, rival: Caller) -> None:
        bind(rival)
        rival.upload(book(mawb=mawb(7)))
        lima.upload(book(guide(1), guide(2, Papel="123", Plata="cien")))
        found, count = past_workbooks(lima.company, spec())
        assert (results(found), count) == ([(PastResult.SAME, 0)], 1)
        assert found[0].manifest.company == lima.company

    def test_differ_by_guide_and_field(self, lima: Caller) -> None:
        lima.upload(book(guide(1), guide(2, Bruto=None), guide(3)))
        (found,), _count = past_workbooks(lima.company, spec(weight_kg={"unit": "lb"}))
        assert (found.result, found.differing, found.hawbs) == (PastResult.DIFFERS, 2, ("H0001", "H0003"))
        assert found.fields == {"weight_kg": 2}

    def test_are_not_of_this_format_if_headings_are_missing_or_all_are_others(self, lima: Caller) -> None:
        lima.upload(book(mawb=mawb(1)))
        renamed = spec(headings=(*HEADINGS[:4], "Masa", *HEADINGS[5:]))
        (changed,), _count = past_workbooks(lima.company, renamed)
        assert changed.result == PastResult.NOT_THIS_FORMAT
        assert "Masa" in changed.refusal.message  # type: ignore[union-attr]  # it is there
        (unlike,), _count = past_workbooks(lima.company, spec(headings=[f"Otra {n}" for n in range(7)]))
        assert (unlike.result, unlike.refusal) == (PastResult.NOT_THIS_FORMAT, None)
        assert not FormatAlarm.objects.exists()

    def test_of_other_countries_and_voided_ones_are_not_looked_at(self, lima: Caller) -> None:
        assert lima.upload(workbook_bytes(), destination_airport="SCL").status_code == 201
        lima.upload(book())
        Manifest.objects.filter(country="PE").update(voided_at=timezone.now())
        assert past_workbooks(lima.company, spec()) == ([], 0)

    def test_that_were_deleted_or_are_missing_are_reported(self, lima: Caller, media: Path) -> None:
        lima.upload(book(mawb=mawb(1)))
        list(erase_older_files(timezone.now()))
        lima.upload(book(mawb=mawb(2)))
        for path in media.rglob("*.xlsx"):
            path.unlink()
        found, _count = past_workbooks(lima.company, spec())
        assert results(found) == [(PastResult.MISSING, 0), (PastResult.ERASED, 0)]

    def test_that_the_format_cannot_read_are_reported_with_the_refusal(self, lima: Caller) -> None:
        lima.upload(book())
        (found,), _count = past_workbooks(lima.company, spec(mawb={"label": "Código envío"}))
        assert found.result == PastResult.UNREADABLE
        assert found.refusal is not None

    def test_stop_when_time_runs_out(self, lima: Caller) -> None:
        for number in range(3):
            lima.upload(book(mawb=mawb(number)))
        moments = iter([0.0, 1.0, 2.0, 21.0])
        found, count = past_workbooks(lima.company, spec(), clock=lambda: next(moments))
        assert (len(found), count) == (2, 3)

    def test_are_the_newest_twenty(self, lima: Caller) -> None:
        for number in range(MOST_WORKBOOKS + 1):
            lima.upload(book(guide(1), mawb=mawb(number)))
        looked_at, _count = past_workbooks(lima.company, spec())
        assert [each.manifest.mawb for each in looked_at] == [mawb(n) for n in range(MOST_WORKBOOKS, 0, -1)]
