"""A line of *To do*."""

from dataclasses import dataclass

from django.utils.functional import Promise

LISTED = 5
"""The most entries of a kind."""


@dataclass(frozen=True, slots=True)
class Entry:
    """What waits, and the one button that leads on.

    who: the company, the carrier or the place it is about. text: what is wrong, in a line. count: how many things it
    stands for. is_urgent: something has stopped.
    """

    icon: str
    who: str
    text: str
    link: str
    button: str | Promise
    count: int = 1
    is_urgent: bool = False
