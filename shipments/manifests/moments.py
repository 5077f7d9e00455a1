"""Dates and times as workbooks write them: date cells, serial numbers, and text in Chilean and foreign formats."""

import re
import unicodedata
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta, timezone, tzinfo

from shipments.manifests.cells import Cell, tokens

FIRST_YEAR, LAST_YEAR = 1990, 2100
"""Years of flights. Other years are typing errors, or numbers that are not dates."""

_SERIAL_EPOCH = datetime(1899, 12, 30)  # noqa: DTZ001 - spreadsheets count days from here, in no time zone
_SERIALS = range(30_000, 80_000)
_LONGEST = 60

_MONTHS = """ene jan enero january janeiro, feb fev febrero february fevereiro, mar marzo march marco,
abr apr abril april, may mai mayo maio, jun junio june junho, jul julio july julho, ago aug agosto august,
sep set sept septiembre setiembre september setembro, oct out octubre october outubro,
nov noviembre november novembro, dic dec dez diciembre december dezembro"""
_MONTH_OF_WORD = {word: month for month, words in enumerate(_MONTHS.split(","), start=1) for word in words.split()}

_ISO = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[ t][0-9]{2}:[0-9]{2}.*)?|[0-9]{8}t[0-9]{4}.*")
_CLOCK = re.compile(
    r"(?<![0-9:/.-])([0-9]{1,2})(?::([0-9]{2})(?::([0-9]{2}))?|h([0-9]{2})|(?=\s?[ap]\.?\s?m\b))(?:\s?([ap])\.?\s?m\b\.?)?"
)
_OFFSET = re.compile(r"\s*(?:(?:(?:utc|gmt)\s*)?([+-][0-9]{1,2})(?::?([0-9]{2}))?|utc|gmt|z)\b")
_NUMBER_OR_WORD = re.compile(r"[0-9]+|[a-z]+")
_FILLERS = tokens(
    """lunes martes miercoles jueves viernes sabado domingo lun mie jue vie sab dom
    monday tuesday wednesday thursday friday saturday sunday mon tue wed thu fri sat sun
    de del a las at on el h hr hrs hs hora horas local time lt clt clst"""
)


@dataclass(frozen=True, slots=True)
class Moment:
    """A moment read from a cell. `value` is naive if the cell has no offset; a bare date is its midnight."""

    value: datetime
    has_time: bool

    def at(self, zone: tzinfo) -> datetime:
        """The moment with a fixed offset: its own, or that of local time in `zone`."""
        aware = self.value if self.value.tzinfo else self.value.replace(tzinfo=zone)
        return datetime.fromisoformat(aware.isoformat())

    def doubt(self, zone: tzinfo) -> str:
        """`time_skipped` or `time_doubled` if a change of the clock in `zone` leaves open when this is; else ''."""
        if self.value.tzinfo or not self.has_time:
            return ""
        before, after = (self.value.replace(tzinfo=zone, fold=fold).utcoffset() or timedelta() for fold in (0, 1))
        if before == after:
            return ""
        return "time_skipped" if before < after else "time_doubled"


def read_moment(cell: Cell, *, month_first: bool = False) -> Moment | None:
    """Read a date with or without a time of day; None if the cell is not a date in the accepted years.

    Text: ISO 8601; day, month and year separated by `/`, `-`, `.` or blanks, the day before the month when both are
    possible, unless `month_first`; months by name in Spanish, English and Portuguese; 12- and 24-hour clocks; an
    optional offset.
    Numbers: the day count of a date cell that lost its format.
    """
    try:
        moment = _of_cell(cell, month_first=month_first)
    except ValueError:  # invalid day, hour or offset
        return None
    return moment if moment and FIRST_YEAR <= moment.value.year <= LAST_YEAR else None


def read_time_of_day(cell: Cell) -> time | None:
    """Read a time of day without a date: a time cell, the part of a day that lost its format, or text (`05:15 hrs`)."""
    if isinstance(cell, time):
        return cell
    if isinstance(cell, float) and 0 < cell < 1:
        return (_SERIAL_EPOCH + timedelta(seconds=round(cell * 86_400))).time()
    plain = cell.strip().lower()[:_LONGEST] if isinstance(cell, str) else ""
    clock = _CLOCK.match(plain)
    rest = _NUMBER_OR_WORD.findall(plain[clock.end() :]) if clock else []
    if clock is None or any(word not in _FILLERS for word in rest):
        return None
    try:
        return _time_of_day(clock)
    except ValueError:
        return None


