"""Each dated rule at its edges: the last day before it, its first, the last it is in force and the day after.

The same guides as JSON and as a workbook: both report them alike, and neither refuses any.
"""

from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime, timedelta
from typing import NamedTuple

import pytest

from companies.countries import SERVED
from shipments.manifests.countries import COUNTRIES, rules_for
from shipments.manifests.countries.judgement import is_duty_free
from shipments.manifests.countries.rules import Rule
from shipments.manifests.manifest import FlightFields, ParsedManifest
from shipments.manifests.payload.body import read_manifest
from shipments.manifests.sheets.manifest_reader import read_survey
from tests.shipments.manifests.made_sheets import MAWB_LABEL, Cells, sheet, surveyed
from tests.shipments.manifests.payloads import body, guide, read

DAY = timedelta(days=1)
PERSON = {"CL": "12345678-5", "PE": "45678912", "AR": "20267565393"}
HEADINGS = (
    "HAWB", "Consignatario", "Documento", "Descripción", "Bultos", "Peso (kg)", "Valor FOB", "Unidades", "Finalidad",
)  # fmt: skip


class Sent(NamedTuple):
    """A guide in both ways in."""

    fob: float = 100
    weight: float = 2
    packages: int = 1
    extra: tuple[str, str] | None = None


class Judged(NamedTuple):
    """codes: of warnings and notices on guides, with their sentences' keys. reviews: reasons, by guide."""

    codes: Sequence[tuple[str, str]]
    reviews: Sequence[tuple[str, ...]]


def noon(country: str, day: date) -> datetime:
    return datetime(day.year, day.month, day.day, 12, tzinfo=SERVED[country].clock)


def by_json(country: str, sent: Sequence[Sent], day: date) -> ParsedManifest:
    guides = [
        guide(
            country,
            hawb=f"H{number}",
            consignee_document=PERSON[country],
            fob_usd=each.fob,
            weight_kg=each.weight,
            packages_count=each.packages,
            extra_data=dict(zip(("units", "purpose"), each.extra, strict=True)) if each.extra else {},
        )
        for number, each in enumerate(sent)
    ]
    return read(*guides, country=country, scheduled_arrival=noon(country, day).isoformat())


def by_workbook(country: str, sent: Sequence[Sent], day: date) -> ParsedManifest:
    rows: list[Cells] = [
        [
            f"H{number}",
            "Ana Rojas",
            PERSON[country],
            "Ropa",
            each.packages,
            each.weight,
            each.fob,
            *(each.extra or ("", "")),
        ]
        for number, each in enumerate(sent)
    ]
    form = FlightFields(scheduled_arrival=noon(country, day))
    return read_survey(country, surveyed(sheet(MAWB_LABEL, HEADINGS, *rows)), form)


def judged(found: ParsedManifest) -> Judged:
    notices = [(each.code, each.reason.sentence) for each in found.notices if each.row_index is not None]
    warnings = [(each.code, each.reason.sentence) for each in found.warnings]
    return Judged([*warnings, *notices], [row.review_reasons for row in found.guides])


LOWERED, RAISED, PERCEPTION = date(2022, 9, 23), date(2024, 12, 1), date(2026, 3, 2)
COURIER, TOGETHER, RETAINED = "courier_limit_exceeded", "consignee_limit_exceeded", "retention_required"

