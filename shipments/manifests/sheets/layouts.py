"""What is remembered of a workbook's layout: its headings, how they were read, and what their values are like.

No value of a row is among it, since nobody can know which column holds people: only shapes, shares and medians. A
heading that may be a person's data stands as its shape, too.
"""

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from itertools import chain, islice
from typing import Any

from openpyxl.utils import get_column_letter

from shipments.manifests.cells import Workbook, shape_of, text_of
from shipments.manifests.manifest import SeenColumn, SeenLayout
from shipments.manifests.sheets.answers import answer_keys
from shipments.manifests.sheets.encodings import Repairs, repair_sheet
from shipments.manifests.sheets.evidence import ASSIGNED, CORE, TABLE, Strength
from shipments.manifests.sheets.headers import SEARCHED_ROWS, heading_blocks
from shipments.manifests.sheets.row_reader import ASKED
from shipments.manifests.sheets.surveys import Columns, GuideTable, Survey
from shipments.manifests.sheets.table import Fit, fits_of
from shipments.manifests.words.headings import UNKNOWN, Heading, read_grouped_heading
from shipments.manifests.words.levels import Level, level_of
from shipments.manifests.words.lexicon import Field, may_be_personal

_SHAPED = 100
"""Values whose commonest shape is that of the column."""
_LONGEST_SHAPE, _LONGEST_TEXT = 40, 256
_MOST_COLUMNS = 256
_SAMPLES = 3


def fingerprint(names: Iterable[str]) -> str:
    """The digest of a set of headings, each as `answer_key` gives it. Columns without a heading do not count."""
    return hashlib.sha256("\n".join(sorted(filter(heads_table, set(names)))).encode()).hexdigest()


def heads_table(name: str) -> bool:
    """Whether a key is of a column that has a heading."""
    return " +" not in name


def headings_in(book: Workbook) -> Iterator[frozenset[str]]:
    """The keys of each possible row of headings among the first rows of the visible sheets."""
    for sheet in book.sheets:
        above = None
        for row in islice(repair_sheet(sheet, Repairs()).rows, SEARCHED_ROWS):
            for block in heading_blocks(row, above, sheet.merged):
                yield frozenset(_keys(block.headings).values())
            above = row


def names_in(survey: Survey) -> frozenset[str]:
    """The keys of the headings of the tables that were found."""
    return frozenset(chain.from_iterable(_keys(table.header.headings).values() for table in _tables(survey)))


def exact_fields(survey: Survey) -> dict[str, Field]:
    """Key of a heading -> the field of which it has the words, and no other."""
    found: dict[str, Field] = {}
    for table in _tables(survey):
        headings, texts = table.header.headings, table.header.texts
        names = _keys(headings)
        for column, heading in headings.items():
            for meaning in heading.meanings:
                if level_of(heading, meaning, texts.get(column, heading.text)).level == Level.EXACT:
                    found.setdefault(names[column], meaning.field)
    return found


def _keys(headings: Mapping[int, Heading], more: Iterable[int] = ()) -> dict[int, str]:
    """Column -> its key. more: columns without a heading."""
    columns = sorted({*headings, *more})
    return answer_keys((column, headings.get(column, UNKNOWN).text) for column in columns)


def _tables(survey: Survey) -> tuple[GuideTable, ...]:
    tables = tuple(table for sheet in survey.sheets for table in sheet.guide_tables())
    return tables or ((survey.asked,) if survey.asked else ())


def derive_layout(survey: Survey) -> SeenLayout | None:
    """The layout of a workbook's guides, also where nobody can tell their HAWB; None without such a table.

    Of several tables with other headings, each column is there once.
    """
    columns: dict[str, SeenColumn] = {}
    questions: dict[str, dict[str, object]] = {}
    texts = set()
    for table in _tables(survey):
        headings = frozenset((column, heading.text) for column, heading in table.header.headings.items())
        if headings in texts:
            continue
        texts.add(headings)
        for column in _columns(table):
            columns.setdefault(column.name, column)
        for doubt in table.columns.doubts:
            asked = asdict(doubt.question(table.header.headings, {}))
            for each, column_index in zip(asked["columns"], doubt.columns, strict=False):
                each["heading"] = _mask_heading(each["heading"])
                shapes = dict.fromkeys(shape_of(text_of(cell))[:_LONGEST_SHAPE] for cell in table.values(column_index))
                each["samples"] = list(shapes)[:3]
            questions.setdefault(repr(asked), asked)
    if not columns:
        return None
    asked_mawb = [asdict(each) for each in survey.mawb_questions]
    for each in (column for asked in asked_mawb for column in asked["columns"]):
        each["heading"] = _mask_heading(each["heading"])
    return SeenLayout(tuple(columns.values())[:_MOST_COLUMNS], (*questions.values(), *asked_mawb))


