"""The report by client and month: what it counts, whose, and for whom."""

from datetime import UTC, date, datetime, timedelta
from io import BytesIO
from typing import Any

import openpyxl
import pytest
from django.contrib.admin.models import LogEntry
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from companies.models import Company
from shipments.admin.reports import plots, report_pages
from shipments.admin.reports.periods import Cell, last_weeks, months_of, report_between, weeks_of
from shipments.models import GuideEvent, Manifest
from tests.companies.admin_pages import operator, text_of
from tests.country_scope.operators import operator_of
from tests.factories import ClientFactory
from tests.shipments.shipping import bring, shipped

pytestmark = pytest.mark.django_db

PAGE, WORKBOOK = reverse("reports"), reverse("reports-workbook")
NOW = datetime(2026, 11, 18, 15, tzinfo=UTC)
TODAY = NOW.date()
"""A Wednesday."""


@pytest.fixture
def ours() -> Company:
    return ClientFactory.create(name="Ours SpA", client_code="OURS", allowed_countries=["CL", "PE"])


@pytest.fixture
def theirs() -> Company:
    return ClientFactory.create(name="Theirs SAC", client_code="THEIRS", allowed_countries=["PE"])


def received(manifest: Manifest, at: datetime) -> Manifest:
    Manifest.objects.filter(pk=manifest.pk).update(created_at=at)
    return manifest


def through_customs(manifest: Manifest, hours: list[int]) -> None:
    """Take a guide of `manifest` through customs in each of these times."""
    for guide, taken in zip(manifest.guides.order_by("hawb"), hours, strict=False):
        bring(guide, "customs_processing", "customs_held", "customs_released", "delivered")
        times = [NOW, NOW + timedelta(minutes=5), NOW + timedelta(hours=taken), NOW + timedelta(hours=taken + 90)]
        events = GuideEvent.objects.filter(guide=guide).exclude(status="registered").order_by("id")
        for event, at in zip(events, times, strict=True):
            GuideEvent.objects.filter(pk=event.pk).update(occurred_at=at)


def cells_of(manifests: Any, weeks: int = 4) -> list[Cell]:
    return list(report_between(manifests, *last_weeks(weeks, TODAY), by=weeks_of).cells)


def test_each_client_and_week_has_its_volumes_and_what_came_of_them(ours: Company, theirs: Company) -> None:
    first = received(shipped(ours, 4), NOW)
    received(shipped(ours, 3), NOW - timedelta(days=2, hours=14))  # Monday, just after midnight
    received(shipped(ours, 5), NOW - timedelta(days=2, hours=16))  # the Sunday before
    received(shipped(theirs, 2, country="PE"), NOW)
    received(shipped(ours, 6), NOW - timedelta(days=40))  # too early
    Manifest.objects.filter(pk=received(shipped(ours, 2), NOW).pk).update(voided_at=NOW)
    guides = list(first.guides.order_by("hawb"))
    bring(guides[0], "out_for_delivery", "delivered")
    bring(guides[1], "customs_held")
    bring(guides[2], "lost")
    assert [
        (cell.client, str(cell.begins_on), cell.manifests, cell.guides, cell.delivered, cell.exceptions, cell.failed)
        for cell in cells_of(Manifest.objects.all())
    ] == [
        ("Ours SpA (OURS)", "2026-11-16", 2, 7, 1, 1, 1),
        ("Theirs SAC (THEIRS)", "2026-11-16", 1, 2, 0, 0, 0),
        ("Ours SpA (OURS)", "2026-11-09", 1, 5, 0, 0, 0),
    ]
    weeks = report_between(Manifest.objects.all(), *last_weeks(4, TODAY), by=weeks_of).periods
    assert [(str(week.begins_on), week.guides) for week in weeks] == [
        ("2026-10-26", 0), ("2026-11-02", 0), ("2026-11-09", 5), ("2026-11-16", 9),
    ]  # fmt: skip


def test_time_in_customs_runs_from_its_first_status_to_the_release(ours: Company, theirs: Company) -> None:
    mine = received(shipped(ours, 12), NOW)
    through_customs(mine, list(range(10, 21)))  # eleven of twelve; the last one is still there
    bring(mine.guides.order_by("hawb")[11], "customs_processing")
    through_customs(received(shipped(theirs, 1, country="PE"), NOW), [100])
    cell, other = cells_of(Manifest.objects.all())
    assert (cell.median_hours, cell.hours_of_95_percent, len(cell.customs_hours)) == (15, 20, 11)
    assert other.median_hours == 100


