"""A workbook format: which heading of a client's layout serves which field, and how its cells are read.

Frozen data without regular expressions, formulas or scripts. `spec_json.py` reads and writes it as JSON.
"""

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from shipments.manifests.cells import text_of
from shipments.manifests.countries import rules_for
from shipments.manifests.guide_fields import GUIDE_FIELDS
from shipments.manifests.words.spelling import fold

Decimals = Literal["", "comma", "point", "numeric"]
"""The decimal mark of a column's texts. `numeric`: only numeric cells are read. Empty: the column's cells decide."""

DECIMAL_MARKS: Mapping[str, str] = {"comma": ",", "point": "."}

MAPPED_FIELDS: frozenset[str] = frozenset(
    {
        *(each.name for each in GUIDE_FIELDS if each.in_workbook),
        "given_name", "middle_name", "surname", "second_surname", "check_digit", "address_number", "address_more",
        "category", "platform_name", "extra_data",
        "mawb", "weight_unit", "currency",
        "flight_number", "origin", "destination", "scheduled_departure", "scheduled_arrival",
    }
)  # fmt: skip
"""What a column can serve: fields of a guide, parts of them, and values of the manifest that each row repeats."""

SHARED_FIELDS: frozenset[str] = frozenset({"consignee_name", "consignee_address", "extra_data"})
"""Fields that several columns may serve: names and addresses are joined, extra data has a key for each column."""

NUMBERS: frozenset[str] = frozenset({"weight_kg", "fob_usd", "product_value"})
TRANSLATED: frozenset[str] = frozenset({"consignee_document_type", "category"})

TIMES: frozenset[str] = frozenset({"scheduled_departure", "scheduled_arrival"})
ENDS: frozenset[str] = frozenset({"origin", "destination"})
"""The ends of a flight, whose clocks times can show."""

_NAME_PARTS = frozenset({"consignee_name", "given_name", "surname"})
_ALWAYS_REQUIRED = ("hawb", "description_original", "weight_kg", "fob_usd")

Key = tuple[str, ...]
"""A heading in the form in which headings are compared: its tokens, after those of the group above it."""


@dataclass(frozen=True, slots=True)
class MappedColumn:
    """A column of the layout, known by its heading and never by its position.

    heading: as written in the sample; empty for a column without one, then `right_of` is the heading to its left.
    group: the heading above it, in layouts with two rows of headings. also: other spellings accepted later.
    field: one of `MAPPED_FIELDS`, or empty for a column that is known and not read. key: of extra data.
    unit: of weights, a key of `amounts.UNITS`. values: text in the sheet -> its meaning, for `TRANSLATED` fields.
    empty: texts that mean an empty cell. required: without this column the workbook is refused.
    month_first: dates in text have the month before the day. zone: whose clock times in text show, for `TIMES`: an end
    of the flight (`ENDS`) or an IANA time zone; empty for the clock of the field's own airport.
    """

    heading: str
    group: str = ""
    also: tuple[str, ...] = ()
    field: str = ""
    key: str = ""
    unit: str = ""
    decimals: Decimals = ""
    values: Mapping[str, str] = dataclasses.field(default_factory=dict)
    empty: tuple[str, ...] = ()
    required: bool = False
    right_of: str = ""
    month_first: bool = False
    zone: str = ""

    def spellings(self) -> tuple[Key, ...]:
        """The spellings that name this column."""
        return tuple(dict.fromkeys(heading_key(text, self.group) for text in (self.heading, *self.also) if text))

    def name(self) -> str:
        """The heading as people read it, with the group above it."""
        heading = self.heading or f"({self.right_of} +1)"
        return f"{self.group} / {heading}" if self.group else heading


@dataclass(frozen=True, slots=True)
class Labelled:
    """A value beside a label outside the table. month_first, zone: as for a column."""

    label: str
    month_first: bool = False
    zone: str = ""


@dataclass(frozen=True, slots=True)
class DestinationRule:
    """Where the destination comes from: the cell beside `label`, `always` the same airport, or the `form` only.

    Without any of them the labels and columns known as a destination give it.
    """

    label: str = ""
    always: str = ""
    is_form_only: bool = False


@dataclass(frozen=True, slots=True)
class FieldProfile:
    """What the values of a column were like in the sample.

    filled: share of guides with a value. readable: share of those that could be read, or were valid. median: of a
    number.
    """

    filled: float
    readable: float
    median: float | None = None


@dataclass(frozen=True, slots=True)
class FormatSpec:
    """A client's layout.

    country: alpha-2. sheet: if several sheets have the headings, the only one that is read; empty for all of them.
    header_rows: 1, or 2 with a row of groups above the headings. mawb: the label beside it, where the known labels and
    columns do not give it. flight: field -> its label. profile: guide field -> its values in the sample, if there was
    one.
    """

    name: str
    country: str
    columns: tuple[MappedColumn, ...]
    sheet: str = ""
    header_rows: int = 1
    mawb: str = ""
    destination: DestinationRule = DestinationRule()
    flight: Mapping[str, Labelled] = dataclasses.field(default_factory=dict)
    profile: Mapping[str, FieldProfile] = dataclasses.field(default_factory=dict)

    def mapped(self) -> tuple[MappedColumn, ...]:
        """The columns that serve a field."""
        return tuple(column for column in self.columns if column.field)

    def required_headings(self) -> tuple[Key, ...]:
        """The required headings in the form in which they are compared, sorted: what makes two layouts the same."""
        return tuple(sorted(column.spellings()[0] for column in self.columns if column.required and column.spellings()))


@dataclass(frozen=True, slots=True)
class FormatInUse:
    """A version of a company's format, as it was when the upload began.

    reference: the caller's own id of the version. is_only: workbooks that this format does not recognise are refused,
    where the country would read them anyway.
    """

    reference: int
    name: str
    number: int
    spec: FormatSpec
    is_only: bool = False


def heading_key(heading: str, group: str = "") -> Key:
    """A heading in the form in which headings are compared, whatever its case, accents and punctuation."""
    own = _folded(heading)
    return (*_folded(group), "/", *own) if group else own


@lru_cache(maxsize=2048)
def _folded(text: str) -> Key:
    return fold(text) or (text_of(text).casefold(),)


def missing_fields(country: str, columns: Sequence[MappedColumn]) -> list[str]:
    """The fields without which no format of this country can be used, and that no column serves."""
    served = {column.field for column in columns}
    missing = [name for name in required_fields(country) if name not in served]
    return missing if served & _NAME_PARTS else [*missing, "consignee_name"]


def required_fields(country: str) -> tuple[str, ...]:
    """The fields whose columns a format of this country must have. The consignee's name may be in several columns."""
    # Chile's guides are created without a RUT, as the contract says.
    needs_document = rules_for(country).missing_document_code != "rut_invalid_format"
    return (*_ALWAYS_REQUIRED, *(("consignee_document",) if needs_document else ()))


def is_locked(country: str, name: str) -> bool:
    """Whether a column that serves this field is always required."""
    return name in required_fields(country) or name in _NAME_PARTS