def _of_cell(cell: Cell, *, month_first: bool) -> Moment | None:
    if isinstance(cell, datetime):
        return Moment(cell, has_time=cell.time() != time())
    if isinstance(cell, date):
        return Moment(datetime.combine(cell, time()), has_time=False)
    if isinstance(cell, str):
        return _of_text(cell, month_first=month_first)
    if isinstance(cell, bool | time) or cell is None or not _SERIALS.start <= cell < _SERIALS.stop:
        return None
    moment = _SERIAL_EPOCH + timedelta(seconds=round(cell * 86_400))
    return Moment(moment, has_time=moment.time() != time())


def _of_text(text: str, *, month_first: bool) -> Moment | None:
    decomposed = unicodedata.normalize("NFKD", text[: _LONGEST + 1]).lower()
    folded = " ".join("".join(letter for letter in decomposed if not unicodedata.combining(letter)).split())
    if not folded or len(folded) > _LONGEST:
        return None
    if _ISO.fullmatch(folded):
        return Moment(datetime.fromisoformat(folded.upper().replace(" +", "+").replace(" -", "-")), len(folded) > 10)
    clock = _CLOCK.search(folded)
    if clock is None:
        return _of_parts(_NUMBER_OR_WORD.findall(folded), None, month_first=month_first)
    offset = _OFFSET.match(folded, clock.end())
    rest = f"{folded[: clock.start()]} {folded[offset.end() if offset else clock.end() :]}"
    moment = _of_parts(_NUMBER_OR_WORD.findall(rest), _time_of_day(clock), month_first=month_first)
    if moment is None or offset is None:
        return moment
    hours, minutes = int(offset[1] or 0), int(offset[2] or 0)
    zone = timezone(timedelta(hours=hours, minutes=-minutes if hours < 0 else minutes))
    return Moment(moment.value.replace(tzinfo=zone), has_time=True)


def _time_of_day(clock: re.Match[str]) -> time:
    hour, minute, second = int(clock[1]), int(clock[2] or clock[4] or 0), int(clock[3] or 0)
    if clock[5]:
        if not 1 <= hour <= 12:
            raise ValueError("no hour of a 12-hour clock")
        hour = hour % 12 + (12 if clock[5] == "p" else 0)
    return time(hour, minute, second)


def _of_parts(parts: list[str], clock: time | None, *, month_first: bool) -> Moment | None:
    """A moment from the numbers and words of a date; None unless they are exactly a day, a month and a year."""
    parts = [part for part in parts if part not in _FILLERS]
    if len(parts) == 4 and clock is None and len(parts[3]) == 4 and parts[3].isdigit():
        clock = time(int(parts[3][:2]), int(parts[3][2:]))  # 25/11/2026 1430
        parts = parts[:3]
    day = _day(parts, month_first=month_first) if len(parts) == 3 else None
    return Moment(datetime.combine(day, clock or time()), clock is not None) if day else None


def _day(parts: list[str], *, month_first: bool) -> date | None:
    words = [part for part in parts if not part.isdigit()]
    numbers = [part for part in parts if part.isdigit()]
    if len(words) == 1 and words[0] in _MONTH_OF_WORD:
        year, day_of_month = numbers if len(numbers[0]) == 4 else reversed(numbers)
        return _date(year, _MONTH_OF_WORD[words[0]], int(day_of_month))
    if words:
        return None
    if len(numbers[0]) == 4:
        return _date(numbers[0], int(numbers[1]), int(numbers[2]))
    first, second = int(numbers[0]), int(numbers[1])
    is_month_first = second > 12 or (month_first and first <= 12)
    day, month = (second, first) if is_month_first else (first, second)
    return _date(numbers[2], month, day)


def _date(year: str, month: int, day: int) -> date | None:
    if len(year) not in {2, 4}:
        return None
    return date(int(year) + (2000 if len(year) == 2 else 0), month, day)
