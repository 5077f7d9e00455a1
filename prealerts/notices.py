"""What mails tell operators: a summary each morning, and what cannot wait. Each reader gets what the start page shows.

Nothing is stored of it: the worker asks when it sends the mail, and nothing personal leaves by mail.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from typing import Any

from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext, ngettext

from base.db.moments import in_words
from companies.clocks import clock_of
from companies.mail import outbox
from companies.models import Mail, MailKind
from companies.models.mails import readers
from prealerts.dashboard.arrivals import late
from prealerts.dashboard.to_do import (
    Entry,
    Source,
    codes_without_meaning,
    disabled_webhooks,
    failing_webhooks,
    layouts_to_answer,
    refused_uploads,
    silent_carriers,
)
from shipments.models import Erasure, Manifest
from shipments.privacy.erasing import OVERDUE_AFTER

MORNING = 7
"""The hour, by the reader's clock, from which the summary of a day is due."""


def write_digests() -> bool:
    """Write the summary of the day to those who want one and have none yet. Returns False: there is no more."""
    now = timezone.now()
    for reader in readers().filter(operator_profile__has_digest=True).select_related("operator_profile"):
        local = now.astimezone(clock_of(reader))
        if local.hour >= MORNING:
            outbox.write(MailKind.DIGEST, reader, about=local.date().isoformat())
    return False


def write_overdue_erasures() -> bool:
    """Write about each erasure that has not ended within a week. Returns False: there is no more."""
    overdue = Erasure.objects.unfinished().filter(created_at__lt=timezone.now() - OVERDUE_AFTER)
    for key in overdue.values_list("pk", flat=True):
        outbox.alert(MailKind.ERASURE_OVERDUE, str(key))
    return False


def entries_for(mail: Mail) -> Iterable[Entry]:
    """Return what `mail` tells its reader of: none if the reader may not see it, or it is over."""
    reader, now = mail.operator, timezone.now()
    found: dict[str, Callable[[Any, datetime, str], Iterator[Entry]]] = {
        MailKind.DIGEST: _digest,
        MailKind.ENDPOINT_DISABLED: _disabled_endpoint,
        MailKind.ERASURE_OVERDUE: _overdue_erasure,
    }
    return found[mail.kind](reader, now, mail.about)


def _late_mawbs(user: Any, now: datetime) -> Iterator[Entry]:  # noqa: ANN401  # a user
    found = late(Manifest.objects.visible_to(user), now)
    if found["mawbs"]:
        text = ngettext("%s guide not moved", "%s guides not moved", found["unmoved"].count) % found["unmoved"]
        named = ", ".join(each.mawb for each in found["listed"])
        yield Entry("flight", gettext("Late MAWBs"), f"{text}: {named}", found["link"], gettext("Open the list"))


IN_DIGEST: Sequence[tuple[str, Source]] = (
    ("webhooks.view_subscription", failing_webhooks),
    ("webhooks.view_subscription", disabled_webhooks),
    ("shipments.view_refusedrequest", lambda user, now: refused_uploads(user, now, has_headings=False)),
    ("shipments.view_layout", layouts_to_answer),
    ("shipments.view_carrier", silent_carriers),
    ("shipments.view_carriercode", codes_without_meaning),
    ("shipments.view_manifest", _late_mawbs),
)
"""Permission and function of what a summary tells, as `prealerts.dashboard.to_do.SOURCES`."""


def _digest(user: Any, now: datetime, day: str) -> Iterator[Entry]:  # noqa: ANN401  # as above
    if day == timezone.localdate().isoformat():  # yesterday's, which the server did not take, says nothing new
        for permission, source in IN_DIGEST:
            if user.has_perm(permission):
                yield from source(user, now)


def _disabled_endpoint(user: Any, now: datetime, about: str) -> Iterator[Entry]:  # noqa: ANN401  # as above
    if user.has_perm("webhooks.view_subscription"):
        yield from disabled_webhooks(user, now, pk=about.partition("@")[0])


def _overdue_erasure(user: Any, _now: datetime, about: str) -> Iterator[Entry]:  # noqa: ANN401  # as above
    if not user.has_perm("shipments.view_erasure"):
        return
    for receipt in Erasure.objects.visible_to(user).unfinished().filter(pk=about):
        begun = in_words(timezone.localtime(receipt.created_at))
        text = gettext("asked for on %s and unfinished: the receipt says what it waits for") % begun
        link = reverse("admin:shipments_erasure_change", args=[receipt.pk])
        yield Entry("person_off", gettext("Erasure %s") % receipt.pk, text, link, gettext("Open the receipt"))
