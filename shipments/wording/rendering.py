"""Put a finding's sentences into words: with their parameters, in the active language."""

import re
from collections.abc import Callable

from django.utils.formats import get_format, number_format
from django.utils.functional import Promise
from django.utils.text import capfirst
from django.utils.translation import get_language, gettext

from shipments.manifests.manifest import Params
from shipments.wording import Sentence, Sentences
from shipments.wording.column_sentences import COLUMNS
from shipments.wording.manifest_sentences import GUIDE_REASONS, MANIFESTS
from shipments.wording.value_sentences import BEFORE_CREATING, VALUES

_AMOUNTS = ("count", "typical", "usual", "found")
"""How the names of parameters end that are amounts; other numbers, such as those of rows, are not grouped."""

_THOUSANDS = re.compile(r"(?<=\d)[.,](?=\d{3}(?![\d-]|[.,]\d{3}-))")  # but not in a RUT

SENTENCES: Sentences = {**GUIDE_REASONS, **VALUES, **MANIFESTS, **COLUMNS}
"""A finding may have the key of a guide's reason, and then has its own words here."""


def sentences_of(key: str, catalogue: Sentences = SENTENCES) -> tuple[Sentence, ...]:
    """The sentences under a key; empty if the catalogue does not have it."""
    found = catalogue.get(key, ())
    listed = found if isinstance(found, tuple) else (found,)
    return tuple(each if isinstance(each, Sentence) else Sentence(each) for each in listed)


def in_words(key: str, params: Params, *, is_created: bool = True, on_page: bool = False) -> str:
    """The sentences under `key` in the active language; empty for a key that is not in the catalogue.

    The active language is the operator's, or the one that an API client asks for. is_created: the guide exists already.
    on_page: with the amounts as operators' pages show them; answers and files keep the separators they have always had.
    """
    sentences = sentences_of(key)
    if not is_created:
        sentences = tuple(
            Sentence(BEFORE_CREATING[each.text]) if each.text in BEFORE_CREATING else each for each in sentences
        )
    return " ".join(_render(sentence, params, on_page=on_page) for sentence in sentences)


def in_operators_words(key: str, params: Params, label: Callable[[str], str], *, is_created: bool = True) -> str:
    """As `in_words`, with the fields that the sentences name in words. label: the words for a field's name, or for a
    key of extra data; the same text for anything else.
    """
    named = {
        key: ", ".join(map(label, str(value).split(", "))) if key in {"field", "names"} else value
        for key, value in params.items()
    }
    return capfirst(in_words(key, named, is_created=is_created, on_page=True))


def reason_in_words(text: str, *, on_page: bool = False) -> str:
    """A reason kept with a guide, in the active language: one of `GUIDE_REASONS`, or a text that a person wrote."""
    return " ".join(_render(each, {}, on_page=on_page) for each in sentences_of(text, GUIDE_REASONS)) or text


def amounts_on_page(text: str) -> str:
    """Return a sentence of our own with its thousands apart by a narrow space, as numbers are on operators' pages."""
    return _THOUSANDS.sub(str(get_format("THOUSAND_SEPARATOR")), text)


def quote(text: str | Promise) -> str:
    """Return a text of somebody else's in the quotation marks of the active language."""
    return gettext("“%s”") % text


def _render(sentence: Sentence, params: Params, *, on_page: bool) -> str:
    is_whole = sentence.parameters <= params.keys()
    text = gettext(sentence.text if is_whole else sentence.without)
    advice = f" {gettext(sentence.advice)}" if sentence.advice else ""
    if on_page:
        text, advice = amounts_on_page(text), amounts_on_page(advice)
    if is_whole:
        text %= {name: _format(name, value, on_page=on_page) for name, value in params.items()}
    return text + advice


def _format(name: str, value: str | float, *, on_page: bool) -> str:
    if not isinstance(value, int | float) or not name.endswith(_AMOUNTS):
        return str(value)
    text = str(number_format(value, use_l10n=True, force_grouping=True))
    if on_page:
        return text
    return text.replace(str(get_format("THOUSAND_SEPARATOR")), "." if get_language() == "es" else ",")
