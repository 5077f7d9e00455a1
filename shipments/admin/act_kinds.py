"""The kinds of what operators did, as the activity log shows and filters them.

An entry of Django's admin log has no kind of its own. It is recognised by the sentence that was logged, in any of the
languages of the admin, because entries are written in the operator's language.
"""

import re
from collections.abc import Iterable, Mapping
from enum import StrEnum
from functools import cache

from django.conf import settings
from django.db.models import Q
from django.utils.functional import Promise
from django.utils.translation import gettext, override
from django.utils.translation import gettext_lazy as _

from shipments.manifests.guide_fields import CONSIGNEE_FIELDS
from shipments.models import Guide


class ActKind(StrEnum):
    """What an operator did. `CONFIGURED` is everything else: companies, subscriptions, operators, formats."""

    OPENED = "opened"
    EXPORTED = "exported"
    MOVED = "moved"
    CORRECTED = "corrected"
    CONFIGURED = "configured"


KIND_LABELS: Mapping[ActKind, str | Promise] = {
    ActKind.OPENED: _("Opened"),
    ActKind.EXPORTED: _("Exported"),
    ActKind.MOVED: _("Moved"),
    ActKind.CORRECTED: _("Corrected"),
    ActKind.CONFIGURED: _("Configured"),
}

# The sentences as they are logged, up to their first parameter.
_SENTENCES: Mapping[ActKind, tuple[str, ...]] = {
    ActKind.OPENED: (
        "Opened.",
        "Downloaded a file: %s.",
        "Downloaded the annotated workbook.",
        "Downloaded: %s.",
    ),
    ActKind.EXPORTED: ("Exported as %(kind)s; rows: %(rows)d; filters: %(filters)s.",),
    ActKind.MOVED: (
        "Event %(status)s from %(source)s: %(outcome)s; the status was %(previous)s.",
        "Took back %(wrong)s; the status is %(status)s.",
        "Imported events: %s.",
        "Lifted the retention.",
        "Voided.",
    ),
    ActKind.CORRECTED: ("Corrected the consignee. %s", "Marked as reviewed."),
}


def kind_of(message: str) -> ActKind:
    """Return the kind of an entry with this message."""
    for kind in _SENTENCES:
        if message.startswith(_beginnings(kind)):
            return kind
    return ActKind.CONFIGURED


def entries_of_kind(kind: ActKind) -> Q:
    """Return the condition for the entries of `kind`."""
    if kind is not ActKind.CONFIGURED:
        return _begin_with(_beginnings(kind))
    return ~_begin_with(beginning for each in _SENTENCES for beginning in _beginnings(each))


def fields_in_words(message: str) -> str:
    """Return a logged message with the fields of a consignee as the forms label them."""
    return _FIELD.sub(lambda found: str(_COLUMNS[found[1]].verbose_name), message)


_COLUMNS = {column.name: column for column in Guide._meta.concrete_fields}
_FIELD = re.compile(rf"\b({'|'.join(sorted(CONSIGNEE_FIELDS, key=len, reverse=True))})\b")


def _begin_with(beginnings: Iterable[str]) -> Q:
    condition = Q()
    for beginning in beginnings:
        condition |= Q(change_message__startswith=beginning)
    return condition


@cache
def _beginnings(kind: ActKind) -> tuple[str, ...]:
    found = set()
    for code, _name in settings.LANGUAGES:
        with override(code):
            found |= {gettext(sentence).partition("%")[0] for sentence in _SENTENCES[kind]}
    return tuple(sorted(found))
