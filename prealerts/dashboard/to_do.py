"""*To do*: what waits for a decision of an operator, one line and one button each.

`SOURCES` is the one place where a kind of line is added: a permission, and a function that yields `Entry` from what the
operator may see.
"""

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Count, Max
from django.urls import reverse
from django.utils import timezone
from django.utils.timesince import timesince
from django.utils.translation import gettext, ngettext

from base.admin.confirmed_action import Grouped
from companies.clocks import in_words
from companies.mail import outbox
from companies.models import Company, Mail
from companies.models.mails import IN_TROUBLE
from companies.scope import scope_of
from prealerts.dashboard.carriers import busy_claimants, contradictions, doubtful_events
from prealerts.dashboard.entries import LISTED, Entry
from prealerts.dashboard.figures import counted, list_of
from prealerts.dashboard.layouts import layouts_to_answer
from prealerts.dashboard.refused_uploads import refused_by_limits, refused_uploads
from prealerts.dashboard.uploads import waiting_jobs
from prealerts.dashboard.webhooks import disabled_webhooks, failing_webhooks
from shipments.models import (
    Action,
    BulkMove,
    Carrier,
    CarrierCode,
    CarrierEvent,
    Erasure,
    EventOutcome,
    Guide,
    InboundBatch,
    Layout,
    UploadJob,
)
from shipments.models.inbound import BatchState
from shipments.privacy.erasing import OVERDUE_AFTER
from webhooks.models import Subscription

STOPPED_WITHIN = timedelta(days=1)
"""How long a stopped move is shown: as long as its results by guide are kept."""
SHOWN = 8
"""The entries in sight; the others are folded."""


def codes_without_meaning(user: Any, _now: datetime) -> Iterator[Entry]:  # noqa: ANN401  # a user
    """Yield the carriers with codes that nobody has given a meaning and that events wait for."""
    unknown = CarrierCode.objects.visible_to(user).to_explain().order_by()
    by_carrier = unknown.values_list("carrier__name").annotate(codes=Count("pk"), one=Max("pk"))
    for name, codes, one in by_carrier.order_by("-codes", "carrier__name")[:LISTED]:
        text = ngettext("%s code without a meaning", "%s codes without a meaning", codes) % Grouped(codes)
        link = list_of("carriercode", action__exact=Action.UNKNOWN.value, q=name)
        if codes == 1:
            link = reverse("admin:shipments_carriercode_change", args=[one])
        yield Entry("rule", name, text, link, gettext("Say what they mean"), codes)


def open_batches(user: Any, now: datetime) -> Iterator[Entry]:  # noqa: ANN401  # as above
    batches = InboundBatch.objects.visible_to(user).filter(state=BatchState.OPEN)
    for batch in batches.annotate(mawbs=Count("manifests")).order_by("created_at")[:LISTED]:
        text = ngettext(
            "Receiving has been open for %(time)s: %(count)s MAWB",
            "Receiving has been open for %(time)s: %(count)s MAWBs",
            batch.mawbs,
        ) % {"time": timesince(batch.created_at, now, depth=1), "count": Grouped(batch.mawbs)}
        link = reverse("admin:shipments_inboundbatch_change", args=[batch.pk])
        yield Entry("barcode_scanner", batch.facility, text, link, gettext("Open the batch"))


def moves_to_confirm(user: Any, _now: datetime) -> Iterator[Entry]:  # noqa: ANN401  # as above
    for move in BulkMove.objects.visible_to(user).waiting().defer("guides", "lines").order_by("created_at")[:LISTED]:
        text = gettext("%(what)s, by %(who)s at %(when)s: not confirmed yet") % {
            "what": ngettext("%s guide or row", "%s guides or rows", move.total) % Grouped(move.total),
            "who": move.actor,
            "when": in_words(timezone.localtime(move.created_at)),
        }
        link = reverse("admin:shipments_bulkmove_change", args=[move.pk])
        yield Entry("pending_actions", move.get_kind_display(), text, link, gettext("Review and confirm"))


def stopped_moves(user: Any, now: datetime) -> Iterator[Entry]:  # noqa: ANN401  # as above
    stopped = BulkMove.objects.visible_to(user).stopped_since(now - STOPPED_WITHIN)
    for move in stopped.defer("guides", "lines").order_by("-finished_at")[:LISTED]:
        numbers = {"done": Grouped(move.done), "total": Grouped(move.total), "who": move.actor}
        text = gettext("stopped after %(done)s of %(total)s, of %(who)s; moving the same guides again does the rest")
        link = reverse("admin:shipments_bulkmove_change", args=[move.pk])
        yield Entry("front_hand", move.get_kind_display(), text % numbers, link, gettext("See what was moved"))


