"""Compare a client's copy of its shipments with the record."""

import re
from collections.abc import Collection, Generator, Iterator, Mapping, MutableMapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import islice
from typing import TYPE_CHECKING

from prealerts_client.errors import NotFound

if TYPE_CHECKING:
    from prealerts_client.answers import ChangedGuide, MawbDetail
    from prealerts_client.client import Client

Known = MutableMapping[str, dict[str, int]]
"""MAWB -> tracking code -> status_code."""

DELIVERED, ENDS_BADLY = 6, 91
"""By status_code; from 91 on the way has ended badly. Nothing follows either."""

OVERLAP = timedelta(minutes=2)
"""How far `updated_since` reaches back: a change may be committed later than the time it has."""

_RECENT, _ASKED = 50, 100


@dataclass(frozen=True)
class Change:
    """A guide whose status differs from what was known. status_code: None when its manifest was voided."""

    mawb: str
    tracking_code: str
    status: str
    status_code: int | None


def follow(client: "Client", known: Known, since: datetime | None) -> Generator[Change, None, datetime | None]:
    """Reconcile once; return when the newest change was made that is in `known` now."""
    if since is None:
        listed = list(islice(client.list_mawbs(limit=_RECENT), _RECENT))
        for number in dict.fromkeys([*(mawb["mawb"] for mawb in listed), *known]):
            if not has_ended(known.get(number, {})):
                yield from read_again(client, known, number)
        return max((parse_moment(mawb["updated_at"]) for mawb in listed), default=None)
    newest, seen = since, set()
    for guide in client.guides(updated_since=since - OVERLAP):
        seen.add(guide["mawb"])
        newest = max(newest, parse_moment(guide["updated_at"]))
        yield from note_guide(known, guide)
    yield from note_voided(client, known, seen)
    return newest


def note_voided(client: "Client", known: Known, seen: Collection[str]) -> Iterator[Change]:
    """Ask for one guide of each MAWB that may have been voided: one that is not found is read again."""
    samples = {
        next(iter(codes)): number for number, codes in known.items() if number not in seen and not has_ended(codes)
    }
    rest = iter(samples)
    while some := list(islice(rest, _ASKED)):
        found = {guide["tracking_code"] for guide in client.guides(tracking_code=some)}
        for code in some:
            if code not in found:
                yield from read_again(client, known, samples[code])


def read_again(client: "Client", known: Known, number: str) -> Iterator[Change]:
    detail: MawbDetail | None = None
    with suppress(NotFound):
        detail = client.get_mawb(number)
    yield from note_mawb(known, number, detail)


def parse_moment(text: datetime | str) -> datetime:
    """A moment of an answer or an argument. Raises `ValueError` without an offset, as it names no moment then."""
    if isinstance(text, datetime):
        text = text.isoformat()
    whole = re.sub(r"\.(\d{1,6})\d*", lambda fraction: f".{fraction[1]:0<6}", text)  # Python 3.10 wants six digits
    moment = datetime.fromisoformat(re.sub(r"[Zz]$", "+00:00", whole))  # and knows no Z
    if moment.tzinfo is None:
        raise ValueError(f"{text} has no offset from UTC")
    return moment


def has_ended(codes: Mapping[str, int]) -> bool:
    """Whether no guide of a MAWB is on its way any more."""
    return bool(codes) and all(code == DELIVERED or code >= ENDS_BADLY for code in codes.values())


def note_guide(known: Known, guide: "ChangedGuide") -> list[Change]:
    """Put a guide as it is into `known`; return whether it was otherwise."""
    number, code, status_code = guide["mawb"], guide["tracking_code"], guide["status_code"]
    if known.get(number, {}).get(code) == status_code:
        return []
    known.setdefault(number, {})[code] = status_code
    return [Change(number, code, guide["status"], status_code)]


def note_mawb(known: Known, number: str, found: "MawbDetail | None") -> list[Change]:
    """Put a MAWB as it is into `known`; return what was otherwise."""
    before = known.pop(number, {})
    if found is None:
        return [Change(number, code, "", None) for code in before]
    known[number] = {guide["tracking_code"]: guide["status_code"] for guide in found["guides"]}
    return [
        Change(number, guide["tracking_code"], guide["status"], guide["status_code"])
        for guide in found["guides"]
        if before.get(guide["tracking_code"]) != guide["status_code"]
    ] + [Change(number, code, "", None) for code in before.keys() - known[number].keys()]
