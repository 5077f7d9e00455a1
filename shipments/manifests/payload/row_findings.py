"""What is found while a row is read, and how the answer tells it."""

from dataclasses import dataclass, field

from shipments.manifests.countries.rules import Finding


@dataclass(slots=True)
class RowFindings:
    """Problems and warnings of one row, as they come up."""

    problems: list[Finding] = field(default_factory=list)
    warnings: list[Finding] = field(default_factory=list)

    def refuse(self, field_name: str, code: str, message: str) -> None:
        """Note a reason to refuse the row."""
        self.problems.append(Finding(field_name, code, message))

    def has_problem(self, field_name: str) -> bool:
        """Whether a field is refused already."""
        return bool(self.problems) and any(problem.field == field_name for problem in self.problems)

    def warn(self, field_name: str, code: str, message: str) -> None:
        """Note something that is taken all the same."""
        self.warnings.append(Finding(field_name, code, message))


def invalid_row(row_index: int, hawb: str, finding: Finding) -> dict[str, object]:
    """One entry of `invalid_rows`; `row_index` is the position in `guides`, 0-based."""
    return {
        "row_index": row_index,
        "hawb": hawb,
        "field": finding.field,
        "error_code": finding.code,
        "message": finding.message,
    }