EDGES = [
    # Argentina's value limit: 3,000, lowered to 1,000 by RG 5260/2022, raised again by RG 5608/2024.
    ("AR", [Sent(3000)], LOWERED - DAY, []),
    ("AR", [Sent(3000.01)], LOWERED - DAY, [(COURIER, "courier_value_exceeded")]),
    ("AR", [Sent(1000)], LOWERED, []),
    ("AR", [Sent(1000.01)], LOWERED, [(COURIER, "courier_value_exceeded_1000")]),
    ("AR", [Sent(1000.01)], LOWERED + DAY, [(COURIER, "courier_value_exceeded_1000")]),
    ("AR", [Sent(1000.01)], RAISED - DAY, [(COURIER, "courier_value_exceeded_1000")]),
    ("AR", [Sent(3000)], RAISED, []),
    ("AR", [Sent(3000.01)], RAISED, [(COURIER, "courier_value_exceeded")]),
    ("AR", [Sent(3000)], RAISED + DAY, []),
    # The same for one consignee and flight.
    ("AR", [Sent(600), Sent(600)], LOWERED - DAY, []),
    ("AR", [Sent(500), Sent(500)], LOWERED, []),
    ("AR", [Sent(600), Sent(600)], LOWERED, [(TOGETHER, "courier_value_exceeded_together_1000")]),
    ("AR", [Sent(600), Sent(600)], RAISED - DAY, [(TOGETHER, "courier_value_exceeded_together_1000")]),
    ("AR", [Sent(1500), Sent(1500)], RAISED, []),
    ("AR", [Sent(1600), Sent(1500)], RAISED, [(TOGETHER, "courier_value_exceeded_together")]),
    # Rules without a date are in force on every day.
    ("AR", [Sent(weight=50)], RAISED, []),
    ("AR", [Sent(weight=100, packages=2)], RAISED, []),
    (
        "AR", [Sent(3000.01, 50.001)], RAISED,
        [(COURIER, "courier_weight_exceeded"), (COURIER, "courier_value_exceeded")],
    ),
    ("AR", [Sent(weight=50.001)], RAISED, [(COURIER, "courier_weight_exceeded")]),
    ("AR", [Sent(weight=100.001, packages=2)], LOWERED, [(COURIER, "courier_weight_exceeded")]),
    ("AR", [Sent(extra=("3", "Personal"))], RAISED, []),
    ("AR", [Sent(extra=("4", "Personal"))], RAISED, [("personal_units_exceeded", "personal_units_exceeded")]),
    ("AR", [Sent(extra=("4", " uso  personal "))], RAISED, [("personal_units_exceeded", "personal_units_exceeded")]),
    ("AR", [Sent(extra=("4", "Comercial"))], RAISED, []),
    ("AR", [Sent(extra=("varias", "Personal"))], RAISED, []),
    ("CL", [Sent(3000)], date(2026, 11, 28), []),
    ("CL", [Sent(3000.01)], date(2026, 11, 28), [(COURIER, "customs_agent_needed")]),
    ("CL", [Sent(weight=500)], date(2026, 11, 28), []),
    # Peru: the perception without a RUC is said from DL 1714 on.
    ("PE", [Sent(1000)], PERCEPTION - DAY, []),
    ("PE", [Sent(1000.01)], PERCEPTION - DAY, [("ruc_advised", "ruc_advised")]),
    ("PE", [Sent(1000)], PERCEPTION, []),
    ("PE", [Sent(1000.01)], PERCEPTION, [("ruc_advised", "ruc_advised_perception")]),
    ("PE", [Sent(1000.01)], PERCEPTION + DAY, [("ruc_advised", "ruc_advised_perception")]),
    ("PE", [Sent(3000.01)], PERCEPTION - DAY, [(RETAINED, RETAINED), ("ruc_advised", "ruc_needed")]),
    (
        "PE", [Sent(3000.01)], PERCEPTION,
        [(RETAINED, RETAINED), ("ruc_advised", "ruc_needed_perception")],
    ),
    ("PE", [Sent(150), Sent(50)], PERCEPTION, []),
    ("PE", [Sent(250), Sent(300)], PERCEPTION, []),
    ("PE", [Sent(150), Sent(51)], PERCEPTION, [(TOGETHER, "exemption_exceeded_together")]),
]  # fmt: skip


@pytest.mark.parametrize(("country", "sent", "day", "found"), EDGES)
@pytest.mark.parametrize("way_in", [by_json, by_workbook])
def test_a_guide_is_judged_by_the_law_of_its_day_of_arrival(
    way_in: Callable[[str, Sequence[Sent], date], ParsedManifest],
    country: str,
    sent: Sequence[Sent],
    day: date,
    found: list[tuple[str, str]],
) -> None:
    manifest = way_in(country, sent, day)
    assert manifest.arrival_day == day
    assert judged(manifest).codes == found
    reviewed = [*dict.fromkeys(code for code, _sentence in found if code != RETAINED)]
    *others, last = judged(manifest).reviews
    assert list(last) == reviewed
    assert not any(others)


