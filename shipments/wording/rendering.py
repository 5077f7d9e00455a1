"""Put a finding's sentences into words: with their parameters, in the active language."""

from collections.abc import Callable, Mapping

from django.utils.formats import number_format
from django.utils.text import capfirst
from django.utils.translation import gettext

from shipments.manifests.reason import Params
from shipments.wording import Sentence, Sentences
from shipments.wording.column_sentences import COLUMNS, FORMATS, LEFT_OUT
from shipments.wording.manifest_sentences import COUNTRIES, GUIDE_REASONS, ROWS, UNKNOWN_FIELDS, WORKBOOK
from shipments.wording.value_sentences import AMOUNTS, BEFORE_CREATING, DOCUMENTS, JSON_VALUES, TEXTS

_AMOUNTS = ("count", "typical", "usual", "found")
"""How the names of parameters end that are amounts; other numbers, such as those of rows, are not grouped."""


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


def in_words(key: str, params: Params, *, is_created: bool = True) -> str:
    """The sentences under `key` in the active language; empty for a key that is not in the catalogue.

    The active language is the operator's, or the one that an API client asks for. is_created: the guide exists already.
    """
    sentences = sentences_of(key)
    if not is_created:
        sentences = tuple(BEFORE_CREATING.get(sentence, sentence) for sentence in sentences)
    return " ".join(_said(sentence, params) for sentence in sentences)


def in_operators_words(key: str, params: Params, label: Callable[[str], str]) -> str:
    """As `in_words`, with the fields that the sentences name in words. label: the words for a field's name, or for a
    key of extra data; the same text for anything else.
    """
    named = {
        key: ", ".join(map(label, str(value).split(", "))) if key in {"field", "names"} else value
        for key, value in params.items()
    }
    return capfirst(in_words(key, named))


def reason_in_words(text: str) -> str:
    """A reason kept with a guide, in the active language: one of `GUIDE_REASONS`, or a text that a person wrote."""
    return in_words(text, {}) if text in GUIDE_REASONS else text


def _said(sentence: Sentence, params: Params) -> str:
    names = sentence.parameters
    if not names:
        return gettext(sentence.text)
    if not names <= params.keys():
        return gettext(sentence.without)
    return gettext(sentence.text) % _shown(params)


def _shown(params: Params) -> Mapping[str, str]:
    return {
        name: number_format(value, use_l10n=True, force_grouping=True)
        if isinstance(value, int | float) and name.endswith(_AMOUNTS)
        else str(value)
        for name, value in params.items()
    }
