"""Read the rows of a table in a client's own format: what only a format says about cells."""

from collections.abc import Iterator, Mapping, Sequence

from shipments.manifests.cells import Cell, Row, text_of
from shipments.manifests.findings import Findings
from shipments.manifests.mapped.spec import normal_value
from shipments.manifests.sheets.columns import CellRules, Columns
from shipments.manifests.sheets.row_reader import GuideDraft, RowReader

_UNREADABLE = "?"
"""In place of a text in a column where only numeric cells are read."""

_LONGEST_EXTRA = 255


class MappedRowReader(RowReader):
    """Reads rows by a format."""

    def __init__(self, columns: Columns, findings: Findings) -> None:
        super().__init__(columns, findings)
        self._rules = columns.rules or CellRules()
        for name, mark in self._rules.decimals.items():
            if mark in {".", ","}:
                self._marks[name].add(mark)
        single = columns.single
        self._numeric = [single[name] for name, mark in self._rules.decimals.items() if mark == "numeric"]
        self._category = single.get("category")
        self._platform = single.get("platform_name")
        self._translated = [
            (name, single[name], self._rules.values.get(single[name], {}))
            for name in ("consignee_document_type", "category")
            if name in single and (name == "category" or single[name] in self._rules.values)
        ]

    def read(self, number: int, hawb: str, cells: Sequence[Cell]) -> GuideDraft:
        """Read a row that is a guide."""
        cells = self._with_meanings(number, hawb, cells)
        draft = super().read(number, hawb, cells)
        if self._category is not None and (claimed := text_of(cells[self._category])):
            draft.category = int(claimed)
        if self._platform is not None and (platform := text_of(cells[self._platform])):
            draft.platform_name = self._findings.fit(number, draft.hawb, "platform_name", platform)
        if self._rules.extra:
            kept = {key: text_of(cells[column])[:_LONGEST_EXTRA] for column, key in self._rules.extra.items()}
            draft.extra_data = {key: text for key, text in kept.items() if text}
        return draft

    def finish(self) -> None:
        """Resolve the numbers with two possible readings by the format's decimal mark, or leave them out.

        Without a mark, or with cells that contradict it, such a number is never guessed.
        """
        contradicted = [name for name, marks in self._marks.items() if len(marks) > 1]
        decided, self._undecided = self._undecided, []
        for pending in decided:
            line, hawb, name, _, _ = pending
            if len(self._marks[name]) == 1:
                self._undecided.append(pending)
            else:
                self._findings.warn(line.row_index, hawb, name, "ambiguous_number", f"{name}_ambiguous_left_out")
                line.unreadable |= {name}
                self._doubt(hawb, "values_unlike_format" if name in contradicted else "ambiguous_number")
        super().finish()
        for name in contradicted:
            self._findings.notice("values_unlike_format", f"decimals_unlike_format_{name}")

    def _with_meanings(self, number: int, hawb: str, cells: Sequence[Cell]) -> Sequence[Cell]:
        """The row with the meanings of translated cells. A value that the format does not have is left out."""
        changed: dict[int, Cell] = {
            column: _UNREADABLE for column in self._numeric if isinstance(cells[column], str) and text_of(cells[column])
        }
        for name, column, values in self._translated:
            text = normal_value(text_of(cells[column]))
            if not text:
                continue
            meaning = meaning_of(name, text, values)
            if not meaning:
                self._findings.warn(number, hawb, name, "value_not_in_format")
                self._doubt(hawb, "value_not_in_format")
            changed[column] = meaning or None
        if not changed:
            return cells
        row = list(cells)
        for column, cell in changed.items():
            row[column] = cell
        return row

    def _doubt(self, hawb: str, reason: str) -> None:
        self.doubts.setdefault(hawb, {})[reason] = None


_CATEGORIES = frozenset("1234")


def meaning_of(name: str, text: str, values: Mapping[str, str]) -> str:
    """What a text of a translated column means; empty if the format does not have it.

    name: one of `TRANSLATED`. text: in the form of `normal_value`. values: the column's, empty for categories as such.
    """
    if text in values:
        return values[text]
    known = _CATEGORIES if name == "category" and not values else frozenset(values.values())
    return text if text in known else ""


def row_reader(columns: Columns, findings: Findings) -> RowReader:
    """The reader of a table's rows: by the format that chose its columns, if one did."""
    return RowReader(columns, findings) if columns.rules is None else MappedRowReader(columns, findings)


def without_empty(columns: Columns, rows: Iterator[Row]) -> Iterator[Row]:
    """The rows, with the texts that mean an empty cell left out."""
    empty = columns.rules.empty if columns.rules else {}
    return rows if not empty else _emptied(empty, rows)


def _emptied(empty: Mapping[int, frozenset[str]], rows: Iterator[Row]) -> Iterator[Row]:
    for number, cells in rows:
        row = list(cells)
        for column, texts in empty.items():
            if column < len(row) and isinstance(row[column], str) and normal_value(text_of(row[column])) in texts:
                row[column] = None
        yield number, row
