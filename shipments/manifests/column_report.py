"""What was understood of a table's columns, and what was not: so that a caller can tell before customs does."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from openpyxl.utils import get_column_letter

from shipments.manifests.headings.columns import Columns
from shipments.manifests.headings.header_rows import HeaderBlock
from shipments.manifests.manifest import ColumnReading
from shipments.manifests.workbook.cell_text import text_of
from shipments.manifests.workbook.row_reader import Findings, GuideDraft, GuideLine

LONGEST_QUOTE = 80
_MOST_QUOTED = 5
_MOST_UNKNOWN = 100

CORE_FIELDS = {
    "consignee_name": "the consignee's name",
    "consignee_rut": "the RUT",
    "description_original": "the description",
    "packages_count": "the number of packages",
    "weight_kg": "the weight",
    "fob_usd": "the FOB value",
}
"""What every guide needs, and how messages call it."""

_CONTRACTS_NAMES = {"consignee_document": "consignee_rut", "check_digit": "consignee_rut"}


def column_readings(header: HeaderBlock, columns: Columns) -> tuple[ColumnReading, ...]:
    """The columns that serve, from left to right, as the upload's answer lists them."""
    return tuple(sorted(_readings(header, columns), key=lambda reading: (len(reading.column), reading.column)))


def _readings(header: HeaderBlock, columns: Columns) -> Iterator[ColumnReading]:
    measures = columns.measures
    address = [column for column in columns.address if column != columns.single.get("destination")]
    serving: list[tuple[str, int]] = [("mawb", column) for column in columns.mawb]
    serving += [("consignee_name", column) for column in dict.fromkeys(c for name in columns.names for c in name)]
    serving += [("consignee_address", column) for column in address]
    if columns.address_number is not None:
        serving.append(("consignee_address", columns.address_number))
    if measures.unit_column is not None:
        serving.append(("weight_unit", measures.unit_column))
    if measures.currency_column is not None:
        serving.append(("currency", measures.currency_column))
    parts = {
        "consignee_name",
        "given_name",
        "middle_name",
        "surname",
        "second_surname",
        "consignee_address",
        "address_number",
    }
    serving += [(name, column) for name, column in columns.single.items() if name not in parts]
    for name, column in serving:
        heading = header.headings.get(column)
        yield ColumnReading(
            field=_CONTRACTS_NAMES.get(name, name),
            heading=_quoted(heading.text) if heading else "",
            column=get_column_letter(column + 1),
            unit=measures.unit if name == "weight_kg" and measures.has_unit() and not measures.is_mixed() else "",
            currency=(measures.currency or "USD") if name == "fob_usd" and "fob_usd" not in measures.foreign else "",
        )


def report_columns(header: HeaderBlock, columns: Columns, findings: Findings) -> None:
    """Add a notice for each column and each core field that was not understood."""
    unknown = columns.not_understood[:_MOST_UNKNOWN]
    for column in unknown:
        findings.notice(
            "column_not_understood",
            f"Column {get_column_letter(column + 1)}, {_quoted(header.headings[column].text)!r}, was not understood and "
            "not read. Rename it to a listed header word if guides need it.",
        )
    _report_alike(header, columns, findings)
    _report_measures(header, columns, findings)
    unclear = {_CONTRACTS_NAMES.get(name, name) for name in columns.alike}
    maybe = ", ".join(
        f"{_quoted(header.headings[column].text)!r} ({get_column_letter(column + 1)})"
        for column in unknown[:_MOST_QUOTED]
    )
    for name, words in CORE_FIELDS.items():
        if name in unclear or name in _served(columns):
            continue
        hint = f" It may be one of the columns that were not understood: {maybe}." if maybe else ""
        findings.notice("field_without_column", f"No column was found for {words} ({name}).{hint}")


def _report_alike(header: HeaderBlock, columns: Columns, findings: Findings) -> None:
    for name, alike in columns.alike.items():
        letters = " and ".join(get_column_letter(column + 1) for column in alike)
        findings.notice(
            "equal_headings",
            f"Columns {letters} have the same heading, {_quoted(header.headings[alike[0]].text)!r}, and different values; "
            f"none was read as {_CONTRACTS_NAMES.get(name, name)}. Say in the headings what each holds.",
        )


def _report_measures(header: HeaderBlock, columns: Columns, findings: Findings) -> None:
    weight, fob = columns.single.get("weight_kg"), columns.single.get("fob_usd")
    if weight is not None and not columns.measures.has_unit():
        findings.notice(
            "weight_unit_unknown",
            f"The unit of column {get_column_letter(weight + 1)}, {_quoted(header.headings[weight].text)!r}, is not known; "
            "no weight was read. Name one unit in the heading: kg, lb, oz or g.",
        )
    if fob is not None and "fob_usd" in columns.measures.foreign:
        findings.notice(
            "currency_unknown",
            f"Column {get_column_letter(fob + 1)}, {_quoted(header.headings[fob].text)!r}, is not known to be in US dollars; "
            "no value was read. Send FOB in US dollars and name USD in the heading.",
        )


def _served(columns: Columns) -> set[str]:
    served = {_CONTRACTS_NAMES.get(name, name) for name in columns.single}
    return served | ({"consignee_name"} if columns.names else set())


def _quoted(text: str) -> str:
    return text_of(text)[:LONGEST_QUOTE]


# --- values that are missing -----------------------------------------------------------------------------------------


@dataclass(slots=True)
class MissingValues:
    """Counts guides without a value in a core field whose column was found."""

    columns: Columns
    guides: int = 0
    counts: Counter[str] = field(default_factory=Counter)
    warned: frozenset[tuple[str, str]] = frozenset()

    def watch(self, findings: Findings) -> None:
        """Leave those out that have a warning of their own; call it when all rows are read."""
        measured = {"weight_kg", "fob_usd", "packages_count"}
        self.warned = frozenset(
            (warning.hawb, warning.field) for warning in findings.warnings if warning.field in measured
        )

    def add(self, guide: GuideDraft, line: GuideLine) -> None:
        """Count a guide. line: what its rows say together."""
        self.guides += 1
        counts = self.counts
        if not guide.texts.get("consignee_name"):
            counts["consignee_name"] += 1
        if not guide.document:
            counts["consignee_rut"] += 1
        if not line.description:
            counts["description_original"] += 1
        if line.weight_kg is None or line.fob_usd is None or line.packages_count is None:
            for name in ("weight_kg", "fob_usd", "packages_count"):
                if getattr(line, name) is None and (guide.hawb, name) not in self.warned:
                    counts[name] += 1

    def report(self, findings: Findings) -> None:
        """Add a notice for each core field that some guides lack."""
        unread = {"weight_kg"} if not self.columns.measures.has_unit() else set()
        served = _served(self.columns) - unread - self.columns.measures.foreign
        for name, words in CORE_FIELDS.items():
            if self.counts[name] and name in served:
                findings.notice(
                    "values_missing",
                    f"{words[0].upper()}{words[1:]} ({name}) is missing in {self.counts[name]:,} of {self.guides:,} guides: "
                    "the cells are empty, hold an error, or a formula that was never calculated.",
                )
