"""Subscriptions and deliveries. The delivery log is the outbox and the queue: one row from event to outcome."""

from __future__ import annotations

import uuid
from datetime import UTC, datetime, timedelta
from typing import ClassVar, Self

from django.core.exceptions import ValidationError
from django.db import connection, models
from django.db.models import Avg, Count, Exists, OuterRef, Q, Subquery
from django.db.models.functions import Coalesce
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from companies.models import Company
from companies.operators.scope import Viewer, scope_of
from webhooks import destinations, encryption
from webhooks.countries import within
from webhooks.errors import DestinationRefused
from webhooks.events import EventType, delivery_id
from webhooks.verdicts import Failure

OVERDUE = timedelta(minutes=1)
"""What a running dispatcher never lets a healthy subscription wait."""


_HEARING = """
SELECT s.id FROM webhooks_subscription s JOIN companies_company c ON c.id = s.company_id
WHERE s.company_id = %s AND s.is_active AND c.is_active ORDER BY s.id
"""


class SubscriptionQuerySet(models.QuerySet["Subscription"]):
    """Reads by name."""

    def visible_to(self, user: Viewer) -> Self:
        """What an operator sees: subscriptions of companies that are all the operator's: they hear of everything.

        Never a deleted one.
        """
        kept = self.filter(deleted_at=None)
        if scope_of(user).is_everywhere:
            return kept
        return kept.filter(company__in=Company.objects.governed_by(user).order_by())

    def live(self) -> Self:
        """What hears of new events: active subscriptions of active companies."""
        return self.filter(is_active=True, company__is_active=True)

    def hearing_of(self, company: Company) -> list[int]:
        """The ids of `company`'s live subscriptions, each kept from being deleted until the transaction ends.

        Raw SQL for the lock: FOR KEY SHARE, which Django cannot say, hinders nobody but who deletes the row. Without
        it a deletion that commits between this read and the insert would fail the change that is being told of.
        """
        lock = " FOR KEY SHARE OF s" if connection.features.has_select_for_update_of else ""
        with connection.cursor() as cursor:
            cursor.execute(_HEARING + lock, [company.pk])
            return [row[0] for row in cursor.fetchall()]

    def with_last_day(self) -> Self:
        """Annotated with what became of the attempts of the last 24 hours.

        `day_attempted` and `day_delivered` are counts, `day_average_ms` a mean; None where there was nothing.
        """
        day_ago = timezone.now() - timedelta(days=1)
        mine = Delivery.objects.filter(subscription=OuterRef("pk"), finished_at__gte=day_ago).order_by()
        attempted = mine.filter(state__in=ATTEMPTED).values("subscription")
        delivered = mine.filter(state=State.DELIVERED).values("subscription")
        return self.annotate(
            day_attempted=Subquery(attempted.annotate(rows=Count("pk")).values("rows")),
            day_delivered=Subquery(delivered.annotate(rows=Count("pk")).values("rows")),
            day_average_ms=Subquery(delivered.annotate(mean=Avg("duration_ms")).values("mean")),
        )

    def failing_since(self, moment: datetime) -> Self:
        """Live subscriptions with a failure at or before `moment` and no success after it."""
        mine = Delivery.objects.filter(subscription=OuterRef("pk"))
        successes = mine.filter(state=State.DELIVERED).order_by("-finished_at").values("finished_at")
        ever = datetime.min.replace(tzinfo=UTC)
        since = Coalesce(OuterRef("last_success"), ever, output_field=models.DateTimeField())
        failures = mine.filter(state=State.FAILED, finished_at__gt=since, finished_at__lte=moment)
        return self.live().alias(last_success=Subquery(successes[:1])).filter(Exists(failures))


class KeptSubscriptions(models.Manager.from_queryset(SubscriptionQuerySet)):  # type: ignore[misc]  # made at run time
    """All but the deleted ones, which only the log still speaks of."""

    def get_queryset(self) -> SubscriptionQuerySet:
        kept: SubscriptionQuerySet = super().get_queryset().filter(deleted_at=None)
        return kept


