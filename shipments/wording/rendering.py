"""Rendering a finding's sentences with their parameters in the active language."""

from collections.abc import Mapping

from django.utils.formats import number_format
from django.utils.translation import gettext

from shipments.manifests.reason import Params
from shipments.wording.manifest_sentences import GUIDE_REASONS
from shipments.wording.sentence import Sentence
from shipments.wording.sentences import sentences_of


def in_words(key: str, params: Params) -> str:
    """Return the sentences of `key` in the active language; empty if the catalogue does not have the key.

    The active language is the operator's, or the one requested by the API client.
    """
    return " ".join(_said(sentence, params) for sentence in sentences_of(key))


def reason_in_words(text: str) -> str:
    """Return a guide's reason in the active language: one of `GUIDE_REASONS`, or a free text unchanged."""
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
        if isinstance(value, int) and name.endswith("count")
        else str(value)
        for name, value in params.items()
    }