def silent_carriers(user: Any, now: datetime) -> Iterator[Entry]:  # noqa: ANN401  # as above
    for carrier in Carrier.objects.governed_by(user).silent(now)[:LISTED]:
        last: datetime | None = carrier.last  # type: ignore[attr-defined]  # annotated by `silent`
        text = gettext("has sent nothing yet")
        if last:
            text = gettext("has sent nothing for %(time)s") % {"time": timesince(last, now, depth=1)}
        link = reverse("admin:shipments_carrier_change", args=[carrier.pk])
        yield Entry("wifi_off", carrier.name, text, link, gettext("Open the carrier"))


def retentions(user: Any, _now: datetime) -> Iterator[Entry]:  # noqa: ANN401  # as above
    found = counted(Guide.objects.visible_to(user).to_release())
    if found:
        text = ngettext("%s guide waits for its release", "%s guides wait for their release", found.count) % found
        yield Entry(
            "gavel",
            gettext("Under retention"),
            text,
            list_of("guide", work="retention"),
            gettext("Open the list"),
            found.count,
        )


def expired_events(user: Any, _now: datetime) -> Iterator[Entry]:  # noqa: ANN401  # as above
    found = counted(CarrierEvent.objects.visible_to(user).expired())
    if found:
        text = (
            ngettext(
                "%s event, whose guide did not arrive within two weeks",
                "%s events, whose guides did not arrive within two weeks",
                found.count,
            )
            % found
        )
        link = list_of("carrierevent", outcome__exact=EventOutcome.EXPIRED.value)
        yield Entry(
            "link_off", gettext("Carriers' events without a guide"), text, link, gettext("Open the list"), found.count
        )


def overdue_erasures(user: Any, now: datetime) -> Iterator[Entry]:  # noqa: ANN401  # as above
    found = counted(Erasure.objects.visible_to(user).unfinished().filter(created_at__lt=now - OVERDUE_AFTER))
    if found:
        text = gettext("%s unfinished for a week or more: the receipts say what they wait for") % found
        yield Entry(
            "person_off",
            gettext("Erasures that do not end"),
            text,
            list_of("erasure"),
            gettext("Open the list"),
            found.count,
        )


def mails_in_trouble(user: Any, _now: datetime) -> Iterator[Entry]:  # noqa: ANN401  # as above
    """Yield one line about the mails that the server has not taken, for administrators."""
    if not outbox.is_on() or not scope_of(user).is_everywhere:
        return
    if count := Mail.objects.in_trouble().count():
        text = ngettext("%s mail was not taken by the server", "%s mails were not taken by the server", count)
        link = reverse("admin:companies_mail_changelist", query={"state__exact": IN_TROUBLE})
        yield Entry("outgoing_mail", gettext("Mails"), text % Grouped(count), link, gettext("Open the list"), count)


Source = Callable[[Any, datetime], Iterator[Entry]]
SOURCES: Sequence[tuple[str, Source]] = (
    ("shipments.view_uploadjob", lambda user, now: waiting_jobs(UploadJob.objects.visible_to(user), now)),
    (
        "webhooks.view_subscription",
        lambda user, now: failing_webhooks(Subscription.objects.visible_to(user), user, now),
    ),
    ("webhooks.view_subscription", lambda user, now: disabled_webhooks(Subscription.objects.visible_to(user), now)),
    ("shipments.view_refusedrequest", refused_uploads),
    ("shipments.view_layout", lambda user, _now: layouts_to_answer(Layout.objects.visible_to(user))),
    ("shipments.view_carriercode", codes_without_meaning),
    ("shipments.view_inboundbatch", open_batches),
    ("shipments.change_guide", moves_to_confirm),
    ("shipments.change_guide", stopped_moves),
    ("shipments.view_carrier", silent_carriers),
    ("shipments.view_carrierevent", lambda user, _now: doubtful_events(CarrierEvent.objects.visible_to(user))),
    ("shipments.view_carrierevent", lambda user, now: contradictions(CarrierEvent.objects.visible_to(user), now)),
    ("shipments.view_carrierevent", lambda user, now: busy_claimants(Company.objects.governed_by(user), now)),
    ("shipments.view_guide", retentions),
    ("shipments.view_carrierevent", expired_events),
    ("shipments.view_erasure", overdue_erasures),
    ("auth.view_user", mails_in_trouble),
    ("companies.view_company", lambda user, now: refused_by_limits(Company.objects.governed_by(user), now)),
)
"""Permission and function of each kind of entry, the most urgent first."""


def to_do(user: Any, now: datetime) -> list[Entry]:  # noqa: ANN401  # as above
    """Return what waits for `user`, of all kinds that the permissions allow."""
    return [entry for permission, source in SOURCES if user.has_perm(permission) for entry in source(user, now)]
