"""Telling a row of data from a row of words: does it hold a value of its own?

A second row of headings, units, instructions: none of them has a waybill's number, a document, a measure or somebody's
name. A row that has one is data, even where its weight says `kilos` or its value `USD`.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from shipments.manifests.documents import check_rut
from shipments.manifests.headings.guide_words import tokens
from shipments.manifests.headings.headers import heads_field
from shipments.manifests.headings.heading_spelling import fold
from shipments.manifests.workbook.amounts import reads_as_number
from shipments.manifests.workbook.cell_text import text_of
from shipments.manifests.xlsx.opening import Cell

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
_WORDING = tokens(
    """apellido apellidos as campo carne cedula codigo code column columna completo como complete dato datos exactly
    field full guia id legal name nombre nombres number numero persona segun text texto value"""
)
"""Words of forms and their instructions that are in nobody's name."""


@dataclass(frozen=True, slots=True)
class ValueColumns:
    """Where a row of a table would have values of its own, by column from 0."""

    house: int | None
    documents: tuple[int, ...] = ()
    measures: tuple[int, ...] = ()
    names: tuple[int, ...] = ()


def has_own_values(cells: Sequence[Cell], columns: ValueColumns) -> bool:
    """Whether a row holds a HAWB, a document, a number where measures stand, or a person's name."""
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
    """Whether a row has a HAWB and beside it a document or a person's name."""
    if columns.house is None or not is_identifier(text_of(_cell(cells, columns.house))):
        return False
    return any(_is_document(cell) for cell in _at(cells, columns.documents)) or any(
        is_persons_name(cell) for cell in _at(cells, columns.names)
    )


def is_identifier(text: str) -> bool:
    """Whether a text can be a waybill's number: it has a digit, and no word but short ones (`CL 0001`, `PA-77`)."""
    if not _DIGIT.search(text) or ":" in text or "(" in text or _INSTRUCTION.match(text):
        return False
    return all(_DIGIT.search(word) or len(word) <= _LONGEST_HAWB_WORD for word in text.split())


def is_persons_name(cell: Cell) -> bool:
    """Whether a cell holds two words or more that are capitalised and no wording of a form."""
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
    """Whether a text begins as those do that tell people how to fill a column."""
    return _INSTRUCTION.match(text) is not None


def numbers_columns(cells: Sequence[Cell]) -> bool:
    """Whether a row does nothing but number the columns: (1) (2) (3) ..."""
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
