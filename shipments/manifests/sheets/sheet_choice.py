"""Which sheets of a workbook are read: all pages of one table, the fuller of two lists, and never half a manifest."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

from shipments.manifests.cells import text_of
from shipments.manifests.manifest import Notice, Reason
from shipments.manifests.sheets.surveys import SheetTables
from shipments.manifests.words.lexicon import Field

_CORE: frozenset[Field] = frozenset(
    {"consignee_document", "description_original", "weight_kg", "packages_count", "fob_usd"}
)
_GOODS: frozenset[str] = frozenset({"consignee_name", "consignee_document", "description_original"})
_LONGEST_NAME = 40
_HAWBS_NAMED = 3


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """A sheet with guides. hawbs: contents of its HAWB column. names_consignees: false for a summary."""

    tables: SheetTables
    hawbs: frozenset[str]
    names_consignees: bool

    def fields(self) -> frozenset[str]:
        """The core fields of a guide that its columns are used for."""
        served: set[str] = set()
        for table in self.tables.guide_tables():
            served |= table.columns.single.keys() & _CORE
            served |= {"consignee_name"} if table.columns.names else set()
        return frozenset(served)

    def served(self) -> int:
        """How many fields its columns are used for, core or not."""
        first = self.tables.guide_tables()[0].columns
        return len(first.single) + len(first.names) + bool(first.address)

    def short_name(self) -> str:
        """The sheet's name, shortened."""
        return text_of(self.tables.sheet.name)[:_LONGEST_NAME]

    def name(self) -> str:
        """The sheet's name in quotation marks."""
        return repr(self.short_name())


@dataclass(frozen=True, slots=True)
class Choice:
    """sheets: those to read, in the workbook's order. refusal: what would be left unread, empty when nothing would."""

    sheets: tuple[SheetTables, ...] = ()
    notices: tuple[Notice, ...] = ()
    refusal: str = ""


def choose(candidates: Sequence[Candidate]) -> Choice:
    """Choose among the sheets that have guides. If a client's own format was found, only sheets that have it are read.

    Of sheets with the same HAWBs, the one with most fields is read. Sheets with the same fields and different HAWBs
    form one table. If a sheet has guides that are on none of the sheets to read, the workbook is refused.
    """
    # A cover sheet may count HAWBs in columns of its own, but guides have consignees.
    manifests = (
        [candidate for candidate in candidates if candidate.tables.is_mapped()]
        or [candidate for candidate in candidates if candidate.names_consignees]
        or list(candidates[:1])
    )
    if not manifests:
        return Choice()
    best = max(manifests, key=lambda candidate: (len(candidate.fields()), candidate.served()))
    read = [best]
    for candidate in manifests:
        if candidate is not best and candidate.fields() == best.fields() and not _repeats(candidate, read):
            read.append(candidate)
    read.sort(key=candidates.index)
    known = frozenset(chain.from_iterable(candidate.hawbs for candidate in read))
    others = [candidate for candidate in candidates if candidate not in read]
    completing = next(filter(None, (_completing(other, read, known) for other in others)), "")
    refusal = completing or next(
        (_refusal(other, read, known) for other in others if other.names_consignees and other.hawbs - known), ""
    )
    return Choice(
        tuple(candidate.tables for candidate in read),
        tuple(_ignored(other, read, known) for other in others if other.fields() & _GOODS or other.hawbs & known),
        refusal,
    )


def _repeats(candidate: Candidate, read: Sequence[Candidate]) -> bool:
    """Whether most of a sheet's HAWBs are already on a sheet to read: it is then a copy, not a further page."""
    known = frozenset(chain.from_iterable(other.hawbs for other in read))
    return len(candidate.hawbs & known) * 2 > len(candidate.hawbs)


def _completing(other: Candidate, read: Sequence[Candidate], known: frozenset[str]) -> str:
    """Why a sheet with the same HAWBs cannot be left out: it has core fields that the sheets to read lack.

    A warehouse's copy of the list may count the packages.
    """
    missing = sorted(other.fields() - read[0].fields())
    if (
        missing in ([], ["packages_count"])
        or len(other.hawbs & known) * 2 <= len(other.hawbs)
        or other.tables.is_mapped()
    ):
        return ""
    return (
        f"The sheets {read[0].name()} and {other.name()} have the same HAWBs, and only {other.name()} has "
        f"{', '.join(missing)}. Nothing was taken. Put all columns on one sheet."
    )


def _refusal(other: Candidate, read: Sequence[Candidate], known: frozenset[str]) -> str:
    missing = sorted(other.hawbs - known)
    named = ", ".join(hawb[:64] for hawb in missing[:_HAWBS_NAMED]) + (" ..." if len(missing) > _HAWBS_NAMED else "")
    return (
        f"The sheet {other.name()} has guides that {read[0].name()} has not, under other headings: {named}. Nothing "
        "was taken. Put all guides under one kind of headings, or send the sheets as manifests of their own MAWBs."
    )


def _ignored(other: Candidate, read: Sequence[Candidate], known: frozenset[str]) -> Notice:
    params = {"sheet": other.short_name()}
    if other.hawbs & known:
        return Notice("sheet_ignored", Reason("sheet_repeats", {**params, "taken": read[0].short_name()}))
    return Notice("sheet_ignored", Reason("sheet_without_consignees", params))
