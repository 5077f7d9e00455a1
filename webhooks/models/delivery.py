"""Deliveries: one event for one endpoint."""

from __future__ import annotations

import json
import uuid
from collections.abc import Collection, Iterable
from datetime import timedelta
from itertools import combinations
from typing import ClassVar, Self

from django.db import models
from django.db.models import F, Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _, pgettext_lazy

from companies.models import Company
from companies.scope import Viewer, scope_of
from webhooks.event_names import event_name
from webhooks.events import EventType, delivery_id
from webhooks.verdicts import Failure

OVERDUE = timedelta(minutes=1)
"""A running dispatcher never lets a healthy subscription wait this long."""


def join_countries(countries: Iterable[str]) -> str:
    """Format countries as a delivery stores them: `CL`, or `CL,PE` if it is about both."""
    return ",".join(sorted(set(countries)))


def ships_to(company: Company) -> set[str]:
    """Return the company's countries and, for a courier, those of its clients."""
    of_clients = company.posts_for.order_by().values_list("allowed_countries", flat=True)
    return set(company.allowed_countries).union(*of_clients)


def list_values_within(countries: Iterable[str]) -> list[str]:
    """Return all values that a delivery may store if it is about no other countries than these.

    Whole values, so that the log of one country is read in index order; there are few countries.
    """
    ours = sorted(set(countries))
    return [join_countries(some) for size in range(1, len(ours) + 1) for some in combinations(ours, size)]


class State(models.TextChoices):
    """The state of a delivery.

    pending -> sending -> delivered | failed | abandoned; cancelled if its subscription is closed. Deliveries of
    version 2 wait for their next attempt in between, and are dead after the last one. A delivery becomes pending again
    if it was claimed but not started, if its next attempt is due, or if it is replayed or resent.
    """

    PENDING = "pending", pgettext_lazy("delivery", "Waiting")
    SENDING = "sending", pgettext_lazy("delivery", "Being sent")
    DELIVERED = "delivered", pgettext_lazy("delivery", "Delivered")
    FAILED = "failed", pgettext_lazy("delivery", "Failed")
    ABANDONED = "abandoned", pgettext_lazy("delivery", "Abandoned")
    CANCELLED = "cancelled", pgettext_lazy("delivery", "Cancelled")
    WAITING = "waiting", pgettext_lazy("delivery", "Waiting for retry")
    DEAD = "dead", pgettext_lazy("delivery", "Given up")


ATTEMPTED = (State.DELIVERED, State.FAILED, State.ABANDONED, State.DEAD)
"""Finished after a POST that was made, or may have been made."""
FINISHED = (*ATTEMPTED, State.CANCELLED)
"""Nothing more will happen to it."""
UNSENT = (State.PENDING, State.WAITING)
"""A dispatcher will send it, now or later."""


class DeliveryQuerySet(models.QuerySet["Delivery"]):
    def visible_to(self, user: Viewer) -> Self:
        """What an operator may see: deliveries about no other countries than the operator's."""
        countries = scope_of(user).countries
        return self if countries is None else self.filter(countries__in=list_values_within(countries))

    def pending(self) -> Self:
        return self.filter(state=State.PENDING)

    def finished(self) -> Self:
        return self.filter(state__in=FINISHED)

    def overdue(self) -> Self:
        """Deliveries that have waited too long for a running dispatcher and a healthy subscription."""
        return self.pending().filter(created_at__lt=timezone.now() - OVERDUE)

    def last_failure_of(self, subscription: models.Model) -> Delivery | None:
        """Return the last delivery that failed, preferably one that is retried; None if there is none."""
        attempted = Q(state__in=[State.DEAD, State.WAITING]) & ~Q(error="")
        failed = self.filter(Q(state=State.FAILED) | attempted, subscription_id=subscription.pk)
        return failed.order_by(F("finished_at").desc(nulls_first=True), "-id").first()

    def without_body(self) -> Self:
        """For lists: without the two columns that only a delivery's page shows."""
        return self.defer("body", "excerpt")


