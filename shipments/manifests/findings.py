"""Warnings and notices found while a manifest is read. All are counted; only as many as an answer reports are kept."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from statistics import median
from typing import Any, Generic, TypeVar

from base.errors import DomainError
from shipments.manifests.guide_fields import LONGEST
from shipments.manifests.manifest import GuideRow, Notice, Params, Reason, RowWarning
from shipments.manifests.waybills import carrier_number, has_valid_check_digit

MAX_REPORTED = 1_000
"""Warnings, notices and invalid rows in one answer. It limits the cost of a small hostile file."""

MAX_QUOTED = 80
"""Characters of the sender's own text that a message quotes."""

_Found = TypeVar("_Found")
_Param = str | int | float | tuple[str, ...]


class FirstByRow(Generic[_Found]):
    """The first `MAX_REPORTED` items added, by row and then in the order of adding. The rest is only counted."""

    def __init__(self, row_of: Callable[[_Found], int]) -> None:
        self.total = 0
        self._row_of = row_of
        self._kept: list[_Found] = []
        self._full_before: int | None = None

    def add(self, found: _Found) -> None:
        """Count `found`, and keep it if it may be among the first."""
        self.total += 1
        if self._full_before is not None and self._row_of(found) >= self._full_before:
            return
        self._kept.append(found)
        if len(self._kept) >= 2 * MAX_REPORTED:
            self._sort()

    def first(self) -> tuple[_Found, ...]:
        self._sort()
        return tuple(self._kept)

    def _sort(self) -> None:
        self._kept.sort(key=self._row_of)
        if len(self._kept) > MAX_REPORTED:
            del self._kept[MAX_REPORTED:]
            self._full_before = self._row_of(self._kept[-1])


class Refusing:
    """For an upload: the first refusal ends the reading, and findings are those that an answer reports."""

    def refuse(self, refusal: DomainError) -> None:
        raise refusal

    def collect(self, finding: RowWarning | Notice) -> None:
        """Called with every finding, however many an answer reports."""


REFUSING = Refusing()


class Findings:
    """The warnings and notices of one manifest.

    found: called with each of them, however many are kept. sheet: the sheet of the rows that are being read.
    """

    def __init__(
        self, notices: Iterable[Notice] = (), found: Callable[[RowWarning | Notice], None] = REFUSING.collect
    ) -> None:
        self.rut_invalid_count = 0
        self.sheet = ""
        self._found = found
        self._warnings: FirstByRow[RowWarning] = FirstByRow(lambda warning: warning.row_index)
        self._notices: FirstByRow[Notice] = FirstByRow(
            lambda notice: -1 if notice.row_index is None else notice.row_index  # the whole manifest first
        )
        for notice in notices:
            self.add(notice)

    @property
    def warnings(self) -> tuple[RowWarning, ...]:
        """The first by row, as many as an answer reports."""
        return self._warnings.first()

    @property
    def notices(self) -> tuple[Notice, ...]:
        """Those about the whole manifest first, then by row. The first ones say what the answer leaves out."""
        left_out = []
        if (more := self._warnings.total - MAX_REPORTED) > 0:
            left_out.append(_report_omitted("warnings_omitted", more, MAX_REPORTED))
        if self._notices.total + len(left_out) > MAX_REPORTED:
            most = MAX_REPORTED - len(left_out) - 1
            left_out.append(_report_omitted("notices_omitted", self._notices.total - most, most))
        return (*left_out, *self._notices.first()[: MAX_REPORTED - len(left_out)])

    def to_fields(self) -> dict[str, Any]:
        """The findings, by the fields of `ParsedManifest`. Notices on what an answer leaves out are not counted."""
        return {
            "warnings": self.warnings,
            "notices": self.notices,
            "warnings_count": self._warnings.total,
            "notices_count": self._notices.total,
            "rut_invalid_count": self.rut_invalid_count,
        }

    def warn(self, row_index: int, hawb: str, name: str, code: str, sentence: str = "", **params: _Param) -> None:
        """Add a warning on a field of a row.

        code: the contract's word. sentence: the key of its sentence, if different from the code. params: the parameters
        of the sentence; text is cut to `MAX_QUOTED` characters, and of several texts each.
        """
        self.rut_invalid_count += code == "rut_invalid_format"
        warning = RowWarning(row_index, hawb, name, code, Reason(sentence or code, _cut(params)), self.sheet)
        self._warnings.add(warning)
        self._found(warning)

    def notice(
        self, code: str, sentence: str = "", row_index: int | None = None, hawb: str | None = None, **params: _Param
    ) -> None:
        """Add a notice; without a row it concerns the whole manifest. code and sentence are as in `warn`."""
        sheet = self.sheet if row_index is not None else ""
        self.add(Notice(code, Reason(sentence or code, _cut(params)), row_index, hawb, sheet))

    def add(self, notice: Notice) -> None:
        self._notices.add(notice)
        self._found(notice)

    def check_mawb(self, mawb: str) -> None:
        """Add a notice if the check digit of the MAWB is wrong. mawb: empty if it is not known."""
        if mawb and not has_valid_check_digit(mawb):
            self.notice("mawb_check_digit_mismatch", mawb=mawb)

    def fit(self, row_index: int, hawb: str, name: str, text: str) -> str:
        """The text, cut to the field's maximum length, with a warning if it was longer."""
        longest = LONGEST[name]
        if len(text) <= longest:
            return text
        self.warn(row_index, hawb, name, f"{name}_truncated", "text_truncated", longest=longest)
        return text[:longest].rstrip()


