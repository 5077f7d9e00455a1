"""Days at the destinations: today ends in Lima two hours after Santiago."""

from datetime import datetime, time, timedelta

from django.db.models import Q

from companies.countries import SERVED


def local_day(country: str, now: datetime, days_ahead: int = 0) -> tuple[datetime, datetime]:
    """Return the start and end of a day in the capital of a served country. days_ahead: 0 is today, -1 yesterday."""
    zone = SERVED[country].clock
    date = now.astimezone(zone).date() + timedelta(days=days_ahead)
    start, end = (datetime.combine(day, time.min, zone) for day in (date, date + timedelta(days=1)))
    return start, end


def arriving(now: datetime, first_day: int | None, end_day: int) -> Q:
    """Return the condition that a manifest arrives from `first_day` up to but excluding `end_day`.

    Both are in days from today at the destination. first_day: None for any day before `end_day`.
    """
    condition = Q()
    for country in SERVED:
        there = Q(country=country, eta__lt=local_day(country, now, end_day)[0])
        if first_day is not None:
            there &= Q(eta__gte=local_day(country, now, first_day)[0])
        condition |= there
    return condition