@pytest.mark.parametrize("address", [PAGE, WORKBOOK])
def test_an_operator_sees_the_countries_of_theirs(ours: Company, theirs: Company, address: str) -> None:
    shipped(ours, 3, country="CL")
    shipped(ours, 4, country="PE")
    shipped(theirs, 5, country="PE")
    (cell,) = shown(operator_of("CL").get(address))
    assert (cell[0], cell[1]) == ("Ours SpA (OURS)", 3)
    assert len(shown(operator_of(username="everywhere").get(address))) == 2
    assert operator_of("CL", username="carl").get(address, {"company": "THEIRS"}).status_code == 400


def shown(response: Any) -> list[tuple[str, int]]:
    """The clients and guides of the page or the workbook."""
    assert response.status_code == 200
    if response.streaming:
        sheet: Any = openpyxl.load_workbook(BytesIO(response.getvalue())).active
        *rows, total = sheet.iter_rows(min_row=2, values_only=True)
        assert (total[0], total[3]) == ("Total", sum(row[3] for row in rows))
        return [(row[1], row[3]) for row in rows]
    assert response.context_data["total"].guides == sum(cell.guides for cell, _share in response.context_data["cells"])
    return [(cell.client, cell.guides) for cell, _share in response.context_data["cells"]]


def test_it_is_filtered(ours: Company, theirs: Company) -> None:
    staff = operator("view_manifest")
    shipped(ours, 3, country="CL")
    shipped(ours, 4, country="PE")
    received(shipped(theirs, 5, country="PE"), datetime.now(UTC) - timedelta(weeks=8))
    for query, guides in (
        ({}, [7]),
        ({"span": "this_month"}, [7]),
        ({"company": "THEIRS", "span": "3_months"}, [5]),
        ({"country": "PE", "span": "12_months"}, [4, 5]),
        ({"company": "THEIRS"}, []),
        ({"since": "2020-01-01", "until": "2020-01-02", "span": "this_month"}, [7]),  # a button beside other days
    ):
        assert sorted(count for _client, count in shown(staff.get(PAGE, query))) == guides
    for query in ({"span": "1000"}, {"span": "x"}, {"country": "XX"}, {"company": "NOBODY"}):
        assert staff.get(PAGE, query).status_code == 400


def test_the_page_says_how_many_rows_only_the_workbook_has(
    ours: Company, theirs: Company, monkeypatch: pytest.MonkeyPatch
) -> None:
    for company in (ours, theirs, ClientFactory.create(name="Others", client_code="OTHERS")):
        shipped(company, 1)
    staff: Client = operator("view_manifest")
    assert "in the workbook" not in text_of(staff.get(PAGE))
    monkeypatch.setattr(report_pages, "SHOWN_ROWS", 1)
    assert "and 2 more rows, in the workbook" in text_of(staff.get(PAGE))


def test_the_page_draws_without_a_script_and_the_workbook_is_logged(ours: Company) -> None:
    staff = operator("view_manifest")
    assert "No manifests in these days" in text_of(staff.get(PAGE))
    shipped(ours, 3)
    assert "<svg viewBox" not in text_of(staff.get(PAGE))
    text = text_of(staff.get(PAGE, {"span": "3_months"}))
    assert text.count("<svg viewBox") == 1
    assert 'aria-label="Guides by month, and those delivered"' in text
    assert not LogEntry.objects.exists()
    today = timezone.localdate().isoformat()
    response: Any = staff.get(WORKBOOK, {"company": "OURS", "country": "CL", "since": "2026-09-01", "until": today})
    assert shown(response) == [("Ours SpA (OURS)", 3)]
    assert response["Content-Disposition"] == f'attachment; filename="report-OURS-CL-2026-09-01-{today}.xlsx"'
    entry = LogEntry.objects.get()
    assert entry.object_repr == "Report by client and month"
    assert "company=OURS" in entry.change_message


