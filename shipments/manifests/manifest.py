"""The result of every manifest reader: one shape for workbooks and for JSON.

Everything here is plain: no ORM, no request, no settings. Nobody changes it, and all but guides and their products is
frozen: a frozen guide takes five times as long to make, and there are up to 50,000. A reader records what it notices
and continues; it raises only when it cannot go on.
"""

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from json.encoder import encode_basestring_ascii as _quoted
from typing import Literal

Params = Mapping[str, str | int | float]


@dataclass(frozen=True, slots=True)
class Reason:
    """A sentence of `shipments.wording.rendering` by its key, with its parameters; never a consignee's data."""

    sentence: str
    params: Params = dataclasses.field(default_factory=dict)


class InvalidValue(ValueError):
    """A value that cannot be accepted, and why."""

    def __init__(self, sentence: str, **params: str | int) -> None:
        super().__init__(sentence)
        self.reason = Reason(sentence, params)


TransportMode = Literal["air", "ground"]

MAX_GUIDES = 50_000
"""Guides in one manifest. More are refused with `validation_failed`."""


@dataclass(frozen=True, slots=True)
class RowWarning:
    """A value in a row that could not be accepted as sent.

    row_index: workbook: the row's number as the spreadsheet shows it (1-based); JSON: position in `guides` (0-based).
    field: the guide field concerned, in the contract's words (`consignee_rut`, `weight_kg` ...).
    code: the contract's word, such as `rut_invalid_format`.
    sheet: the name of the row's sheet in a workbook; not stored.
    """

    row_index: int
    hawb: str
    field: str
    code: str
    reason: Reason
    sheet: str = dataclasses.field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class Notice:
    """An observation on content that was accepted unchanged. Without a row it concerns the whole manifest.

    sheet: as in `RowWarning`.
    """

    code: str
    reason: Reason
    row_index: int | None = None
    hawb: str | None = None
    sheet: str = dataclasses.field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class ColumnReading:
    """A column of a workbook as it was understood.

    field: the guide field it is used for, in the contract's words. heading: as written, empty without one. column: its
    letters. unit: of a weight (`kg`, `lb`, `oz`, `g` ...); empty when a column gives it for each row. currency: of a
    value, `USD` or empty. decimals: `comma`, `point` or `numeric` where a person said so. strength: how
    sure its reading is: `sure`, `likely` or `told`, by a person.
    """

    field: str
    heading: str
    column: str
    unit: str = ""
    currency: str = ""
    decimals: str = ""
    strength: str = ""


@dataclass(frozen=True, slots=True)
class KeptColumn:
    """A column that no field reads. key: of `extra_data`, where its values are."""

    column: str
    heading: str
    key: str


@dataclass(frozen=True, slots=True)
class AskedColumn:
    """A column in doubt. samples: its first values, or their shapes where they may be a person's."""

    column: str
    heading: str
    samples: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Question:
    """A field that was left empty, with the columns that may be it.

    reason: `weak_heading`, `rival`, `no_column`, `unit_unknown` or `values_unlike`.
    """

    field: str
    reason: str
    columns: tuple[AskedColumn, ...]


@dataclass(frozen=True, slots=True)
class SeenColumn:
    """What is remembered of a column of a layout; no value of a row.

    name: the key of its heading, as `answer_keys` gives it. column: its letters. heading, group: as written, or their
    shapes if they may be a person's data. field: what it was read for, as in `Answer`; empty if it was kept, then `key`
    is that of extra data, or in doubt. unit, currency, decimals: as in `ColumnReading`. strength: `sure`, `likely`,
    `told`, `doubtful` or `no`. shape: the commonest of its values, as `shape_of` gives it; empty for an empty column.
    fits: field -> share of its values that can be it. distinct: share of different ones. counts: whether it counts
    rows.
    """

    name: str
    column: str
    heading: str
    group: str = ""
    field: str = ""
    key: str = ""
    unit: str = ""
    currency: str = ""
    decimals: str = ""
    strength: str = "no"
    shape: str = ""
    fits: Mapping[str, float] = dataclasses.field(default_factory=dict)
    distinct: float = 0
    is_constant: bool = False
    counts: bool = False


@dataclass(frozen=True, slots=True)
class SeenLayout:
    """The layout of a workbook's guides.

    questions: as in the API, with shapes for samples. figures: what its values are like, by `figures_of`; empty for a
    reading that was refused.
    """

    columns: tuple[SeenColumn, ...]
    questions: tuple[Mapping[str, object], ...] = ()
    figures: Mapping[str, float] = dataclasses.field(default_factory=dict)

    def names(self) -> frozenset[str]:
        """The keys of its headings."""
        return frozenset(column.name for column in self.columns)


