"""Several rows with one HAWB: one guide with several products, or the same number used for two people."""

import json
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from itertools import islice

from shipments.manifests.findings import Findings
from shipments.manifests.guide_fields import CHARGES, LONGEST, MONEY, USD, WEIGHT_KG
from shipments.manifests.manifest import Product
from shipments.manifests.sheets.row_reader import ASKED, GuideDraft, GuideLine
from shipments.manifests.sheets.rows import RowTally

_ROWS_NAMED = 10


def bring_together(
    rows: Iterable[GuideDraft], is_dummy: Callable[[GuideDraft], bool], findings: Findings, tally: RowTally
) -> dict[str, GuideDraft]:
    """Merge the rows with the same HAWB and consignee into one guide. If consignees differ, the first row is kept.

    rows: one without a HAWB is a further product of the row before it, and is left out if that row was.
    is_dummy: whether a row's document is a placeholder, which does not distinguish two people.
    tally: where further products and rows left out are counted.
    Returns the guides by HAWB, in the order of their first rows.
    """
    guides: dict[str, GuideDraft] = {}
    merged: list[GuideDraft] = []
    above: GuideDraft | None = None
    for row in rows:
        first = guides.setdefault(row.hawb, row) if row.hawb else above
        if first is row:
            above = row
        elif first is None:
            tally.leave_out(row.row_index, "duplicate_hawb", sheet=row.sheet)
        elif row.hawb and not _have_same_consignee(first, row, is_dummy):
            findings.warn(row.row_index, row.hawb, "hawb", "duplicate_hawb", row=str(first.row_index))
            tally.leave_out(row.row_index, "duplicate_hawb", row.hawb, row.sheet)
            above = None
        else:
            above = first
            tally.products += 1
            if not first.others:
                merged.append(first)
            _merge(first, row)
    for guide in merged:
        _note_merged(guide, findings)
    return guides


def _merge(first: GuideDraft, row: GuideDraft) -> None:
    """Add a further row to a guide."""
    first.others = first.others or []
    first.others.append(row.line)
    if row.extra_data:
        first.others_extra = first.others_extra or []
        first.others_extra.append(row.extra_data)
    if not row.hawb:
        first.has_unnamed = True
        return
    first.texts = {**row.texts, **first.texts}
    first.vat |= row.vat
    if not first.document:
        first.document, first.check_digit = row.document, row.check_digit


BETWEEN = " | "
_EXTRA_BYTES = 16 * 1024
"""Of a guide's extra data, as JSON accepts it."""
_AROUND_TEXT = len('"": "", ')


def extra_of(guide: GuideDraft, findings: Findings) -> Mapping[str, str]:
    """The extra data of a guide: of several rows the different texts, joined. What exceeds the limit is left out."""
    extra = guide.extra_data or {}
    if guide.others_extra:
        every = [extra, *guide.others_extra]
        keys = dict.fromkeys(key for each in every for key in each)
        extra = {key: BETWEEN.join(dict.fromkeys(each[key] for each in every if key in each)) for key in keys}
    if sum(map(len, extra.values())) < _EXTRA_BYTES // 16:
        return extra  # nearly every guide
    kept: dict[str, str] = {}
    left = _EXTRA_BYTES - len("{}")
    for key, text in sorted(extra.items(), key=lambda each: not each[0].startswith(ASKED)):
        size = len(json.dumps(key)) + len(json.dumps(text)) + _AROUND_TEXT
        if size <= left:
            kept[key] = text
            left -= size
    if len(kept) < len(extra):
        lost = tuple(key for key in extra if key not in kept)
        findings.warn(guide.row_index, guide.hawb, "extra_data", "extra_data_truncated", columns=lost[:_ROWS_NAMED])
    return kept


def _note_merged(guide: GuideDraft, findings: Findings) -> None:
    findings.sheet = guide.sheet
    rows = [str(guide.row_index), *(str(line.row_index) for line in guide.others or ())]
    named = ", ".join(rows[:_ROWS_NAMED]) + (" ..." if len(rows) > _ROWS_NAMED else "")
    findings.notice("hawb_rows_merged", row_index=guide.row_index, hawb=guide.hawb, rows=named, count=len(rows))


