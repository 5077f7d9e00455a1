"""Report which columns were understood and which were not, so that the caller learns of it before customs does."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain

from openpyxl.utils import get_column_letter

from shipments.manifests.cells import text_of, tokens
from shipments.manifests.findings import MAX_QUOTED, Findings
from shipments.manifests.manifest import ColumnReading, KeptColumn, Question
from shipments.manifests.sheets.evidence import CORE, Strength
from shipments.manifests.sheets.row_reader import ASKED, GuideDraft, GuideLine
from shipments.manifests.sheets.surveys import MOST_ASKED, Columns, GuideTable, SheetTables
from shipments.manifests.words.headings import UNKNOWN
from shipments.manifests.words.lexicon import Field
from shipments.manifests.words.spelling import fold

_WORD = re.compile(r"[^\W\d_]+")
_LONGEST_OF_SEVERAL = 32

CORE_FIELDS = (
    "consignee_name", "consignee_document", "description_original", "packages_count", "weight_kg", "fob_usd",
)  # fmt: skip
"""The fields that every guide needs."""

_DOCUMENT: frozenset[str] = frozenset({"consignee_document", "check_digit"})


_Said = tuple[str, str, Mapping[str, str | tuple[str, ...]]]
"""The code of a notice, its sentence and the sentence's parameters."""


def _readings(table: GuideTable, document_field: str) -> Iterator[ColumnReading]:
    """The columns that are read; those that are asked are not. document_field: the contract's name for the document."""
    columns = table.columns
    measures, single = columns.measures, columns.single
    address = (each for each in columns.serving("consignee_address") if each != single.get("destination"))
    several: dict[Field, Iterable[int | None]] = {
        "mawb": columns.mawb,
        "consignee_name": dict.fromkeys(chain.from_iterable(columns.names)),
        "consignee_address": address,
        "weight_unit": (measures.unit_column,),
        "currency": (measures.currency_column,),
        **{name: (column,) for name, column in single.items() if name not in _PARTS},
    }
    several["weight_kg"] = (*several.get("weight_kg", ()), *columns.rules.weights)
    for name, column in ((name, column) for name, places in several.items() for column in places):
        if column is None or columns.kept.get(column, "").startswith(ASKED):
            continue
        yield ColumnReading(
            field=_name_field(name, document_field),
            heading=_heading(table, column),
            column=get_column_letter(column + 1),
            unit=columns.rules.weights.get(column) or measures.named_unit() if name == "weight_kg" else "",
            currency=(measures.currency or "USD") if name == "fob_usd" and "fob_usd" not in measures.foreign else "",
            decimals=columns.rules.decimals.get(name, ""),
            strength=columns.strengths.get(column, Strength.LIKELY).name.lower(),
        )


_PARTS = tokens("consignee_name given_name middle_name surname second_surname consignee_address address_number")
"""Fields whose columns are listed with the name or the address."""


def _about_columns(table: GuideTable, document_field: str, filled: Collection[str]) -> Iterator[_Said]:
    """What is said of the columns of a table. filled: keys of extra data that a guide has."""
    columns = table.columns
    for doubt in columns.doubts:
        if doubt.reason != "unit_unknown" and doubt.field in CORE:  # of units, see below
            for column in doubt.columns[:MOST_ASKED]:
                yield _say("column_in_doubt", **_place(table, column), field=_name_field(doubt.field, document_field))
    if kept := [column for column, key in columns.kept.items() if key in filled and not key.startswith(ASKED)]:
        beside = {min(table.header.headings) - 1, max(table.header.headings) + 1}
        sentence = "columns_kept_beside" if beside.intersection(kept) else "columns_kept"
        named = (f"{_heading(table, each)[:_LONGEST_OF_SEVERAL]} ({get_column_letter(each + 1)})" for each in kept)
        yield _say("columns_kept", sentence, columns=tuple(named))
    if columns.cancelled is not None:
        yield _say("may_not_travel", "may_not_travel_by_column", **_place(table, columns.cancelled))
    if columns.dated:
        yield _say("hawb_digits_rounded", "hawb_dates", count=str(columns.dated))
    yield from _about_measures(table)
    known = _fields_served(columns) | {doubt.field for doubt in columns.doubts}
    for name in CORE_FIELDS:
        if name not in known:
            yield _say("field_without_column", f"no_column_{_name_field(name, document_field)}")


