"""Texts that operators send to a client, in each language; `companies/texts_to_send.html` shows them to be copied."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from django.conf import settings
from django.utils.translation import get_language, get_language_info, override


class TextToSend(NamedTuple):
    """A text with its language, by code and by its own name."""

    code: str
    language: str
    text: str


def in_each_language(text: Callable[[], str]) -> Sequence[TextToSend]:
    """Return the text in each language, the operator's own first."""
    own = get_language()
    codes = sorted((code for code, _name in settings.LANGUAGES), key=lambda code: code != own)
    found = []
    for code in codes:
        with override(code):
            found.append(TextToSend(code, get_language_info(code)["name_local"].capitalize(), text()))
    return found
