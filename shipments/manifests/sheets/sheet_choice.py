"""Which sheets of a workbook are read: all pages of one table, the fuller of two lists, and never half a manifest."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain

from shipments.manifests.manifest import Notice, Reason
from shipments.manifests.sheets.surveys import SheetTables
from shipments.manifests.words.lexicon import Field

_CORE: frozenset[Field] = frozenset(
    {"consignee_document", "description_original", "weight_kg", "packages_count", "fob_usd"}
)
_GOODS: frozenset[str] = frozenset({"consignee_name", "consignee_document", "description_original"})
_HAWBS_NAMED = 3

Choice = tuple[tuple[SheetTables, ...], tuple[Notice, ...], str]
"""The sheets to read, in the workbook's order; notices on the others; what would be left unread, empty for nothing."""


def choose(candidates: Sequence[SheetTables]) -> Choice:
    """Choose among the sheets that have guides. If a client's own format was found, only sheets that have it are read.

    Of sheets with the same HAWBs, the one with most fields is read. Sheets with the same fields and different HAWBs
    form one table. If a sheet has guides that are on none of the sheets to read, the workbook is refused.
    """
    # A cover sheet may count HAWBs in columns of its own, but guides have consignees.
    manifests = (
        [candidate for candidate in candidates if candidate.is_mapped()]
        or [candidate for candidate in candidates if candidate.names_consignees]
        or list(candidates[:1])
    )
    if not manifests:
        return (), (), ""
    best = max(manifests, key=lambda candidate: (len(_fields(candidate)), _served(candidate)))
    read = [best]
    for candidate in manifests:
        if candidate is not best and _fields(candidate) == _fields(best) and not _repeats(candidate, read):
            read.append(candidate)
    read.sort(key=candidates.index)
    known = frozenset(chain.from_iterable(candidate.hawbs for candidate in read))
    others = [candidate for candidate in candidates if candidate not in read]
    completing = next(filter(None, (_completing(other, read, known) for other in others)), "")
    refusal = completing or next(
        (_refusal(other, read, known) for other in others if other.names_consignees and other.hawbs - known), ""
    )
    notices = tuple(_ignored(other, read, known) for other in others if _fields(other) & _GOODS or other.hawbs & known)
    return tuple(replace(candidate, hawbs=frozenset()) for candidate in read), notices, refusal  # saves memory


def _fields(candidate: SheetTables) -> frozenset[str]:
    """The core fields of a guide that a sheet's columns are used for."""
    columns = [table.columns for table in candidate.guide_tables()]
    names = {"consignee_name"} if any(each.names for each in columns) else set()
    return frozenset(names.union(*(each.single.keys() & _CORE for each in columns)))


def _served(candidate: SheetTables) -> int:
    """How many fields its columns are used for, core or not."""
    first = candidate.guide_tables()[0].columns
    return len(first.single) + len(first.names) + bool(first.address)


def _repeats(candidate: SheetTables, read: Sequence[SheetTables]) -> bool:
    """Whether most of a sheet's HAWBs are already on a sheet to read: it is then a copy, not a further page."""
    known = frozenset(chain.from_iterable(other.hawbs for other in read))
    return len(candidate.hawbs & known) * 2 > len(candidate.hawbs)


def _completing(other: SheetTables, read: Sequence[SheetTables], known: frozenset[str]) -> str:
    """Why a sheet with the same HAWBs cannot be left out: it has core fields that the sheets to read lack.

    A warehouse's copy of the list may count the packages.
    """
    missing = sorted(_fields(other) - _fields(read[0]))
    if missing in ([], ["packages_count"]) or len(other.hawbs & known) * 2 <= len(other.hawbs) or other.is_mapped():
        return ""
    return (
        f"The sheets {read[0].short_name()!r} and {other.short_name()!r} have the same HAWBs, and only "
        f"{other.short_name()!r} has {', '.join(missing)}. Nothing was taken. Put all columns on one sheet."
    )


def _refusal(other: SheetTables, read: Sequence[SheetTables], known: frozenset[str]) -> str:
    missing = sorted(other.hawbs - known)
    named = ", ".join(hawb[:64] for hawb in missing[:_HAWBS_NAMED]) + (" ..." if len(missing) > _HAWBS_NAMED else "")
    return (
        f"The sheet {other.short_name()!r} has guides that {read[0].short_name()!r} has not, under other headings: "
        f"{named}. Nothing was taken. Put all guides under one kind of headings, or send the sheets as manifests of "
        "their own MAWBs."
    )


def _ignored(other: SheetTables, read: Sequence[SheetTables], known: frozenset[str]) -> Notice:
    params = {"sheet": other.short_name()}
    if other.hawbs & known:
        return Notice("sheet_ignored", Reason("sheet_repeats", {**params, "taken": read[0].short_name()}))
    return Notice("sheet_ignored", Reason("sheet_without_consignees", params))