@dataclass(slots=True)
class Product:
    """One line of a guide's content. `weight_kg` is the line's total; unknown numbers are None, never 0."""

    description: str
    quantity: Decimal | None
    unit_value: Decimal | None
    weight_kg: Decimal | None
    hs_code: str = ""

    def to_json(self) -> str:
        """Return it as it is stored, with decimals as text because many readers parse JSON numbers as floats."""
        return (
            f'{{"description": {_quoted(self.description)}, "quantity": {_text(self.quantity)}, '
            f'"unit_value": {_text(self.unit_value)}, "weight_kg": {_text(self.weight_kg)}, '
            f'"hs_code": {_quoted(self.hs_code)}}}'
        )


def _text(number: Decimal | None) -> str:
    return "null" if number is None else f'"{number}"'


@dataclass(slots=True)
class GuideRow:
    """One guide as given in the manifest. Unknown text is empty, an unknown number is None, never 0."""

    row_index: int
    hawb: str
    consignee_name: str = ""
    consignee_document_type: str = ""
    consignee_document: str = ""
    consignee_address: str = ""
    consignee_city: str = ""
    consignee_region: str = ""
    consignee_postal_code: str = ""
    consignee_phone: str = ""
    consignee_email: str = ""
    shipper_name: str = ""
    shipper_address: str = ""
    shipper_city: str = ""
    shipper_country: str = ""
    weight_kg: Decimal | None = None
    packages_count: int = 1
    bag: str = ""
    description_original: str = ""
    product_value: Decimal | None = None
    fob_usd: Decimal | None = None
    freight_usd: Decimal | None = None
    insurance_usd: Decimal | None = None
    hs_code: str = ""
    goods_country: str = ""
    category: int | None = None
    platform_name: str | None = None
    vat_collected: bool | None = None
    platform_tax_id: str | None = None
    sale_id: str | None = None
    products: tuple[Product, ...] = ()
    extra_data: Mapping[str, object] = dataclasses.field(default_factory=dict)
    review_reasons: tuple[str, ...] = ()
    retention_reason: str = ""


@dataclass(frozen=True, slots=True)
class FlightFields:
    """The flight as the sender describes it. Datetimes keep the offset they were sent with."""

    flight_number: str = ""
    origin_airport: str = ""
    origin_country: str = ""
    destination_airport: str = ""
    scheduled_departure: datetime | None = None
    scheduled_arrival: datetime | None = None


LeftOutReason = Literal[
    "hawb_missing", "duplicate_hawb", "belongs_unclear", "too_few_values", "no_consignee", "hawb_unlike_others",
    "other_table", "example", "heading", "instructions", "note",
]  # fmt: skip
"""Why a row under the headings is not a guide. The last four are for rows that any manifest has beside its guides."""

MOST_NAMED = 50
"""How many of the rows left out are listed one by one."""


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A row under the headings that is neither part of a guide nor a total.

    row_index: as the spreadsheet shows it. hawb: the content of the HAWB column, empty if there is none. sheet: the
    name of its sheet.
    """

    row_index: int
    reason: LeftOutReason
    hawb: str = ""
    sheet: str = ""


@dataclass(frozen=True, slots=True)
class RowAccount:
    """Every row under the headings, accounted for: `in_table` = `guides` + `products` + `totals` + `left_out`.

    in_table: rows that are not empty, below the first row of headings of each sheet that was read, down to its end.
    guides: rows that began a guide. products: further rows of a guide. totals: totals, subtotals, sums carried over.
    left_out: all other rows, including repeated headings and footers. `named` has the first `MOST_NAMED` of them; rows
    that may be goods come before headings, instructions and notes.
    """

    in_table: int
    guides: int
    products: int
    totals: int
    left_out: int
    named: tuple[LeftOut, ...] = ()


@dataclass(frozen=True, slots=True)
class ParsedManifest:
    """One pre-alert, read and checked: what `ingest` writes.

    warnings, notices: the first by row, as many as are reported. warnings_count, notices_count: how many were found.
    rut_invalid_count: of all rows. arrival_day: at the destination, the day whose law applies; None if nothing was
    judged. columns, kept, questions, rows, layout: of a workbook; none for a JSON manifest.
    """

    mawb: str
    country: str
    flight: FlightFields
    guides: tuple[GuideRow, ...]
    transport_mode: TransportMode = "air"
    warnings: tuple[RowWarning, ...] = ()
    notices: tuple[Notice, ...] = ()
    warnings_count: int = 0
    notices_count: int = 0
    rut_invalid_count: int = 0
    arrival_day: date | None = None
    columns: tuple[ColumnReading, ...] = ()
    kept: tuple[KeptColumn, ...] = ()
    questions: tuple[Question, ...] = ()
    rows: RowAccount | None = None
    layout: SeenLayout | None = None
