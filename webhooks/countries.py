"""The countries that a delivery speaks of, as it keeps them: by them it is known who may read of it."""

from collections.abc import Iterable
from itertools import combinations

from companies.models import Company


def spoken_of(countries: Iterable[str]) -> str:
    """Countries as a delivery keeps them: `CL`, or `CL,PE` for what concerns both."""
    return ",".join(sorted(set(countries)))


def ships_to(company: Company) -> set[str]:
    """The countries that concern the company as a whole: its own and, for a courier, those of whom it posts for."""
    of_clients = company.posts_for.order_by().values_list("allowed_countries", flat=True)
    return set(company.allowed_countries).union(*of_clients)


def within(countries: Iterable[str]) -> list[str]:
    """All that a delivery may keep which speaks of no other country than these.

    Whole values, so that the log of one country is read along an index in its own order; countries are few.
    """
    ours = sorted(set(countries))
    return [spoken_of(some) for size in range(1, len(ours) + 1) for some in combinations(ours, size)]
