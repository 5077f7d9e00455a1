"""What a person has said of a layout, as it enters the reading of a workbook."""

import dataclasses
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

from shipments.manifests.cells import shape_of
from shipments.manifests.words.headings import UNKNOWN, Heading
from shipments.manifests.words.lexicon import PERSONAL, Field, Meaning, may_be_personal
from shipments.manifests.words.spelling import fold


@dataclass(frozen=True, slots=True)
class Answer:
    """What a heading means.

    field: empty for a column that is only kept. key: of extra data, for one. unit, currency: as in `Heading`, or empty.
    decimals: `comma`, `point` or `numeric`. values: text in the sheet, in capitals -> its meaning, for document types
    and categories. month_first, zone: of dates and times in text; zone: an IANA name, `origin` or `destination`.
    """

    field: Field = ""
    key: str = ""
    unit: str = ""
    currency: str = ""
    decimals: str = ""
    values: Mapping[str, str] = dataclasses.field(default_factory=dict)
    month_first: bool = False
    zone: str = ""


Answers = Mapping[str, Answer]
"""Key of a heading, as `answer_keys` gives it -> the answer."""


class ToldLabel(NamedTuple):
    """The field whose value stands beside a label outside the table. zone: as in `Answer`."""

    label: str
    field: Field
    zone: str = ""


RowsWithoutHawb = Literal["", "products", "left_out"]


@dataclass(frozen=True, slots=True)
class Told:
    """All that a person has said of a layout.

    likely: what was said of the same headings in other layouts of the company. constants: field of the flight or the
    destination -> its value in every workbook. rows_without_hawb: whether they are further products of the guide above,
    or left out; empty: the rows decide.
    """

    columns: Answers = dataclasses.field(default_factory=dict)
    likely: Answers = dataclasses.field(default_factory=dict)
    labels: tuple[ToldLabel, ...] = ()
    constants: Mapping[Field, str] = dataclasses.field(default_factory=dict)
    rows_without_hawb: RowsWithoutHawb = ""

    def of(self, headings: Mapping[int, Heading]) -> dict[int, Answer]:
        """Column -> the answer about its heading."""
        return find_answers(headings, self.columns)

    def likely_of(self, headings: Mapping[int, Heading]) -> dict[int, Answer]:
        """Column -> what was said of the same heading in another layout, unless another column is told."""
        fields = {answer.field for answer in self.columns.values()} | {""}
        return {
            column: each for column, each in find_answers(headings, self.likely).items() if each.field not in fields
        }

    def meanings(self, headings: Mapping[int, Heading]) -> Mapping[int, Heading]:
        """The headings with the meanings that were told."""
        answers = {**self.likely_of(headings), **self.of(headings)}
        changed: dict[int, Heading] = {}
        if once := _ONCE & {answer.field for answer in answers.values()}:
            for column, heading in headings.items():
                left = tuple(each for each in heading.meanings if each.field not in once)
                changed[column] = replace(heading, meanings=left)
        for column, answer in answers.items():
            heading = headings.get(column, UNKNOWN)
            if answer.field:
                heading = replace(
                    heading,
                    unit=answer.unit or heading.unit,
                    currency=answer.currency or heading.currency,
                    party="consignee" if answer.field in PERSONAL else "",
                )
            changed[column] = replace(heading, meanings=(Meaning(answer.field or "unused", 0),), unclear=())
        return dict(sorted({**headings, **changed}.items()))


NOTHING_TOLD = Told()

_LONGEST_KEY = 256
_BESIDE = " +"
"""In the key of a column without a heading: how far it is from the heading to its left."""
_ONCE: frozenset[Field] = frozenset({"weight_unit", "currency"})
"""Fields for which no other column is looked for once one is told."""


def answer_key(heading: str) -> str:
    """The form in which headings are compared. Digits count as one another, so that `Peso 1` is `Peso 2`.

    Of a heading that may be a person's data only its shape is compared.
    """
    if may_be_personal(heading):
        return shape_of(heading.strip())[:_LONGEST_KEY]
    words = ("#" if word.isdigit() else word for word in fold(heading))
    return (" ".join(words) or heading.strip().casefold())[:_LONGEST_KEY]


def answer_keys(headings: Iterable[tuple[int, str]]) -> dict[int, str]:
    """Column -> the key of its heading; of equal headings the second is `peso#2`, without a heading it is `peso +1`.

    headings: column and heading, from left to right.
    """
    seen: dict[str, int] = {}
    keys: dict[int, str] = {}
    left, place = "", -1
    for column, heading in headings:
        if not heading.strip():
            keys[column] = f"{left}{_BESIDE}{column - place}"
            continue
        key = answer_key(heading)
        seen[key] = seen.get(key, 0) + 1
        left = keys[column] = key if seen[key] == 1 else f"{key}#{seen[key]}"
        place = column
    return keys


def find_answers(headings: Mapping[int, Heading], answers: Answers) -> dict[int, Answer]:
    """Column -> the answer about its heading, or about the column without one beside it."""
    if not answers:
        return {}
    keys = answer_keys((column, heading.text) for column, heading in sorted(headings.items()))
    found = {column: answers[key] for column, key in keys.items() if key in answers}
    columns = {key: column for column, key in keys.items()}
    for key, answer in answers.items():
        left, beside, distance = key.rpartition(_BESIDE)
        if beside and distance.isdigit() and (left in columns or not left):
            found.setdefault(columns.get(left, -1) + int(distance), answer)
    return found