def sum_of(guide: GuideDraft, findings: Findings) -> GuideLine:
    """One line that combines all lines of a guide.

    Values are summed, different descriptions and HS codes joined. Packages are the first row's, or as many as the rows
    number. A weight repeated on every row is the parcel's and counts once; different weights are the products' and are
    added. A value repeated on every row counts once if its heading says that it is the shipment's or a total; else it
    is added, with a notice. Freight or insurance repeated on every row counts once.
    """
    lines = [guide.line, *(guide.others or ())]
    weights = _amounts_given("weight_kg", lines)
    summed = {
        "weight_kg": weights[0] if len(set(weights)) == 1 else _sum(weights),
        **{name: _value_of(name, lines, guide, findings) for name in MONEY},
    }
    for name, amount in summed.items():
        if amount is not None and amount > (WEIGHT_KG if name == "weight_kg" else USD).maximum:
            findings.warn(guide.row_index, guide.hawb, name, f"{name}_invalid", "rows_sum_too_large")
            summed[name] = None
    return GuideLine(
        row_index=guide.row_index,
        description=_join("description_original", [line.description for line in lines], guide, findings),
        hs_code=_join("hs_code", [code for line in lines for code in line.hs_code.split(", ")], guide, findings),
        packages_count=_packages_of(lines, weights, guide, findings),
        unreadable=frozenset().union(*(line.unreadable for line in lines)),
        **summed,
    )


def products_of(guide: GuideDraft) -> tuple[Product, ...]:
    """The lines of a guide of several rows as its products. Each line's value is a total, so its quantity is one."""
    return tuple(
        Product(line.description, Decimal(1), line.fob_usd, line.weight_kg, line.hs_code)
        for line in ((guide.line, *guide.others) if guide.others else ())
    )


def _have_same_consignee(one: GuideDraft, other: GuideDraft, is_dummy: Callable[[GuideDraft], bool]) -> bool:
    """Whether two rows are for the same person. An empty cell does not contradict.

    The same document means the same person, however the name is spelled, unless the names share no word: then the
    document was typed on the wrong row. Without a usable document, the whole names decide.
    """
    names = [row.texts.get("consignee_name", "") for row in (one, other)]
    documents = _alphanumeric(one.document + one.check_digit), _alphanumeric(other.document + other.check_digit)
    if all(documents) and (documents[0] != documents[1] or not is_dummy(one)):
        return documents[0] == documents[1] and (not all(names) or bool(_words(names[0]) & _words(names[1])))
    whole = [_alphanumeric(name) for name in names]
    return not all(whole) or whole[0] == whole[1]


def _words(name: str) -> set[str]:
    return {word for part in name.split() if (word := _alphanumeric(part))}


def _alphanumeric(text: str) -> str:
    decomposed = unicodedata.normalize("NFKD", text).casefold()
    return "".join(character for character in decomposed if character.isalnum())


def _value_of(name: str, lines: Sequence[GuideLine], guide: GuideDraft, findings: Findings) -> Decimal | None:
    amounts = _amounts_given(name, lines)
    summed = _sum(amounts)
    if summed and len(amounts) > 1 and len(set(amounts)) == 1:
        if name in guide.once or name in CHARGES:  # like a weight, a charge repeated on every row is the parcel's
            return amounts[0]
        if name == "fob_usd" and not guide.has_unnamed:  # the rows may be copies of each other
            findings.notice(
                "repeated_value_added",
                row_index=guide.row_index,
                hawb=guide.hawb,
                value=str(amounts[0]),
                added=str(summed),
                count=len(amounts),
            )
    return summed


def _packages_of(
    lines: Sequence[GuideLine], weights: Sequence[Decimal], guide: GuideDraft, findings: Findings
) -> int | None:
    counts = [line.packages_count for line in lines if line.packages_count is not None]
    if len(set(counts)) < 2 or guide.has_unnamed:
        return counts[0] if counts else None
    numbers_rows = counts == list(range(1, len(lines) + 1))
    taken = len(counts) if numbers_rows else counts[0]
    findings.notice(
        "packages_differ",
        "packages_differ_weight_once" if len(weights) > 1 and len(set(weights)) == 1 else "packages_differ",
        row_index=guide.row_index,
        hawb=guide.hawb,
        counts=", ".join(map(str, counts[:_ROWS_NAMED])),
        taken=str(taken),
        weight=str(weights[0]) if weights else "",
    )
    return taken


def _amounts_given(name: str, lines: Sequence[GuideLine]) -> list[Decimal]:
    return [amount for line in lines if (amount := getattr(line, name)) is not None]


def _sum(amounts: list[Decimal]) -> Decimal | None:
    return sum(amounts, Decimal(0)) if amounts else None


def _join(name: str, texts: Iterable[str], guide: GuideDraft, findings: Findings) -> str:
    joined = ", ".join(islice(dict.fromkeys(text for text in texts if text), LONGEST[name]))
    return findings.fit(guide.row_index, guide.hawb, name, joined)