class Outcome(models.Model):
    """What came of one POST. The names are those of a `Verdict`."""

    duration_ms = models.PositiveIntegerField(_("duration (ms)"), null=True)
    http_status = models.PositiveSmallIntegerField(_("HTTP status"), null=True)
    error = models.CharField(_("error"), max_length=20, choices=Failure.choices, blank=True)
    reason = models.CharField(_("reason"), max_length=255, blank=True)
    remote_address = models.CharField(_("remote address"), max_length=45, blank=True)
    excerpt = models.CharField(_("start of the response"), max_length=1024, blank=True)

    class Meta:
        abstract = True


OUTCOME = tuple(field.name for field in Outcome._meta.fields)


class Delivery(Outcome):
    """One event for one endpoint: an entry of the queue, then of the log.

    At most `max_attempts` POSTs, never two at the same time: one for version 1, ten for version 2. Replays
    (version 2) and resends by operators (version 1) are counted and come on top.
    """

    uuid = models.UUIDField(default=uuid.uuid4, editable=False)
    company = models.ForeignKey(
        Company, on_delete=models.PROTECT, related_name="deliveries", verbose_name=_("company"), db_index=False
    )
    subscription = models.ForeignKey(
        "webhooks.Subscription",
        on_delete=models.SET_NULL,
        related_name="deliveries",
        verbose_name=_("subscription"),
        null=True,
        db_index=False,
    )
    subject = models.CharField(_("subject"), max_length=64, blank=True)
    countries = models.CharField(_("countries"), max_length=64, blank=True, default="", db_default="", editable=False)
    event_type = models.CharField(_("type"), max_length=64, choices=[(kind.value, kind.value) for kind in EventType])
    body = models.BinaryField(_("body"), editable=False)
    state = models.CharField(_("state"), max_length=10, choices=State.choices, default=State.PENDING)
    created_at = models.DateTimeField(_("created at"))
    attempts = models.SmallIntegerField(_("attempts"), default=0, db_default=0)
    max_attempts = models.SmallIntegerField(_("maximum attempts"), default=1, db_default=1, editable=False)
    due_at = models.DateTimeField(_("next attempt"), null=True, editable=False)
    replays = models.SmallIntegerField(_("replays"), default=0, db_default=0, editable=False)
    resends = models.SmallIntegerField(_("resends"), default=0, db_default=0, editable=False)
    claim_id = models.UUIDField(null=True, editable=False)
    claimed_at = models.DateTimeField(_("claimed at"), null=True)
    attempted_at = models.DateTimeField(_("sent at"), null=True)
    finished_at = models.DateTimeField(_("finished at"), null=True)

    objects: ClassVar[DeliveryQuerySet] = DeliveryQuerySet.as_manager()  # type: ignore[assignment]  # as_manager is untyped

    class Meta:
        verbose_name = _("delivery")
        verbose_name_plural = _("deliveries")
        ordering = ["-id"]
        constraints = [
            # Also serves the search by the id that a client quotes.
            models.UniqueConstraint(fields=["uuid"], name="delivery_uuid_once"),
            models.CheckConstraint(condition=Q(state__in=State.values), name="delivery_state_known"),
            models.CheckConstraint(
                condition=~Q(state=State.PENDING) | Q(subscription__isnull=False, claim_id__isnull=True),
                name="delivery_waits_for_somebody",
            ),
            models.CheckConstraint(
                condition=~Q(state=State.SENDING) | Q(claim_id__isnull=False, claimed_at__isnull=False),
                name="delivery_sent_by_somebody",
            ),
            models.CheckConstraint(
                condition=Q(state__in=[State.PENDING, State.SENDING, State.WAITING]) | Q(finished_at__isnull=False),
                name="delivery_finished_at_some_time",
            ),
            # A single attempt, as version 1 promises.
            models.CheckConstraint(
                condition=~Q(state__in=[State.WAITING, State.DEAD]) | Q(max_attempts__gt=1),
                name="delivery_waits_if_retried",
            ),
            models.CheckConstraint(
                condition=~Q(state=State.WAITING) | Q(due_at__isnull=False, subscription__isnull=False),
                name="delivery_waits_until_due",
            ),
        ]
        indexes = [
            # The claim: a subscription's next rows, oldest first.
            models.Index(fields=["subscription", "id"], name="delivery_pending", condition=Q(state=State.PENDING)),
            # The reaper: rows that were claimed too long ago.
            models.Index(fields=["claimed_at"], name="delivery_sending", condition=Q(state=State.SENDING)),
            # Retries that are due, by subscription, so that no backlog delays another.
            models.Index(
                fields=["subscription", "due_at", "id"], name="delivery_due", condition=Q(state=State.WAITING)
            ),
            # The last 24 hours of a subscription, whether it fails, and the log filtered by subscription.
            models.Index(fields=["subscription", "state", "finished_at"], name="delivery_of_subscription"),
            # The log filtered by company, newest first.
            models.Index(fields=["company", "-id"], name="delivery_of_company"),
            # The log for an operator of one country, newest first.
            models.Index(fields=["countries", "-id"], name="delivery_of_countries"),
            # Everything sent about one guide or manifest.
            models.Index(fields=["subject"], name="delivery_subject"),
            # prune_webhook_log: the oldest finished rows.
            models.Index(fields=["finished_at"], name="delivery_finished", condition=Q(finished_at__isnull=False)),
        ]

    def __str__(self) -> str:
        return f"{self.subject}: {event_name(self.event_type)}" if self.subject else event_name(self.event_type)

    @property
    def delivery_id(self) -> str:
        return delivery_id(self.uuid)

    @property
    def is_retried(self) -> bool:
        """Whether a failure leads to another attempt, as in version 2."""
        return self.max_attempts > 1