def _cut(params: Mapping[str, _Param]) -> Params:
    return {name: _shorten_param(value) for name, value in params.items()}


def _shorten_param(value: _Param) -> str | int | float:
    if isinstance(value, tuple):
        return ", ".join(map(shorten, value))
    return shorten(value) if isinstance(value, str) else value


def shorten(text: str) -> str:
    """The text, cut to `MAX_QUOTED` characters."""
    return text if len(text) <= MAX_QUOTED else f"{text[: MAX_QUOTED - 1]}…"


def _report_omitted(code: str, count: int, reported: int) -> Notice:
    return Notice(code, Reason(code, {"count": count, "reported_count": reported}))


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
        if refusal not in self.refusals:
            self.refusals.append(refusal)

    def collect(self, finding: RowWarning | Notice) -> None:
        self.findings_count += 1
        if len(self.findings) < self._most:
            self.findings.append(finding)


HEAVIEST_MEDIAN_KG = 60
"""Kilograms per package, at the median: couriers refuse single pieces of some 70 kg."""

DEAREST_MEDIAN_USD_PER_KG = 3_000
"""Dollars per kilogram, at the median: phones cost about 2,000; pesos mistaken for dollars are far above it."""


_SAMPLED = 1_000


def report_implausible(guides: Sequence[GuideRow], findings: Findings) -> None:
    """Add a notice if the weights, or the values for these weights, are implausible; many guides are sampled."""
    sample = guides[:: max(1, len(guides) // _SAMPLED)]
    weighed = [(float(guide.weight_kg), guide) for guide in sample if guide.weight_kg]
    if weighed and (typical := median(kg / guide.packages_count for kg, guide in weighed)) > HEAVIEST_MEDIAN_KG:
        findings.notice("weight_unlikely", typical=round(typical))
    prices = [float(guide.fob_usd) / kg for kg, guide in weighed if guide.fob_usd]
    if prices and (typical := median(prices)) > DEAREST_MEDIAN_USD_PER_KG:
        findings.notice("fob_unlikely", typical=round(typical))


def report_repeated_numbers(keys: Iterable[str], guides: Iterable[GuideRow], findings: Findings) -> None:
    """Warn of each guide with a carrier's number that an earlier one has: the number then finds neither.

    keys: of `extra_data`, where clients send numbers of carriers of the country.
    """
    for key in keys:
        first: dict[str, str] = {}
        for guide in guides:
            number = carrier_number(guide.extra_data, key)
            if number and first.setdefault(number, guide.hawb) != guide.hawb:
                findings.warn(
                    guide.row_index, guide.hawb, "extra_data", "carrier_number_repeated", key=key, first=first[number]
                )
