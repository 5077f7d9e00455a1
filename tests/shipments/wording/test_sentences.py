"""Every finding has its sentence: in English, without its parameters, and in Spanish."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import polib
from django.utils import translation

from shipments.wording.rendering import SENTENCES, amounts_on_page, in_words, sentences_of
from tools import catalogue

MANIFESTS = Path(__file__).resolve().parents[3] / "shipments" / "manifests"
KEY_POSITION = {"warn": 4, "notice": 1, "refuse": 2, "Reason": 0, "InvalidValue": 0, "digits_check": 0,
                "_tax_check": 0, "_report_omitted": 0, "_said": 1}  # fmt: skip
"""Calls that name a sentence, and where; those of `Findings` and `RowFindings` fall back on the code before it."""
_ALL = [sentence for key in SENTENCES for sentence in sentences_of(key)]


def keys_of(node: ast.expr) -> Iterator[str]:
    """The keys that an argument may name, as regular expressions; a variable is left to whoever sets it."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield re.escape(node.value)
    elif isinstance(node, ast.JoinedStr):
        yield "".join(re.escape(str(part.value)) if isinstance(part, ast.Constant) else r"\w+" for part in node.values)
    elif isinstance(node, ast.IfExp):
        yield from keys_of(node.body)
        yield from keys_of(node.orelse)


def named() -> Iterator[tuple[str, str]]:
    """(where, key) of every sentence that the readers and the rules name."""
    for path in MANIFESTS.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.keyword) and node.arg == "sentence":
                yield from ((f"{path.name}:{node.value.lineno}", key) for key in keys_of(node.value))
            if not isinstance(node, ast.Call):
                continue
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            position = KEY_POSITION.get(name)
            if position is None:
                continue
            is_of_a_row = name == "warn" and len(node.args) < 4  # RowFindings.warn(field, code, sentence)
            position = 2 if is_of_a_row else position
            given = node.args[position : position + 1] or node.args[position - 1 : position]
            yield from ((f"{path.name}:{node.lineno}", key) for argument in given for key in keys_of(argument))


def test_every_sentence_that_is_named_is_in_the_catalogue() -> None:
    assert len({key for _where, key in named()}) > 50, "the search finds what the readers name"
    missing = [(where, key) for where, key in named() if not any(re.fullmatch(key, known) for known in SENTENCES)]
    assert missing == []


def test_a_sentence_has_a_form_without_its_parameters() -> None:
    for sentence in _ALL:
        assert bool(sentence.without) is bool(sentence.parameters), sentence.text
        assert "%" not in sentence.without + sentence.advice, sentence.text
        assert "{" not in sentence.text


def test_every_sentence_is_in_the_spanish_catalogue() -> None:
    spanish = polib.pofile(str(catalogue.SOURCE))
    wanted = {text for sentence in _ALL for text in (sentence.text, sentence.without, sentence.advice) if text}
    missing = [text for text in sorted(wanted) if not (entry := spanish.find(text)) or not entry.msgstr]
    assert missing == []


def test_a_finding_is_said_with_its_parameters_and_without_them() -> None:
    assert in_words("text_truncated", {"longest": 2000}) == (
        "The text is longer than 2000 characters; the rest was cut off."
    )
    assert in_words("text_truncated", {}) == "The text is too long for its field; the rest was cut off."
    merged: dict[str, str | int] = {"rows": "3, 1200", "count": 1200}
    assert "Rows 3, 1200 have" in in_words("hawb_rows_merged", merged)
    assert "1,200 products" in in_words("hawb_rows_merged", merged)
    assert in_words("rut_missing_for_review", {}) == (
        "The RUT is missing. The guide was created and is marked for review."
    )
    assert in_words("nobody_says_this", {}) == ""


def test_pages_have_a_narrow_space_where_answers_have_the_readers_separator() -> None:
    with translation.override("es"):
        assert "1.200 productos" in in_words("hawb_rows_merged", {"rows": "3, 1200", "count": 1200})
        on_page = in_words("hawb_rows_merged", {"rows": "3, 1200", "count": 1200}, on_page=True)
        assert "1\u202f200 productos" in on_page
        assert "US$ 1.000" in in_words("ruc_advised", {})
        assert "US$ 1\u202f000" in in_words("ruc_advised", {}, on_page=True)
        assert amounts_on_page("11.111.111-1 sobre 2.000") == "11.111.111-1 sobre 2\u202f000"


def test_amounts_are_written_as_the_reader_writes_them() -> None:
    params = {"usual": 5.03, "found": 5020}
    for language, amounts in (("en", ("2,492 kg", "5,020 kg", "5.03 kg")), ("es", ("2.492 kg", "5.020 kg", "5,03 kg"))):
        with translation.override(language):
            said = in_words("weight_unlikely", {"typical": 2492}) + in_words("median_unlike_format_weight_kg", params)
        assert [amount for amount in amounts if amount not in said] == []
