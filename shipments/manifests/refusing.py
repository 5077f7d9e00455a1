"""What happens to a refusal while a manifest is read: an upload ends there, a trial keeps it and reads on if it can."""

from companies.errors import DomainError
from shipments.manifests.manifest import Notice, RowWarning


class Refusing:
    """For an upload: the first refusal ends the reading, and findings are those that an answer reports."""

    def refuse(self, refusal: DomainError) -> None:
        """Raise the refusal."""
        raise refusal

    def found(self, finding: RowWarning | Notice) -> None:
        """Called with every finding, however many an answer reports."""


REFUSING = Refusing()


class Collecting(Refusing):
    """For a trial: keeps refusals, the one that an upload would answer first, and the first `most` findings.

    findings_count: how many findings there were.
    """

    def __init__(self, most: int = 0) -> None:
        self.refusals: list[DomainError] = []
        self.findings: list[RowWarning | Notice] = []
        self.findings_count = 0
        self._most = most

    def refuse(self, refusal: DomainError) -> None:
        """Keep the refusal, unless it is kept already."""
        if refusal not in self.refusals:
            self.refusals.append(refusal)

    def found(self, finding: RowWarning | Notice) -> None:
        """Keep the finding if it is among the first."""
        self.findings_count += 1
        if len(self.findings) < self._most:
            self.findings.append(finding)
