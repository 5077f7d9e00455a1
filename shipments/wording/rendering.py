"""A finding's sentences with their parameters in them, in English or in the active language."""

from collections.abc import Callable, Mapping

from django.utils.formats import number_format
from django.utils.translation import gettext

from shipments.manifests.reason import Params
from shipments.wording.manifest_sentences import GUIDE_REASONS
from shipments.wording.sentence import Sentence
from shipments.wording.sentences import sentences_of


def english(key: str, params: Params) -> str:
    """What the sentences under `key` say, for the API; empty for a key that the catalogue does not have."""
    return " ".join(_said(sentence, params, str, _english_count) for sentence in sentences_of(key))


def in_words(key: str, params: Params) -> str:
    """The same in the active language, for operators."""
    return " ".join(_said(sentence, params, gettext, _local_count) for sentence in sentences_of(key))


def reason_in_words(text: str) -> str:
    """A reason kept with a guide, in the active language: one of `GUIDE_REASONS`, or what a person wrote."""
    return in_words(text, {}) if text in GUIDE_REASONS else text


def _said(sentence: Sentence, params: Params, translated: Callable[[str], str], counted: Callable[[int], str]) -> str:
    names = sentence.parameters
    if not names:
        return translated(sentence.text)
    if not names <= params.keys():
        return translated(sentence.without)
    return translated(sentence.text) % _shown(params, counted)


def _shown(params: Params, counted: Callable[[int], str]) -> Mapping[str, str]:
    return {
        name: counted(value) if isinstance(value, int) and name.endswith("count") else str(value)
        for name, value in params.items()
    }


def _english_count(number: int) -> str:
    return f"{number:,}"


def _local_count(number: int) -> str:
    return number_format(number, use_l10n=True, force_grouping=True)