@pytest.mark.parametrize(
    ("day", "codes"),
    [(date(2025, 10, 24), []), (date(2025, 10, 25), ["vat_above_limit"]), (date(2025, 10, 26), ["vat_above_limit"])],
)
def test_vat_at_the_sale_is_judged_from_its_first_day(day: date, codes: list[str]) -> None:
    sold = guide("CL", fob_usd=500.01, vat_collected=True, platform_tax_id="76123456-0")
    by_body = read(sold, country="CL", scheduled_arrival=noon("CL", day).isoformat())
    headings = (*HEADINGS, "IVA cobrado", "RUT plataforma")
    row: Cells = ["H1", "Ana Rojas", PERSON["CL"], "Ropa", 1, 2, 500.01, "", "", "Sí", "76123456-0"]
    survey = surveyed(sheet(MAWB_LABEL, headings, row))
    by_sheet = read_survey("CL", survey, FlightFields(scheduled_arrival=noon("CL", day)))
    for found in (by_body, by_sheet):
        assert [warning.code for warning in found.warnings if warning.code.startswith("vat_")] == codes


@pytest.mark.parametrize(
    ("country", "day", "fob", "extra", "is_free"),
    [
        ("AR", RAISED - DAY, 400, {}, None),
        ("AR", RAISED, 400, {}, True),
        ("AR", RAISED + DAY, 400.01, {}, False),
        ("AR", RAISED, 400, {"purpose": "uso personal"}, True),
        ("AR", RAISED, 400, {"purpose": "Comercial"}, False),
        ("AR", RAISED, None, {}, None),
        ("CL", RAISED, 100, {}, None),
        ("PE", RAISED, 100, {}, None),
    ],
)
def test_argentina_frees_400_dollars_of_duty(
    country: str, day: date, fob: float | None, extra: dict[str, object], *, is_free: bool | None
) -> None:
    assert is_duty_free(rules_for(country, day), fob, extra) is is_free  # type: ignore[arg-type]  # compared alike


@pytest.mark.parametrize(
    ("received_at", "day", "codes"),
    [
        (datetime(2024, 12, 1, 2, 59, tzinfo=UTC), date(2024, 11, 30), [COURIER]),  # 23:59 in Buenos Aires
        (datetime(2024, 12, 1, 3, 0, tzinfo=UTC), RAISED, []),
    ],
)
def test_without_an_eta_the_day_of_receipt_at_the_destination_counts(
    received_at: datetime, day: date, codes: list[str]
) -> None:
    survey = surveyed(sheet(MAWB_LABEL, HEADINGS, ["H1", "Ana Rojas", PERSON["AR"], "Ropa", 1, 2, 2000, "", ""]))
    by_sheet = read_survey("AR", survey, FlightFields(), received_at=received_at)
    sent = body(guide("AR", fob_usd=2000), to="AR", scheduled_arrival="")
    by_body = read_manifest(sent, "air", "AR", received_at=received_at)
    for found in (by_sheet, by_body):
        assert (found.arrival_day, [each.code for each in found.warnings]) == (day, codes)


def test_an_eta_counts_by_the_clock_of_the_destination() -> None:
    found = read(guide("AR", fob_usd=2000), country="AR", scheduled_arrival="2024-12-01T11:30:00+09:00")
    assert (found.arrival_day, [warning.code for warning in found.warnings]) == (RAISED - DAY, [COURIER])


_ALL: list[tuple[str, Rule]] = [(code, rule) for code, rules in COUNTRIES.items() for rule in rules.rules]


@pytest.mark.parametrize(("country", "rule"), _ALL)
def test_each_rule_is_in_force_from_its_first_day_to_its_last(country: str, rule: Rule) -> None:
    assert rule.title
    assert rule.source
    for day, is_in_force in (
        *([(rule.since - DAY, False), (rule.since, True), (rule.since + DAY, True)] if rule.since else []),
        *([(rule.until - DAY, True), (rule.until, True), (rule.until + DAY, False)] if rule.until else []),
    ):
        assert (rule in rules_for(country, day).rules) is is_in_force
