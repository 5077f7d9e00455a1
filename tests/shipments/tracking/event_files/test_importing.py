"""Rows of a file are matched with guides of any company, and their events applied in the order of their times."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import pytest

from shipments.manifests.moments import read_moment
from shipments.models import GuideEvent
from shipments.statuses import GuideStatus, Source
from shipments.tracking import lookup
from shipments.tracking.event_files.event_rows import BadRow, EventRow
from shipments.tracking.event_files.importing import import_events
from shipments.tracking.moves import Move, ReportedEvent
from shipments.tracking.voiding import void_manifest
from tests.conftest import Caller
from tests.shipments.shipping import assert_sound, shipped

pytestmark = pytest.mark.django_db

MAWB = "045-12345675"


def row(number: int = 2, status: str = "in_transit", at: str = "", **changes: Any) -> EventRow:
    names = {"tracking_code": "", "mawb": MAWB, "hawb": "H001", **changes}
    moment, source = read_moment(at), names.pop("source", Source.CARRIER)
    reported = ReportedEvent(GuideStatus(status), source, moment.value if moment else None)
    return EventRow(row=number, reported=reported, **names)


def said(imported: Sequence[Move | BadRow]) -> list[str]:
    """The outcome of each row, or the first words of why it is left undone."""
    return [
        each.problem[:30] if isinstance(each, BadRow)
        else each.refusal.in_words[:30] if each.refusal else each.outcome.value
        for each in imported
    ]  # fmt: skip


def test_a_guide_is_named_by_its_code_or_by_mawb_and_hawb(acme: Caller) -> None:
    manifest = shipped(acme.company, mawb=MAWB)
    code = manifest.guides.get(hawb="H002").tracking_code
    rows = [row(), row(tracking_code=code, mawb="", hawb="")]
    assert said(import_events(rows, actor="a test")) == ["advanced", "advanced"]
    assert [each.guide for each in rows] == [f"{MAWB} H001", code]
    assert_sound(manifest)
    assert manifest.guides_by_status == {"registered": 1, "in_transit": 2}


@pytest.mark.parametrize(
    ("names", "why"),
    [
        ({"hawb": "H999"}, "No guide has this MAWB and HAWB."),
        ({"mawb": "045-12345686"}, "No guide has this MAWB and HAWB."),
        ({"tracking_code": "ACM0000000000A"}, "Its check character is wrong"),
        ({"tracking_code": "ACM00000000001"}, "No guide has this tracking code."),
        ({"tracking_code": "{code}", "hawb": "H002"}, "belongs to another guide"),
        ({"tracking_code": "{code}", "mawb": "045-12345686"}, "belongs to another guide"),
    ],
)
def test_a_row_that_names_no_guide_is_reported_with_the_reason(acme: Caller, names: dict[str, str], why: str) -> None:
    manifest = shipped(acme.company, mawb=MAWB)
    code = manifest.guides.get(hawb="H001").tracking_code
    changes: dict[str, Any] = {field: name.format(code=code) for field, name in names.items()}
    (imported,) = import_events([row(**changes)], actor="")
    assert isinstance(imported, BadRow)
    assert why in imported.problem
    assert GuideEvent.objects.exclude(status="registered").count() == 0


def test_a_mawb_that_two_companies_have_needs_the_tracking_code(acme: Caller, rival: Caller) -> None:
    mine, theirs = shipped(acme.company, mawb=MAWB), shipped(rival.company, mawb=MAWB)
    (imported,) = import_events([row()], actor="")
    assert isinstance(imported, BadRow)
    assert "use the guide's tracking code" in imported.problem
    code = mine.guides.get(hawb="H001").tracking_code
    assert said(import_events([row(tracking_code=code)], actor="")) == ["advanced"]
    assert_sound(theirs)
    assert theirs.guides_by_status == {"registered": 3}


def test_a_voided_manifest_gives_its_mawb_away(acme: Caller) -> None:
    void_manifest(shipped(acme.company, mawb=MAWB), reason="Sent twice", actor="")
    second = shipped(acme.company, mawb=MAWB)
    assert said(import_events([row()], actor="")) == ["advanced"]
    assert_sound(second)
    assert second.guides_by_status == {"registered": 2, "in_transit": 1}


def test_rows_of_a_guide_are_taken_as_they_happened_and_reported_in_file_order(acme: Caller) -> None:
    manifest = shipped(acme.company, mawb=MAWB)
    rows: list[EventRow | BadRow] = [
        row(2, "delivered", "2026-03-02 15:00"),
        row(3, "out_for_delivery", "2026-03-02 09:00"),
        BadRow(4, "?", "The status is missing"),
        row(5, "customs_released", "2026-03-01 09:00"),
        row(6, "lost"),
    ]
    imported = import_events(rows, actor="")
    assert [each.row for each in imported] == [2, 3, 4, 5, 6]
    assert said(imported) == [
        "advanced",
        "advanced",
        "The status is missing",
        "advanced",
        'The guide is "Delivered", which is'[:30],
    ]
    assert_sound(manifest)


@pytest.mark.parametrize(
    ("country", "written", "expected"),
    [
        ("CL", "2026-01-15 12:00", datetime(2026, 1, 15, 15, tzinfo=UTC)),
        ("CL", "2026-07-15 12:00", datetime(2026, 7, 15, 16, tzinfo=UTC)),
        ("PE", "2026-07-15 12:00", datetime(2026, 7, 15, 17, tzinfo=UTC)),
        ("AR", "2026-07-15 12:00", datetime(2026, 7, 15, 15, tzinfo=UTC)),
        ("PE", "2026-07-15T12:00:00Z", datetime(2026, 7, 15, 12, tzinfo=UTC)),
    ],
)
def test_a_time_without_an_offset_is_the_destinations(
    acme: Caller, country: str, written: str, expected: datetime
) -> None:
    shipped(acme.company, mawb=MAWB, country=country)
    (imported,) = import_events([row(at=written)], actor="")
    assert isinstance(imported, Move)
    assert imported.verdict.occurred_at == expected


def test_customs_file_lifts_a_retention(acme: Caller) -> None:
    manifest = shipped(acme.company, 1, mawb=MAWB, country="PE", retention_reason="FOB")
    rows = [
        row(2, "customs_released", "2026-03-02 09:00", source=Source.CUSTOMS),
        row(3, "delivered", "2026-03-02 12:00"),
    ]
    assert said(import_events(rows, actor="")) == ["advanced", "advanced"]
    assert not manifest.guides.get().retention_required


def test_looking_guides_up_costs_few_queries(
    acme: Caller, django_assert_max_num_queries: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lookup, "LOOKED_UP", 50)
    manifests = [shipped(acme.company, 10) for _ in range(10)]
    guides = [(manifest.mawb, guide) for manifest in manifests for guide in manifest.guides.all()]
    by_house = [row(mawb=mawb, hawb=guide.hawb) for mawb, guide in guides]
    by_code = [row(status="lost", tracking_code=guide.tracking_code, mawb="", hawb="") for _mawb, guide in guides]
    with django_assert_max_num_queries(4 + 2 * 10 + 10):
        assert set(said(import_events([*by_house, *by_code], actor=""))) == {"advanced"}
    for manifest in manifests:
        assert_sound(manifest)