def may_be_reached(url: str) -> None:
    """Validate a subscription's URL; the refusal's reason is the message."""
    try:
        destinations.inspect(url, destinations.allowed_networks())
    except DestinationRefused as refused:
        raise ValidationError(refused.message) from None


class Subscription(models.Model):
    """An endpoint of a company, told of everything that happens to the company's shipments."""

    company = models.ForeignKey(
        Company, on_delete=models.PROTECT, related_name="subscriptions", verbose_name=_("company")
    )
    url = models.CharField(
        "URL",
        max_length=destinations.MAX_URL_LENGTH,
        validators=[may_be_reached],
        help_text=_("https only. The client's endpoint; it must answer 2xx within 10 seconds."),
    )
    sealed_secret = models.TextField(editable=False)
    secret_set_at = models.DateTimeField(_("secret set at"), editable=False)
    is_active = models.BooleanField(
        pgettext_lazy("subscription", "active"),
        default=True,
        help_text=_("An inactive subscription hears of nothing; what waits is cancelled."),
    )
    created_at = models.DateTimeField(_("created at"), auto_now_add=True)

    deleted_at = models.DateTimeField(_("deleted at"), null=True, editable=False)

    # First, and so what dumpdata reads: the log refers to deleted ones too.
    everyone: ClassVar[SubscriptionQuerySet] = SubscriptionQuerySet.as_manager()  # type: ignore[assignment]  # as_manager is untyped
    objects: ClassVar[SubscriptionQuerySet] = KeptSubscriptions()

    class Meta:
        verbose_name = _("subscription")
        verbose_name_plural = _("subscriptions")
        ordering = ["company", "id"]
        constraints = [
            # Twice the same endpoint would hear of each event under two ids, which no receiver can tell apart.
            # Also serves publish, which asks for a company's active subscriptions.
            models.UniqueConstraint(
                fields=["company", "url"], condition=Q(is_active=True), name="subscription_active_once_per_url"
            ),
            models.CheckConstraint(condition=Q(url__istartswith="https://"), name="subscription_https_only"),
            models.CheckConstraint(
                condition=Q(deleted_at=None) | Q(is_active=False, sealed_secret=""), name="subscription_deleted_is_dead"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.pk}: {self.url}"

    def set_secret(self, clear: str) -> None:
        """Seal `clear` as the secret of every delivery from now on; not saved yet."""
        self.sealed_secret = encryption.seal(clear)
        self.secret_set_at = timezone.now()


class State(models.TextChoices):
    """Where a delivery is. It moves down this list and never back but for what was claimed and not begun."""

    PENDING = "pending", _("Waiting")
    SENDING = "sending", _("Being sent")
    DELIVERED = "delivered", _("Delivered")
    FAILED = "failed", _("Failed")
    ABANDONED = "abandoned", _("Abandoned")
    CANCELLED = "cancelled", _("Cancelled")


ATTEMPTED = (State.DELIVERED, State.FAILED, State.ABANDONED)
"""Finished after a POST was, or may have been, made."""
FINISHED = (*ATTEMPTED, State.CANCELLED)


class DeliveryQuerySet(models.QuerySet["Delivery"]):
    """Reads by name."""

    def visible_to(self, user: Viewer) -> Self:
        """What an operator sees: what speaks of no other country than the operator's."""
        countries = scope_of(user).countries
        return self if countries is None else self.filter(countries__in=within(countries))

    def pending(self) -> Self:
        """What waits for a dispatcher."""
        return self.filter(state=State.PENDING)

    def finished(self) -> Self:
        """What nothing will happen to any more."""
        return self.filter(state__in=FINISHED)

    def overdue(self) -> Self:
        """What has waited longer than a running dispatcher lets a healthy subscription wait."""
        return self.pending().filter(created_at__lt=timezone.now() - OVERDUE)

    def last_failure_of(self, subscription: Subscription) -> Delivery | None:
        """The latest attempt that failed; None when none is in the log."""
        return self.filter(subscription=subscription, state=State.FAILED).order_by("-finished_at").first()

    def without_body(self) -> Self:
        """For lists: without the two columns that only a delivery's own page shows."""
        return self.defer("body", "excerpt")


class Delivery(models.Model):
    """One event on its way to one endpoint: queue entry before, log entry after. At most one POST, ever."""

    uuid = models.UUIDField(default=uuid.uuid4, editable=False)
    company = models.ForeignKey(
        Company, on_delete=models.PROTECT, related_name="deliveries", verbose_name=_("company"), db_index=False
    )
    subscription = models.ForeignKey(
        Subscription,
        on_delete=models.SET_NULL,
        related_name="deliveries",
        verbose_name=_("subscription"),
        null=True,
        db_index=False,
    )
    subject = models.CharField(_("speaks of"), max_length=64, blank=True)
    # The database's own default: while an upgrade rolls, web servers that know no such column go on publishing.
    countries = models.CharField(_("countries"), max_length=64, blank=True, default="", db_default="", editable=False)
    event_type = models.CharField(_("type"), max_length=64, choices=[(kind.value, kind.value) for kind in EventType])
    body = models.BinaryField(_("body"), editable=False)
    state = models.CharField(_("state"), max_length=10, choices=State.choices, default=State.PENDING)
    created_at = models.DateTimeField(_("created at"))
    claim_id = models.UUIDField(null=True, editable=False)
    claimed_at = models.DateTimeField(_("claimed at"), null=True)
    attempted_at = models.DateTimeField(_("sent at"), null=True)
    finished_at = models.DateTimeField(_("finished at"), null=True)
    duration_ms = models.PositiveIntegerField(_("duration (ms)"), null=True)
    http_status = models.PositiveSmallIntegerField(_("HTTP status"), null=True)
    error = models.CharField(_("error"), max_length=20, choices=Failure.choices, blank=True)
    reason = models.CharField(_("reason"), max_length=255, blank=True)
    remote_address = models.CharField(_("remote address"), max_length=45, blank=True)
    excerpt = models.CharField(_("beginning of the answer"), max_length=1024, blank=True)

    objects: ClassVar[DeliveryQuerySet] = DeliveryQuerySet.as_manager()  # type: ignore[assignment]  # as_manager is untyped

    class Meta:
        verbose_name = _("delivery")
        verbose_name_plural = _("deliveries")
        ordering = ["-id"]
        constraints = [
            # Also serves the search for the id that a client quotes.
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
                condition=Q(state__in=[State.PENDING, State.SENDING]) | Q(finished_at__isnull=False),
                name="delivery_finished_at_some_time",
            ),
        ]
        indexes = [
            # The claim: a subscription's next rows, oldest first.
            models.Index(fields=["subscription", "id"], name="delivery_pending", condition=Q(state=State.PENDING)),
            # The reaper: what was claimed too long ago.
            models.Index(fields=["claimed_at"], name="delivery_sending", condition=Q(state=State.SENDING)),
            # 24 hours of one subscription; whether it fails; the log filtered by subscription.
            models.Index(fields=["subscription", "state", "finished_at"], name="delivery_of_subscription"),
            # The log filtered by company, newest first.
            models.Index(fields=["company", "-id"], name="delivery_of_company"),
            # The log as an operator of one country sees it, newest first.
            models.Index(fields=["countries", "-id"], name="delivery_of_countries"),
            # Everything that was told about one guide or manifest.
            models.Index(fields=["subject"], name="delivery_subject"),
            # prune_webhook_log: the oldest finished rows.
            models.Index(fields=["finished_at"], name="delivery_finished", condition=Q(finished_at__isnull=False)),
        ]

    def __str__(self) -> str:
        return f"{self.subject}: {self.event_type}" if self.subject else self.event_type

    @property
    def delivery_id(self) -> str:
        """The contract's `evt_<uuid>`: header X-Service-Delivery-Id and the payload's `id`."""
        return delivery_id(self.uuid)

    @property
    def is_finished(self) -> bool:
        return self.state in FINISHED
