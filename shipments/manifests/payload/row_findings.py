"""Problems and warnings found while a row is read."""

from dataclasses import dataclass, field

from shipments.manifests.countries.rules import Finding
from shipments.manifests.manifest import Reason


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


@dataclass(frozen=True, slots=True)
class InvalidRow:
    """One entry of `invalid_rows`, not yet in words; `row_index` is the position in `guides`, 0-based."""

    row_index: int
    hawb: str
    finding: Finding
