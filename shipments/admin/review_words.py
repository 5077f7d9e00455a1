"""Reasons for review, in words that operators read."""

from collections.abc import Iterable, Mapping, Sequence

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

_WORDS: Mapping[str, str | Promise] = {
    "rut_invalid_format": _("The consignee's RUT is missing or invalid."),
    "rut_placeholder": _("The consignee's RUT is a well-known placeholder."),
}


def in_words(reasons: Iterable[str]) -> Sequence[str | Promise]:
    """A sentence for each reason; its code where it has none."""
    return [_WORDS.get(reason, reason) for reason in reasons]