@pytest.mark.parametrize("address", [PAGE, WORKBOOK])
def test_it_is_of_the_days_between_two_dates_both_included(ours: Company, theirs: Company, address: str) -> None:
    for day, guides in ((9, 1), (10, 2), (12, 3), (13, 4)):
        received(shipped(ours, guides), datetime(2026, 9, day, 23, 30, tzinfo=UTC))
    received(shipped(theirs, 5, country="PE"), datetime(2026, 9, 11, tzinfo=UTC))
    days = {"since": "2026-09-10", "until": "2026-09-12"}
    assert shown(operator_of("CL").get(address, days)) == [("Ours SpA (OURS)", 5)]
    by_lima = operator_of("CL", "PE", username="leo")
    by_lima.post(reverse("clock"), {"time_zone": "America/Lima"})
    received(shipped(ours, 7), datetime(2026, 9, 13, 4, 30, tzinfo=UTC))  # still the 12th there
    assert shown(by_lima.get(address, days | {"company": "OURS"})) == [("Ours SpA (OURS)", 12)]
    for wrong in ({"until": "2026-09-09"}, {"until": "x"}, {"until": ""}, {"since": "2020-01-01"}):
        assert by_lima.get(address, days | wrong).status_code == 400
    page = text_of(by_lima.get(PAGE, days | {"until": "2026-09-09"}))
    assert "This day is before the first one." in page
    assert WORKBOOK not in page


def test_last_month_is_of_the_company_that_is_chosen(ours: Company, theirs: Company) -> None:
    this_month = datetime.now(UTC).replace(day=1, hour=12)
    for company, guides in ((ours, 2), (theirs, 3)):
        received(shipped(company, guides), this_month - timedelta(days=1))
    received(shipped(ours, 5), this_month)
    staff = operator("view_manifest")
    query = {"company": "OURS", "since": "2020-01-01", "until": "2020-01-02", "span": "last_month"}
    assert shown(staff.get(PAGE, query)) == [("Ours SpA (OURS)", 2)]


def test_a_plot_names_its_scale_and_as_many_weeks_as_fit(ours: Company) -> None:
    received(shipped(ours, 7), NOW)
    made = report_between(Manifest.objects.all(), *last_weeks(52, TODAY), by=weeks_of)
    plot = plots.volumes(made.periods)
    assert list(plot.ticks) == [10, 5, 0]
    assert sum(weeks for _day, weeks in plot.labels) == 52
    assert len(plot.labels) <= 9
    assert [day for day, _weeks in plots.volumes(made.periods[:4]).labels] == [
        week.begins_on for week in made.periods[:4]
    ]


def test_a_row_a_client_has_its_share_and_the_figures_their_change(ours: Company, theirs: Company) -> None:
    for company, guides, day in ((ours, 3, 2), (ours, 3, 15), (theirs, 2, 3)):
        received(shipped(company, guides), datetime(2026, 10, day, 12, tzinfo=UTC))
    received(shipped(ours, 4), datetime(2026, 9, 30, 12, tzinfo=UTC))
    bring(Manifest.objects.get(company=theirs).guides.earliest("pk"), "out_for_delivery", "delivered")
    staff, days = operator("view_manifest"), {"since": "2026-10-01", "until": "2026-10-31"}
    page: Any = staff.get(PAGE, days)
    workbook: Any = staff.get(WORKBOOK, days)
    sheet: Any = openpyxl.load_workbook(BytesIO(workbook.getvalue())).active
    assert [row[4] for row in sheet.iter_rows(min_row=2, values_only=True)] == [75, 25, 100]
    rows = [(cell.client, cell.manifests, share) for cell, share in page.context_data["cells"]]
    assert rows == [("Ours SpA (OURS)", 2, 75), ("Theirs SAC (THEIRS)", 1, 25)]
    assert [(each.value, each.change) for each in page.context_data["figures"]] == [
        ("3", "+200 %"), ("8", "+100 %"), ("12.5 %", "+12.5 points"), ("–", ""),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("since", "until", "before"),
    [
        ("2026-11-01", "2026-11-18", ("2026-10-01", "2026-10-18")),
        ("2026-10-01", "2026-10-31", ("2026-09-01", "2026-09-30")),
        ("2026-03-01", "2026-03-30", ("2026-02-01", "2026-02-28")),
        ("2026-09-01", "2026-11-18", ("2026-06-01", "2026-08-18")),
        ("2026-11-10", "2026-11-12", ("2026-11-07", "2026-11-09")),
    ],
)
def test_a_month_is_compared_with_the_same_days_of_the_one_before(
    since: str, until: str, before: tuple[str, str]
) -> None:
    earlier = report_pages.days_before(date.fromisoformat(since), date.fromisoformat(until))
    assert tuple(map(str, earlier)) == before


def test_months_follow_each_other_over_the_end_of_a_year() -> None:
    months = months_of(date(2026, 11, 20), date(2027, 1, 3))
    assert list(map(str, months)) == ["2026-11-01", "2026-12-01", "2027-01-01"]