def samples_of(survey: Survey) -> dict[str, list[str]]:
    """Key of a heading -> the first different values below it, people's data: for an operator's eyes alone."""
    found: dict[str, list[str]] = {}
    for table in _tables(survey):
        for column, name in _keys(table.header.headings, table.columns.kept).items():
            texts = dict.fromkeys(text_of(value)[:_LONGEST_SHAPE] for value in table.values(column))
            found.setdefault(name, list(texts)[:_SAMPLES])
    return found


def _columns(table: GuideTable) -> Iterator[SeenColumn]:
    headings, texts, columns = table.header.headings, table.header.texts, table.columns
    seen = table.seen
    fields = _fields(columns)
    in_doubt = frozenset(chain.from_iterable(doubt.columns[:1] for doubt in columns.doubts))
    for column, name in _keys(headings, columns.kept).items():
        heading = headings.get(column, UNKNOWN)
        values, facts = table.values(column), seen.facts.get(column)
        shapes = Counter(shape_of(text_of(value))[:_LONGEST_SHAPE] for value in values[:_SHAPED])
        field = "" if column in in_doubt else fields.get(column, "")
        strength = columns.strengths.get(column, Strength.LIKELY if field else Strength.NO)
        unit = columns.rules.weights.get(column) or columns.measures.named_unit()
        is_read = field in {"fob_usd", "product_value"} and field not in columns.measures.foreign
        key = columns.kept.get(column, "")
        lower = texts.get(column, heading.text)
        group = heading.text.removesuffix(lower).rstrip(" /")
        is_personal = may_be_personal(heading.text)
        yield SeenColumn(
            name=name,
            column=get_column_letter(column + 1),
            heading=shape_of(lower)[:_LONGEST_TEXT] if is_personal else text_of(lower)[:_LONGEST_TEXT],
            group=shape_of(group)[:_LONGEST_TEXT] if is_personal else text_of(group)[:_LONGEST_TEXT],
            field=field,
            key="" if field or key.startswith(ASKED) else key,
            unit=unit if field == "weight_kg" else heading.unit if not field else "",
            currency=(columns.measures.currency or "USD") if is_read else heading.currency if not field else "",
            decimals=columns.rules.decimals.get(field, ""),
            strength=(Strength.DOUBTFUL if column in in_doubt else strength).name.lower(),
            shape=shapes.most_common(1)[0][0] if shapes else "",
            fits=fits_of(seen, column, CORE | heading.fields()) if column in headings else {},
            distinct=round(facts.distinct / facts.filled, 2) if facts and facts.filled else 0,
            is_constant=bool(facts and facts.is_constant),
            counts=bool(facts and facts.counts),
        )


def _mask_heading(heading: str) -> str:
    return shape_of(heading) if may_be_personal(heading) else heading


def _fields(columns: Columns) -> Mapping[int, Field]:
    """Column -> the field that it serves."""
    measures = columns.measures
    found: dict[int, Field] = {column: name for name, column in reversed(list(columns.single.items()))}
    several: Mapping[Field, Iterable[int | None]] = {
        "consignee_name": chain.from_iterable(columns.names),
        "consignee_address": columns.address,
        "mawb": columns.mawb,
        "weight_kg": columns.rules.weights,
        "weight_unit": [measures.unit_column],
        "currency": [measures.currency_column],
    }
    for name, places in several.items():
        for column in places:
            if column is not None:
                found.setdefault(column, name)
    return found


# --- what an upgrade would change -------------------------------------------------------------------------------------


def offers_of(column: Mapping[str, Any]) -> dict[str, str]:
    """Field -> strength, as a word, that this version's words and table of evidence give a column of a layout.

    column: a `SeenColumn` as a mapping. Also `unit` and `currency`, where the heading names them. Equal offers are read
    alike; the matching with other columns is not part of it.
    """
    heading = read_grouped_heading(column["group"], column["heading"])
    offers = {}
    for meaning in heading.meanings:
        name = meaning.field
        if name in ASSIGNED:
            level = level_of(heading, meaning, column["heading"]).level
            strength = TABLE[level][name not in CORE][_fit(column, name)]
            offers[name] = strength.name.lower()
    named = {"unit": heading.unit, "currency": heading.currency}
    return offers | {name: value for name, value in named.items() if value}


def _fit(column: Mapping[str, Any], name: str) -> Fit:
    if not column["shape"]:
        return Fit.EMPTY
    share = column["fits"].get(name, 1)
    return Fit.FIT if share >= 0.8 else Fit.PART if share >= 0.3 else Fit.UNFIT
