"""The countries of a delivery, which decide which operators may see it."""

from collections.abc import Iterable
from itertools import combinations

from companies.models import Company


def spoken_of(countries: Iterable[str]) -> str:
    """Format countries as a delivery stores them: `CL`, or `CL,PE` if it is about both."""
    return ",".join(sorted(set(countries)))


def ships_to(company: Company) -> set[str]:
    """Return the company's countries and, for a courier, those of its clients."""
    of_clients = company.posts_for.order_by().values_list("allowed_countries", flat=True)
    return set(company.allowed_countries).union(*of_clients)


def within(countries: Iterable[str]) -> list[str]:
    """Return all values that a delivery may store if it is about no other countries than these.

    Whole values, so that the log of one country is read in index order; there are few countries.
    """
    ours = sorted(set(countries))
    return [spoken_of(some) for size in range(1, len(ours) + 1) for some in combinations(ours, size)]
