"""Days as destinations live them: Lima's today ends two hours after Santiago's. The start page and the lists agree."""

from datetime import datetime, time, timedelta

from django.db.models import Q

from companies.countries import SERVED


def local_day(country: str, now: datetime, days_ahead: int = 0) -> tuple[datetime, datetime]:
    """When a day begins and ends by the clock of a served country's capital. days_ahead: 0 is today, -1 yesterday."""
    zone = SERVED[country].clock
    date = now.astimezone(zone).date() + timedelta(days=days_ahead)
    start, end = (datetime.combine(day, time.min, zone) for day in (date, date + timedelta(days=1)))
    return start, end


def arriving(now: datetime, first_day: int | None, end_day: int) -> Q:
    """The condition on a manifest that it arrives from `first_day` to before `end_day`, both in days from the
    destination's today. first_day: None for any day before."""
    condition = Q()
    for country in SERVED:
        there = Q(country=country, eta__lt=local_day(country, now, end_day)[0])
        if first_day is not None:
            there &= Q(eta__gte=local_day(country, now, first_day)[0])
        condition |= there
    return condition
