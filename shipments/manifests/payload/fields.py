"""Read the keys of the canonical JSON document's objects, with the problems and warnings of each row."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from unicodedata import category, normalize

from shipments.manifests.countries.rules import Finding
from shipments.manifests.field_kinds import Field, Text
from shipments.manifests.manifest import InvalidValue, Reason


@dataclass(slots=True)
class RowFindings:
    """Problems and warnings of one row, in the order found."""

    problems: list[Finding] = field(default_factory=list)
    warnings: list[Finding] = field(default_factory=list)

    def refuse(self, field_name: str, code: str, sentence: str = "", **params: str | float) -> None:
        """Add a reason to refuse the row. sentence: the key of its sentence, if different from the code."""
        self.problems.append(Finding(field_name, code, Reason(sentence or code, params)))

    def has_problem(self, field_name: str) -> bool:
        """Whether a field is already refused."""
        return bool(self.problems) and any(problem.field == field_name for problem in self.problems)

    def warn(self, field_name: str, code: str, sentence: str = "", **params: str | float) -> None:
        """Add a warning on a value that is accepted anyway."""
        self.warnings.append(Finding(field_name, code, Reason(sentence or code, params)))


class InvalidRow(NamedTuple):
    """One entry of `invalid_rows`, not yet in words; `row_index` is the position in `guides`, 0-based."""

    row_index: int
    hawb: str
    finding: Finding


class FieldReader:
    """Reads the keys of objects of one type, repeatedly."""

    def __init__(self, fields: Sequence[Field]) -> None:
        # A printable text up to this length needs no further check. Most values qualify, which saves calls.
        self._plan = [
            (
                each.name,
                each.kind.read,
                each.kind.max_length if type(each.kind) is Text else 0,
                each.required,
                each.code,
            )
            for each in fields
        ]

    def read(self, source: Mapping[str, object], findings: RowFindings, prefix: str = "") -> dict[str, Any]:
        """The values that could be read. Each invalid value adds a problem to `findings`.

        null, an empty string, blanks and format characters alone count as absent; unknown keys are ignored.
        prefix: put before a key's name in a problem, such as `products[0].`.
        """
        values: dict[str, Any] = {}
        value_of = source.get
        for name, read, plain_length, is_required, code in self._plan:
            value = value_of(name)
            if type(value) is str:
                value = value.strip() if value.isascii() else normalize("NFC", value).strip()
                if 0 < len(value) <= plain_length and value.isprintable():
                    values[name] = value
                    continue
                if all(category(letter) == "Cf" or letter.isspace() for letter in value):
                    value = ""
            if not value and (value is None or value == ""):
                if is_required:
                    findings.refuse(prefix + name, "required")
                continue
            try:
                values[name] = read(value)
            except InvalidValue as problem:
                findings.problems.append(Finding(prefix + name, code, problem.reason))
        return values