def _about_measures(table: GuideTable) -> Iterator[_Said]:
    measures, single = table.columns.measures, table.columns.single
    for name, is_unread, against, code in (
        ("weight_kg", not measures.has_unit(), measures.against_unit, "weight_unit_unknown"),
        ("fob_usd", "fob_usd" in measures.foreign, measures.against_currency, "currency_unknown"),
    ):
        if is_unread and name in single:
            place, heading = _place(table, single[name]), table.header.headings[single[name]]
            if name == "fob_usd" and measures.terms:
                yield _say("value_not_fob", **place, stated=_quote(measures.terms))
            elif against:
                yield _say(code, code.replace("unknown", "contradicted"), **place, stated=_quote(against))
            elif heading.unclear:
                token = heading.unclear[0]
                word = next((each for each in _WORD.findall(heading.text) if token in fold(each)), token)  # as written
                yield _say(code, code.replace("unknown", "unclear"), **place, word=word)
            else:
                yield _say(code, **place)


def _name_field(name: str, document_field: str) -> str:
    """A field in the contract's words."""
    return document_field if name in _DOCUMENT else name


def _say(code: str, sentence: str = "", **params: str | tuple[str, ...]) -> _Said:
    return code, sentence or code, params


def _place(table: GuideTable, column: int) -> dict[str, str]:
    """The letter and the heading of a column, as parameters of a notice."""
    return {"column": get_column_letter(column + 1), "heading": _heading(table, column)}


def _heading(table: GuideTable, column: int) -> str:
    """The heading with its group, as it is quoted; empty without one."""
    return _quote(table.header.headings.get(column, UNKNOWN).text)


def _fields_served(columns: Columns) -> set[str]:
    served = {"consignee_document" if name in _DOCUMENT else name for name in columns.single}
    return served | ({"consignee_name"} if columns.names else set())


def _quote(text: str) -> str:
    return text_of(text)[:MAX_QUOTED]


class ColumnReport:
    """The columns of all tables of a manifest. Tables with the same headings are reported once.

    document_field: the contract's name for the consignee's document in the manifest's country.
    """

    def __init__(self, sheets: Sequence[SheetTables], document_field: str) -> None:
        tables: dict[tuple[tuple[int, str], ...], GuideTable] = {}
        for table in (table for sheet in sheets for table in sheet.guide_tables()):
            headings = tuple((column, heading.text) for column, heading in sorted(table.header.headings.items()))
            tables.setdefault(headings, table)
        self._tables = tuple(tables.values())
        self._document_field = document_field
        self._read = set().union(
            *(_fields_served(each.columns).difference(each.columns.unread_measures()) for each in self._tables)
        )
        self._guides, self._zeros = 0, 0
        self._missing: Counter[str] = Counter()

    def count(self, guide: GuideDraft, line: GuideLine) -> None:
        """Count what a guide lacks. line: its rows combined."""
        self._guides += 1
        missing = self._missing
        if not guide.texts.get("consignee_name"):
            missing["consignee_name"] += 1
        if not guide.document:
            missing["consignee_document"] += 1
        if not line.description:
            missing["description_original"] += 1
        if line.fob_usd is not None and not line.fob_usd:
            self._zeros += 1
        if line.weight_kg is None or line.fob_usd is None or line.packages_count is None:
            for name in ("weight_kg", "fob_usd", "packages_count"):
                if getattr(line, name) is None and name not in line.unreadable:  # has a warning of its own
                    missing[name] += 1

    def readings(self) -> tuple[ColumnReading, ...]:
        """The columns that are used, table by table, from left to right."""
        readings = (_readings(table, self._document_field) for table in self._tables)
        ordered = (sorted(each, key=lambda reading: (len(reading.column), reading.column)) for each in readings)
        return tuple(dict.fromkeys(chain.from_iterable(ordered)))

    def list_kept(self, filled: Collection[str]) -> tuple[KeptColumn, ...]:
        """The columns that no field reads. filled: keys of extra data that a guide has."""
        found = (
            KeptColumn(get_column_letter(column + 1), _heading(table, column), key)
            for table in self._tables
            for column, key in table.columns.kept.items()
            if key in filled
        )
        return tuple(dict.fromkeys(found))

    def questions(self) -> tuple[Question, ...]:
        """What is asked, table by table."""
        found = (
            replace(
                doubt.question(table.header.headings, {column: table.values(column) for column in doubt.columns}),
                field=_name_field(doubt.field, self._document_field),
            )
            for table in self._tables
            for doubt in table.columns.doubts
        )
        return tuple(dict.fromkeys(found))

    def report(self, findings: Findings, filled: Collection[str]) -> None:
        """Add the notices on columns and on missing values. filled: keys of extra data that a guide has."""
        told = {  # once, although several tables have the same columns
            repr(said): said for table in self._tables for said in _about_columns(table, self._document_field, filled)
        }
        for code, sentence, params in told.values():
            findings.notice(code, sentence, None, None, **params)
        for name in CORE_FIELDS:
            if self._missing[name] and name in self._read:
                sentence = f"values_missing_{_name_field(name, self._document_field)}"
                findings.notice("values_missing", sentence, missing_count=self._missing[name], count=self._guides)
        if self._zeros:
            findings.notice("fob_zero", zero_count=self._zeros, count=self._guides)
