"""Distinguish a row of data from a row of words by whether it has a value of its own.

A second row of headings, units or instructions never has a waybill number, a document, a measure or a person's name. A
row that has one is data, even if its weight says `kilos` or its value `USD`.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from shipments.manifests.cells import Cell, text_of, tokens
from shipments.manifests.documents import check_rut
from shipments.manifests.words import WORDS
from shipments.manifests.words.amounts import reads_as_number
from shipments.manifests.words.headings import heads_field
from shipments.manifests.words.spelling import fold

_FEWEST_COLUMNS = 4
_LONGEST_HAWB_WORD = 4
_LONGEST_PARTICLE = 3  # de la, dos, van
_INSTRUCTION = re.compile(
    r"""\W*(?:instruc\w+|obligatori[oa]s?|mandatory|required|requerid[oa]|opcional|optional|formato?|texto?|num[eé]rico|numeric|
    alfanum[eé]rico|alphanumeric|string|varchar|char|m[aá]x(?:imo|imum)?|m[ií]n(?:imo|imum)?|sin|con|only|s[oó]lo|
    (?:ejemplos?|example|sample)(?![a-z])|(?:ej|e\.g|eg)(?=[.:)\s]))(?=\W|$)""",
    re.IGNORECASE | re.VERBOSE,
)
_DIGIT = re.compile(r"[0-9]")
_COLUMN_NUMBER = re.compile(r"\(?([0-9]{1,3})\)?")
_WORDING = tokens(WORDS["cells"]["forms"])
"""Words of forms and instructions that do not occur in names."""


@dataclass(frozen=True, slots=True)
class ValueColumns:
    """Where a row of a table would have values of its own, by column from 0."""

    house: int | None
    documents: tuple[int, ...] = ()
    measures: tuple[int, ...] = ()
    names: tuple[int, ...] = ()


def has_own_values(cells: Sequence[Cell], columns: ValueColumns) -> bool:
    """Whether a row has a HAWB, a document, a number in a measure column, or a person's name."""
    if numbers_columns(cells):
        return False
    if any(reads_as_number(cell) for cell in _at(cells, columns.measures)):
        return True
    if columns.house is not None and is_identifier(text_of(_cell(cells, columns.house))):
        return True
    return any(_is_document(cell) for cell in _at(cells, columns.documents)) or any(
        is_persons_name(cell) for cell in _at(cells, columns.names)
    )


def looks_like_guide(cells: Sequence[Cell], columns: ValueColumns) -> bool:
    """Whether a row has a HAWB together with a document or a person's name."""
    if columns.house is None or not is_identifier(text_of(_cell(cells, columns.house))):
        return False
    return any(_is_document(cell) for cell in _at(cells, columns.documents)) or any(
        is_persons_name(cell) for cell in _at(cells, columns.names)
    )


def is_identifier(text: str) -> bool:
    """Whether a text can be a waybill number: it has a digit, and only short words (`CL 0001`, `PA-77`)."""
    if not _DIGIT.search(text) or ":" in text or "(" in text or _INSTRUCTION.match(text):
        return False
    return all(_DIGIT.search(word) or len(word) <= _LONGEST_HAWB_WORD for word in text.split())


def is_persons_name(cell: Cell) -> bool:
    """Whether a cell has two or more capitalised words that are not wording of a form."""
    if not isinstance(cell, str):
        return False
    text = text_of(cell)
    words = text.split()
    if len(words) < 2 or _DIGIT.search(text) or _INSTRUCTION.match(text):
        return False
    if not _WORDING.isdisjoint(fold(text)) or heads_field(text):
        return False
    return not any(word[0].islower() for word in words if len(word) > _LONGEST_PARTICLE)


def is_instruction(text: str) -> bool:
    """Whether a text begins like an instruction on how to fill a column."""
    return _INSTRUCTION.match(text) is not None


def numbers_columns(cells: Sequence[Cell]) -> bool:
    """Whether a row only numbers the columns: (1) (2) (3) ..."""
    texts = [text for cell in cells if (text := text_of(cell))]
    matches = [_COLUMN_NUMBER.fullmatch(text) for text in texts]
    numbers = [int(match[1]) for match in matches if match]
    return len(numbers) == len(texts) >= _FEWEST_COLUMNS and numbers == list(
        range(numbers[0], numbers[0] + len(numbers))
    )


def _is_document(cell: Cell) -> bool:
    return cell is not None and not isinstance(cell, bool) and not check_rut(text_of(cell)).problem


def _cell(cells: Sequence[Cell], column: int) -> Cell:
    return cells[column] if column < len(cells) else None


def _at(cells: Sequence[Cell], columns: Sequence[int]) -> list[Cell]:
    return [cells[column] for column in columns if column < len(cells) and cells[column] is not None]
