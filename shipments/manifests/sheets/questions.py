"""Doubts as questions: the columns that may be a field, with what stands in them."""

from collections.abc import Mapping, Sequence

from openpyxl.utils import get_column_letter

from shipments.manifests.cells import Cell, shape_of, text_of, tokens
from shipments.manifests.findings import MAX_QUOTED
from shipments.manifests.manifest import AskedColumn, Question
from shipments.manifests.sheets.surveys import Doubt
from shipments.manifests.words.headings import UNKNOWN, Heading

MOST_ASKED = 10
"""Columns of one question."""

_SHOWN = tokens("weight_kg fob_usd product_value packages_count hs_code")
"""Fields of which samples are values; of all others they are shapes, which say nothing of a person."""
_SAMPLES, _SAMPLED, _LONGEST_SAMPLE = 3, 50, 40


def question(doubt: Doubt, headings: Mapping[int, Heading], values: Mapping[int, Sequence[Cell]]) -> Question:
    """The question that a doubt is. values: column -> its first cells."""
    is_shown = doubt.field in _SHOWN
    columns = (
        AskedColumn(
            get_column_letter(column + 1),
            text_of(headings.get(column, UNKNOWN).text)[:MAX_QUOTED],
            tuple(
                dict.fromkeys(
                    (text if is_shown else shape_of(text))[:_LONGEST_SAMPLE]
                    for text in map(text_of, values.get(column, ())[:_SAMPLED])
                )
            )[:_SAMPLES],
        )
        for column in doubt.columns[:MOST_ASKED]
    )
    return Question(doubt.field, doubt.reason, tuple(columns))
