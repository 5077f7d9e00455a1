"""Points in time as raw SQL returns them, as days begin, as the APIs write them, and as the admin shows them."""

from datetime import UTC, date, datetime, time

from django.utils import timezone
from django.utils.formats import date_format


def aware(moment: datetime | str) -> datetime:
    """Return a time from raw SQL with its offset: SQLite has text or a naive datetime, in UTC."""
    read = datetime.fromisoformat(moment) if isinstance(moment, str) else moment
    return read if read.tzinfo else read.replace(tzinfo=UTC)


def midnight(day: date) -> datetime:
    """Return when a day begins by the current clock."""
    return timezone.make_aware(datetime.combine(day, time.min))


def iso_text(moment: datetime) -> str:
    """Return an aware datetime in ISO 8601, with the offset that it has; Z for UTC."""
    return moment.isoformat().replace("+00:00", "Z")


def utc(moment: datetime) -> str:
    """Return an aware datetime in ISO 8601, in UTC with Z. Raises `ValueError` for a naive one."""
    if moment.tzinfo is None:
        raise ValueError("The time of an event must be aware.")
    return iso_text(moment.astimezone(UTC))


def in_list(moment: datetime, time: str = "%H:%M") -> str:
    """Return a time by the operator's clock, as a list shows it under a heading with its zone."""
    return in_words(timezone.localtime(moment), time)


def in_words(local: datetime, time: str = "%H:%M") -> str:
    """Return a time by its own clock, such as `12 Nov 23:45`; with the year, if it is not the current one.

    time: the format of the time of day, for `strftime`.
    """
    day = "MONTH_DAY_FORMAT" if local.year == timezone.localtime().year else "DATE_FORMAT"
    return f"{date_format(local, day)} {local:{time}}"
