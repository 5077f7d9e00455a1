"""Which of the sheets that have guides are read, which are passed over, and why a workbook is refused as a whole."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from shipments.manifests.cells import tokens
from shipments.manifests.manifest import Notice, Reason
from shipments.manifests.sheets.candidates import may_count_guides
from shipments.manifests.sheets.surveys import SheetTables
from shipments.manifests.words.lexicon import Field

_CORE: frozenset[Field] = tokens("consignee_document description_original weight_kg packages_count fob_usd")
_GOODS: frozenset[Field] = tokens("consignee_name consignee_document description_original")
GOODS_OR_CORE = _CORE | _GOODS
_HAWBS_NAMED = 3

Choice = tuple[tuple[SheetTables, ...], tuple[Notice, ...], str]
"""The sheets to read, in the workbook's order; notices on the others; what would be left unread, empty for nothing."""


def choose(candidates: Sequence[SheetTables]) -> Choice:
    """Choose among the sheets that have guides.

    Of sheets with the same HAWBs, the one with most fields is read. Sheets with the same fields and different HAWBs
    form one table. If a sheet has guides that are on none of the sheets to read, the workbook is refused.
    """
    # A cover sheet may count guides in columns of its own, but guides have consignees.
    manifests = [candidate for candidate in candidates if candidate.names_consignees] or list(candidates[:1])
    if not manifests:
        return (), (), ""

    def count_used(candidate: SheetTables) -> int:
        """How many fields its columns are used for, core or not."""
        first = candidate.guide_tables()[0].columns
        return len(first.single) + len(first.names) + bool(first.address)

    best = max(manifests, key=lambda candidate: (len(_fields(candidate)), count_used(candidate)))
    read = [best]
    for candidate in manifests:
        if candidate is not best and _fields(candidate) == _fields(best) and not _repeats(candidate, _hawbs(read)):
            read.append(candidate)
    read.sort(key=candidates.index)
    known = _hawbs(read)
    others = [candidate for candidate in candidates if candidate not in read]
    completing = next(filter(None, (_why_needed(other, read, known) for other in others)), "")
    refusal = completing or next(
        (_refusal(other, read, known) for other in others if other.names_consignees and other.hawbs - known), ""
    )
    notices = tuple(
        Notice(
            "sheet_ignored",
            Reason("sheet_repeats", {"sheet": other.short_name(), "taken": read[0].short_name()})
            if other.hawbs & known
            else Reason("sheet_without_consignees", {"sheet": other.short_name()}),
        )
        for other in others
        if _fields(other) & _GOODS or other.hawbs & known or not all(map(may_count_guides, other.hawbs))
    )
    return tuple(replace(candidate, hawbs=frozenset()) for candidate in read), notices, refusal  # saves memory


def _fields(candidate: SheetTables) -> frozenset[str]:
    """The core fields of a guide that a sheet's columns are used for."""
    columns = [table.columns for table in candidate.guide_tables()]
    names = {"consignee_name" for each in columns if each.names}
    return frozenset(names.union(*(each.single.keys() & _CORE for each in columns)))


def _hawbs(sheets: Iterable[SheetTables]) -> frozenset[str]:
    return frozenset().union(*(sheet.hawbs for sheet in sheets))


def _repeats(candidate: SheetTables, known: frozenset[str]) -> bool:
    """Whether half of a sheet's HAWBs are already on a sheet to read: it is then a copy, not a further page."""
    return len(candidate.hawbs & known) * 2 >= len(candidate.hawbs)


def _why_needed(other: SheetTables, read: Sequence[SheetTables], known: frozenset[str]) -> str:
    """Why a sheet with the same HAWBs cannot be left out: it has core fields that the sheets to read lack.

    A warehouse's copy of the list may count the packages.
    """
    missing = sorted(_fields(other) - _fields(read[0]))
    if missing in ([], ["packages_count"]) or not _repeats(other, known):
        return ""
    return (
        f"The sheets {read[0].short_name()!r} and {other.short_name()!r} have the same HAWBs, and only "
        f"{other.short_name()!r} has {', '.join(missing)}. Nothing was taken. Put all columns on one sheet."
    )


def _refusal(other: SheetTables, read: Sequence[SheetTables], known: frozenset[str]) -> str:
    missing = sorted(other.hawbs - known)
    named = ", ".join(hawb[:64] for hawb in missing[:_HAWBS_NAMED]) + (" ..." if len(missing) > _HAWBS_NAMED else "")
    if _fields(other) == _fields(read[0]):
        return (
            f"The sheet {other.short_name()!r} repeats guides of {read[0].short_name()!r} and has others besides: "
            f"{named}. Nothing was taken. Keep each guide on one sheet."
        )
    return (
        f"The sheet {other.short_name()!r} has guides that {read[0].short_name()!r} has not, under other headings: "
        f"{named}. Nothing was taken. Put all guides under one kind of headings, or send the sheets as manifests of "
        "their own MAWBs."
    )
