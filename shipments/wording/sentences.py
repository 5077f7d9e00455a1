"""The catalogue: the sentences of each finding, by the key that the readers give.

A sentence with parameters has a form without them, for findings whose parameters were erased. A parameter whose name
ends in `count` is a number of things and is written with thousands separators.
"""

from shipments.wording.column_sentences import COLUMNS, FORMATS, LEFT_OUT
from shipments.wording.manifest_sentences import COUNTRIES, GUIDE_REASONS, ROWS, UNKNOWN_FIELDS, WORKBOOK
from shipments.wording.sentence import Sentence, Sentences
from shipments.wording.value_sentences import AMOUNTS, DOCUMENTS, JSON_VALUES, TEXTS

SENTENCES: Sentences = {
    **DOCUMENTS,
    **AMOUNTS,
    **TEXTS,
    **JSON_VALUES,
    **ROWS,
    **UNKNOWN_FIELDS,
    **WORKBOOK,
    **COLUMNS,
    **LEFT_OUT,
    **FORMATS,
    **COUNTRIES,
    **GUIDE_REASONS,
}


def sentences_of(key: str) -> tuple[Sentence, ...]:
    """The sentences under a key; empty if the catalogue does not have it."""
    found = SENTENCES.get(key, ())
    return (found,) if isinstance(found, Sentence) else found
