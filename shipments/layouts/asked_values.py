"""Values of columns that were asked, kept in guides' extra data until somebody says which field they are."""

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from functools import partial
from typing import Any, NamedTuple

from django.db.models import QuerySet
from openpyxl.utils import column_index_from_string

from shipments.manifests.cells import yes_or_no
from shipments.manifests.guide_fields import CORRECTABLE, GUIDE_FIELDS
from shipments.manifests.sheets.account import key_of
from shipments.manifests.sheets.answer_rules import JOINED_FIELDS
from shipments.manifests.sheets.answers import answer_key
from shipments.manifests.sheets.merging import BETWEEN
from shipments.manifests.sheets.row_reader import ASKED
from shipments.manifests.sheets.surveys import normal_value
from shipments.manifests.words.amounts import Amount, decimal_mark, read_money, read_packages, read_weight
from shipments.models import AnswerKind, Guide, Layout, LayoutAnswer, Manifest
from shipments.statuses import GuideStatus

_UNKNOWN = {each.name: each.unknown for each in GUIDE_FIELDS}
_MOST_SHOWN = 20


class AskedColumn(NamedTuple):
    """A column that was asked. key: of the extra data. kept_as: the key under which its values stay if none is moved.

    answer: what was said of it since; None if nobody did.
    """

    key: str
    kept_as: str
    answer: LayoutAnswer | None


class Difference(NamedTuple):
    """A registered guide that the answers would change. fields: those that are empty now, with their values."""

    hawb: str
    tracking_code: str
    fields: Mapping[str, object]


class Differences(NamedTuple):
    """How many guides would differ, and the first of them."""

    total: int
    first: Sequence[Difference]


def differences(layout: Layout) -> Differences:
    """Return which registered guides of a layout have values of asked columns that their fields lack."""
    total = 0
    first: list[Difference] = []
    for asked, guides in find_asked_guides(layout):
        for guide in guides.filter(status=GuideStatus.REGISTERED).iterator(chunk_size=500):
            if fields := values_of(guide, asked):
                total += 1
                if len(first) < _MOST_SHOWN:
                    first.append(Difference(guide.hawb, guide.tracking_code, fields))
    return Differences(total, first)


def find_asked_guides(layout: Layout) -> Iterator[tuple[Sequence[AskedColumn], "QuerySet[Guide]"]]:
    """Yield the guides that keep values of asked columns, manifest by manifest, with these columns."""
    answers = {each.name: each for each in layout.answers.filter(kind=AnswerKind.COLUMN)}
    names = {column["column"]: column["name"] for column in layout.columns}
    manifests = Manifest.objects.filter(layout=layout, voided_at=None).exclude(questions=[])
    for pk, kept in manifests.order_by("created_at").values_list("pk", "kept_columns"):
        asked = [_column_of(each, answers, names) for each in kept if each["key"].startswith(ASKED)]
        if asked:
            keys = [each.key for each in asked]
            yield asked, Guide.objects.filter(manifest=pk, extra_data__has_any_keys=keys).order_by("pk")


def _column_of(kept: Mapping[str, str], answers: Mapping[str, LayoutAnswer], names: Mapping[str, str]) -> AskedColumn:
    """Return what became of a column that a manifest kept. kept: as in `Manifest.kept_columns`.

    names: letters -> name of the last workbook's columns, of which equal headings have a number.
    """
    heading, letters = kept["heading"], kept["column"]
    name, key = names.get(letters, ""), answer_key(heading)
    answer = answers.get(name if name.startswith(f"{key}#") else key)
    kept_as = answer.key if answer and answer.key else key_of(heading, column_index_from_string(letters) - 1)
    return AskedColumn(kept["key"], kept_as, answer)


def values_of(guide: Guide, asked: Sequence[AskedColumn]) -> dict[str, object]:
    """Return field -> value, as a correction takes it, for the fields that are empty and whose columns are told now.

    A value that can be read in two ways, or of several rows that differ, is left where it is.
    """
    found: dict[str, list[Any]] = {}
    for column in asked:
        text = guide.extra_data.get(column.key)
        if column.answer and column.answer.field in CORRECTABLE["sender"] and isinstance(text, str):
            found.setdefault(column.answer.field, []).append(_read_value(column.answer, text))
    fields: dict[str, object] = {}
    for name, values in found.items():
        if getattr(guide, name) != _UNKNOWN[name] or None in values:
            continue
        if name in JOINED_FIELDS:
            fields[name] = (" " if name == "consignee_name" else ", ").join(values)
        else:
            fields[name] = sum(values, Decimal(0)) if name == "weight_kg" else values[0]
    return fields


def _read_value(answer: LayoutAnswer, text: str) -> object:
    """Return the value that a cell's text has as the field of an answer; None if it is not plain."""
    if BETWEEN in text:
        return None
    if answer.field == "weight_kg":
        return _read_number(partial(read_weight, text, answer.unit or "kg"), answer, text)
    if answer.field in {"fob_usd", "product_value"}:
        return _read_number(partial(read_money, text), answer, text) if answer.currency in {"", "USD"} else None
    if answer.field == "packages_count":
        amount = read_packages(text)
        return None if amount.problem or amount.value is None else int(amount.value)
    if answer.field == "vat_collected":
        return yes_or_no(text)
    return answer.values.get(normal_value(text), text)


def _read_number(read: Any, answer: LayoutAnswer, text: str) -> Decimal | None:  # noqa: ANN401  # a reader of amounts
    """Return an amount; None where the decimal mark is in doubt: a numeric cell is kept with a point, too."""
    if decimal_mark(text) == "either" and answer.decimals == "comma":
        return None
    amount: Amount = read()
    return None if amount.problem else amount.value
