"""The catalogue of sentences, by the keys that the readers use for their findings.

A sentence with parameters also has a form without them, for findings whose parameters were erased. A parameter whose
name ends in `count` is written with thousands separators.
"""

from shipments.wording.column_sentences import COLUMNS, LEFT_OUT
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
    **COUNTRIES,
    **GUIDE_REASONS,
}


def sentences_of(key: str) -> tuple[Sentence, ...]:
    """Return the sentences of a key; empty if the catalogue does not have it."""
    found = SENTENCES.get(key, ())
    return (found,) if isinstance(found, Sentence) else found