class DeliveryAttempt(Outcome):
    """One POST of a delivery that is, or was, sent more than once.

    Holds failures, and the outcome that a replay or resend overwrites. If the first attempt succeeds, its outcome is
    only on the delivery's row. `number` restarts at 1 after a replay.
    """

    delivery = models.ForeignKey(
        Delivery, on_delete=models.CASCADE, related_name="past_attempts", verbose_name=_("delivery")
    )
    number = models.PositiveSmallIntegerField(_("number"))
    begun_at = models.DateTimeField(_("sent at"))

    objects: ClassVar[models.Manager[DeliveryAttempt]] = models.Manager()

    class Meta:
        verbose_name = _("attempt")
        verbose_name_plural = _("attempts")
        ordering = ["id"]

    def __str__(self) -> str:
        return f"{self.number}: {self.error or self.http_status}"


_REASON = b'"reason":'


def forget_texts(company_id: int, subjects: Collection[str]) -> int:
    """Blank clients' responses and remove the reasons from the bodies of a company's deliveries about `subjects`.

    The contract allows a body without `reason`. Runs in the caller's transaction and locks rows in the order of their
    ids. Returns how many deliveries were changed. The response to a delivery in flight is recorded afterwards, and
    stays until the log is pruned.
    """
    rows = Delivery.objects.filter(subject__in=subjects, company_id=company_id).order_by("pk")
    changed = []
    for delivery in rows.only("body", "excerpt").select_for_update(no_key=True):
        body = bytes(delivery.body)
        kept = _without_reason(body) if _REASON in body else body
        if kept != body or delivery.excerpt:
            delivery.body, delivery.excerpt = kept, ""
            changed.append(delivery)
    Delivery.objects.bulk_update(changed, ["body", "excerpt"], batch_size=100)
    past = DeliveryAttempt.objects.filter(delivery__subject__in=subjects, delivery__company_id=company_id)
    past.exclude(excerpt="").update(excerpt="")
    return len(changed)


def _without_reason(body: bytes) -> bytes:
    content = json.loads(body)
    content["data"].pop("reason", None)
    return json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()
