"""What was noticed while a manifest was read: everything is counted, and no more is kept than an answer reports."""

from collections.abc import Callable, Iterable
from typing import Generic, TypeVar

from shipments.manifests.guide_fields import LONGEST
from shipments.manifests.manifest import Notice, RowWarning

MAX_REPORTED = 1_000
"""Warnings, notices and invalid rows that one answer reports: a bound for what a small hostile file may cost."""

MAX_QUOTED = 80
"""Characters of the sender's own text that a message quotes."""

_WHOLE_MANIFEST = -1
"""Where notices without a row are sorted: before those with one."""

_Found = TypeVar("_Found")


class FirstByRow(Generic[_Found]):
    """The first `MAX_REPORTED` of what is added, by row and then in the order of adding; the rest is only counted."""

    def __init__(self, row_of: Callable[[_Found], int]) -> None:
        self.total = 0
        self._row_of = row_of
        self._kept: list[_Found] = []
        self._full_before: int | None = None

    def add(self, found: _Found) -> None:
        """Count `found`, and keep it where it may be among the first."""
        self.total += 1
        if self._full_before is not None and self._row_of(found) >= self._full_before:
            return
        self._kept.append(found)
        if len(self._kept) >= 2 * MAX_REPORTED:
            self._sort()

    def first(self, most: int = MAX_REPORTED) -> tuple[_Found, ...]:
        """The first `most`, which must not exceed `MAX_REPORTED`."""
        self._sort()
        return tuple(self._kept[:most])

    def _sort(self) -> None:
        self._kept.sort(key=self._row_of)
        if len(self._kept) > MAX_REPORTED:
            del self._kept[MAX_REPORTED:]
            self._full_before = self._row_of(self._kept[-1])


class Findings:
    """The warnings and notices of one manifest."""

    def __init__(self, notices: Iterable[Notice] = ()) -> None:
        self.rut_invalid_count = 0
        self._warnings: FirstByRow[RowWarning] = FirstByRow(lambda warning: warning.row_index)
        self._notices: FirstByRow[Notice] = FirstByRow(_row_of_notice)
        for notice in notices:
            self._notices.add(notice)

    @property
    def warnings(self) -> tuple[RowWarning, ...]:
        """The first by row."""
        return self._warnings.first()

    @property
    def notices(self) -> tuple[Notice, ...]:
        """Those about the whole manifest first, then by row. They begin with what the answer leaves out."""
        left_out = []
        if (more := self._warnings.total - MAX_REPORTED) > 0:
            message = f"There are {more:,} more warnings; the first {MAX_REPORTED:,} by row are reported."
            left_out.append(Notice("warnings_omitted", message))
        if self._notices.total + len(left_out) > MAX_REPORTED:
            most = MAX_REPORTED - len(left_out) - 1
            message = f"There are {self._notices.total - most:,} more notices; the first {most:,} by row are reported."
            left_out.append(Notice("notices_omitted", message))
        return (*left_out, *self._notices.first(MAX_REPORTED - len(left_out)))

    def warn(self, row_index: int, hawb: str, name: str, code: str, message: str) -> None:
        """Add a warning on a field of a row."""
        self.rut_invalid_count += code == "rut_invalid_format"
        self._warnings.add(RowWarning(row_index, hawb, name, code, message))

    def notice(self, code: str, message: str, row_index: int | None = None, hawb: str | None = None) -> None:
        """Add a notice."""
        self._notices.add(Notice(code, message, row_index, hawb))

    def fit(self, row_index: int, hawb: str, name: str, text: str) -> str:
        """The text, cut to what the field can hold; a warning tells when it was."""
        longest = LONGEST[name]
        if len(text) <= longest:
            return text
        message = f"The text is longer than {longest} characters; the rest was cut off."
        self.warn(row_index, hawb, name, f"{name}_truncated", message)
        return text[:longest].rstrip()


def quoted(text: str) -> str:
    """The sender's text in quotation marks, cut to `MAX_QUOTED` characters."""
    return repr(text if len(text) <= MAX_QUOTED else f"{text[: MAX_QUOTED - 1]}…")


def _row_of_notice(notice: Notice) -> int:
    return _WHOLE_MANIFEST if notice.row_index is None else notice.row_index
