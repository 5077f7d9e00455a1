"""Read the keys of the canonical JSON document's objects."""

from collections.abc import Mapping, Sequence
from typing import Any

from shipments.manifests.countries.rules import Finding
from shipments.manifests.field_kinds import Field, FieldKind, Text
from shipments.manifests.manifest import InvalidValue
from shipments.manifests.payload.row_findings import RowFindings


class FieldReader:
    """Reads the keys of objects of one type, repeatedly."""

    def __init__(self, fields: Sequence[Field]) -> None:
        self._plan = [
            (field.name, field.kind.read, _plain_length(field.kind), field.required, field.code) for field in fields
        ]

    def read(self, source: Mapping[str, object], findings: RowFindings, prefix: str = "") -> dict[str, Any]:
        """The values that could be read. Each invalid value adds a problem to `findings`.

        null, an empty string and blanks count as absent; unknown keys are ignored.
        prefix: put before a key's name in a problem, such as `products[0].`.
        """
        values: dict[str, Any] = {}
        value_of = source.get
        for name, read, plain_length, is_required, code in self._plan:
            value = value_of(name)
            if type(value) is str:
                value = value.strip()
                if 0 < len(value) <= plain_length and value.isprintable():
                    values[name] = value
                    continue
            if not value and (value is None or value == ""):
                if is_required:
                    findings.refuse(prefix + name, "required")
                continue
            try:
                values[name] = read(value)
            except InvalidValue as problem:
                findings.problems.append(Finding(prefix + name, code, problem.reason))
        return values


def _plain_length(kind: FieldKind) -> int:
    """The length up to which a printable string needs no further check. Most values qualify, which saves calls."""
    return kind.max_length if type(kind) is Text else 0
