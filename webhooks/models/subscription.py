"""Subscriptions: endpoints of companies, and which events each receives."""

from __future__ import annotations

import json
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import ClassVar, Self

from django.core.exceptions import ValidationError
from django.db import connection, models
from django.db.models import Avg, Count, Exists, OuterRef, Q, Subquery
from django.db.models.functions import Coalesce
from django.utils import timezone
from django.utils.translation import gettext_lazy as _, pgettext_lazy

from base import encryption
from companies.models import Company
from companies.scope import Viewer, scope_of
from webhooks import destinations
from webhooks.errors import DestinationRefused
from webhooks.events import Event, is_subscribed, subscription_id
from webhooks.models.delivery import ATTEMPTED, Delivery, State


class Version(models.IntegerChoices):
    """The version of an endpoint, which never changes. 1: bearer secret, one attempt. 2: signed, filtered, retried."""

    V1 = 1, "v1"
    V2 = 2, "v2"


class DisabledReason(models.TextChoices):
    """Why the dispatcher disabled an endpoint; empty if a person did."""

    GONE = "gone", _("The endpoint answered 410 Gone")
    FAILING = "failing", _("Nothing but failures for five days")


@dataclass(frozen=True, slots=True)
class Subscriber:
    """An active subscription, as far as publishing needs it. A filter of None means everything."""

    id: int
    version: int
    event_types: Sequence[str] | None = None
    countries: Sequence[str] | None = None

    def receives(self, event: Event) -> bool:
        return is_subscribed(event, self.version, self.event_types, self.countries)


_SUBSCRIBERS = """
SELECT s.id, s.version, s.event_types, s.countries
FROM webhooks_subscription s JOIN companies_company c ON c.id = s.company_id
WHERE s.company_id = %s AND s.is_active AND c.is_active ORDER BY s.id
"""


class SubscriptionQuerySet(models.QuerySet["Subscription"]):
    def visible_to(self, user: Viewer) -> Self:
        """What an operator may see: subscriptions of companies whose countries are all the operator's, since a
        subscription may receive all events of its company. Deleted ones are never included.
        """
        kept = self.filter(deleted_at=None)
        if scope_of(user).is_everywhere:
            return kept
        return kept.filter(company__in=Company.objects.managed_by(user).order_by())

    def live(self) -> Self:
        """Subscriptions that receive new events: active ones of active companies."""
        return self.filter(is_active=True, company__is_active=True)

    def with_last_day(self) -> Self:
        """Annotate with the outcomes of deliveries attempted in the last 24 hours.

        `day_attempted` and `day_delivered` are counts, `day_average_ms` a mean; None where there was nothing.
        `day_waiting` counts those that failed and are attempted again; `day_attempted` does not.
        """
        day_ago = timezone.now() - timedelta(days=1)
        mine = Delivery.objects.filter(subscription=OuterRef("pk"), finished_at__gte=day_ago).order_by()
        attempted = mine.filter(state__in=ATTEMPTED).values("subscription")
        delivered = mine.filter(state=State.DELIVERED).values("subscription")
        waiting = Delivery.objects.filter(
            subscription=OuterRef("pk"), state=State.WAITING, attempted_at__gte=day_ago
        ).order_by()
        return self.annotate(
            day_waiting=Subquery(waiting.values("subscription").annotate(rows=Count("pk")).values("rows")),
            day_attempted=Subquery(attempted.annotate(rows=Count("pk")).values("rows")),
            day_delivered=Subquery(delivered.annotate(rows=Count("pk")).values("rows")),
            day_average_ms=Subquery(delivered.annotate(mean=Avg("duration_ms")).values("mean")),
        )

    def unreached(self, moment: datetime, in_a_row: int) -> Self:
        """Active subscriptions with a failure at or before `moment` and no success after it, or with `in_a_row`
        failures since their last success.

        Those of version 2 store it, because failed deliveries there are retried and rarely finished.
        """
        mine = Delivery.objects.filter(subscription=OuterRef("pk"))
        successes = mine.filter(state=State.DELIVERED).order_by("-finished_at").values("finished_at")
        ever = datetime.min.replace(tzinfo=UTC)
        since = Coalesce(OuterRef("last_success"), ever, output_field=models.DateTimeField())
        failures = mine.filter(state=State.FAILED, finished_at__gt=since)
        is_old = Exists(failures.filter(finished_at__lte=moment))
        nth = failures.order_by("finished_at").values("pk")[in_a_row - 1 : in_a_row]
        of_version_1 = Q(version=Version.V1) & (is_old | Q(nth_failure__isnull=False))
        of_version_2 = Q(version=Version.V2) & (Q(failing_since__lte=moment) | Q(failures__gte=in_a_row))
        found = self.live().alias(last_success=Subquery(successes[:1])).alias(nth_failure=Subquery(nth))
        return found.filter(of_version_1 | of_version_2)

    def disabled_since(self, moment: datetime) -> Self:
        """Subscriptions that the dispatcher disabled at or after `moment` and that were not enabled since."""
        return self.filter(is_active=False, disabled_at__gte=moment).exclude(disabled_reason="")


class KeptSubscriptions(models.Manager.from_queryset(SubscriptionQuerySet)):  # type: ignore[misc]  # made at run time
    """All except deleted ones, to which only the log refers."""

    def get_queryset(self) -> SubscriptionQuerySet:
        kept: SubscriptionQuerySet = super().get_queryset().filter(deleted_at=None)
        return kept

    def subscribers_of(self, company: Company) -> list[Subscriber]:
        """Return the active subscriptions of `company`, protected from deletion until the transaction ends.

        Raw SQL, because Django does not support FOR KEY SHARE, the lock that blocks only deletions of the row. Without
        it, a deletion committed between this query and the insert would fail the change that is being reported.
        """
        lock = " FOR KEY SHARE OF s" if connection.features.has_select_for_update_of else ""
        with connection.cursor() as cursor:
            cursor.execute(_SUBSCRIBERS + lock, [company.pk])
            return [
                Subscriber(key, version, _parse_filter(event_types), _parse_filter(countries))
                for key, version, event_types, countries in cursor.fetchall()
            ]


def _parse_filter(filter_as_stored: str | None) -> list[str] | None:
    """Parse a filter as raw SQL returns it: JSON as text, on both databases."""
    return None if filter_as_stored is None else json.loads(filter_as_stored)


def may_be_reached(url: str) -> None:
    try:
        destinations.inspect(url, destinations.allowed_networks())
    except DestinationRefused as refused:
        raise ValidationError(refused.message) from None


class Subscription(models.Model):
    """An endpoint of a company that receives events about its shipments: all, or those its filters match."""

    uuid = models.UUIDField(unique=True, default=uuid.uuid4, editable=False)
    company = models.ForeignKey(
        Company, on_delete=models.PROTECT, related_name="subscriptions", verbose_name=_("company")
    )
    url = models.CharField(
        "URL",
        max_length=destinations.MAX_URL_LENGTH,
        validators=[may_be_reached],
        help_text=_("The client's endpoint; https only. It must respond with 2xx within 10 seconds."),
    )
    version = models.PositiveSmallIntegerField(
        _("version"), choices=Version.choices, default=Version.V1, db_default=Version.V1
    )
    event_types = models.JSONField(_("event types"), null=True, blank=True)
    countries = models.JSONField(_("countries"), null=True, blank=True)
    description = models.CharField(_("description"), max_length=200, blank=True, default="", db_default="")
    sealed_secret = models.TextField(editable=False)
    # The previous secret, or two with a space between them, which also sign until then.
    sealed_previous_secret = models.TextField(default="", db_default="", editable=False)
    previous_until = models.DateTimeField(null=True, editable=False)
    secret_set_at = models.DateTimeField(_("secret set at"), editable=False)
    is_active = models.BooleanField(
        pgettext_lazy("subscription", "active"),
        default=True,
        help_text=_("A disabled subscription receives nothing; waiting deliveries are not sent."),
    )
    created_at = models.DateTimeField(_("created at"), auto_now_add=True)

    # Version 2: since when every attempt has failed, and how many; kept by the dispatcher.
    failing_since = models.DateTimeField(_("failing since"), null=True, editable=False)
    failures = models.PositiveIntegerField(default=0, db_default=0, editable=False)
    disabled_at = models.DateTimeField(_("disabled at"), null=True, editable=False)
    disabled_reason = models.CharField(
        _("why it was disabled"), max_length=10, choices=DisabledReason.choices, blank=True, default="", db_default="",
        editable=False,
    )  # fmt: skip

    deleted_at = models.DateTimeField(_("deleted at"), null=True, editable=False)

    # The first manager is what dumpdata uses, and the log refers to deleted ones too.
    everyone: ClassVar[SubscriptionQuerySet] = SubscriptionQuerySet.as_manager()  # type: ignore[assignment]  # as_manager is untyped
    objects: ClassVar[SubscriptionQuerySet] = KeptSubscriptions()

    class Meta:
        verbose_name = _("subscription")
        verbose_name_plural = _("subscriptions")
        ordering = ["company", "id"]
        constraints = [
            # With two subscriptions for one URL each event would arrive with two ids, as if it were two. A client that
            # moves from version 1 to 2 may have both for a while: their headers differ.
            # Also serves publish, which reads a company's active subscriptions.
            models.UniqueConstraint(
                fields=["company", "url", "version"],
                condition=Q(is_active=True),
                name="subscription_active_once_per_url",
            ),
            models.CheckConstraint(condition=Q(url__istartswith="https://"), name="subscription_https_only"),
            models.CheckConstraint(
                condition=Q(deleted_at=None) | Q(is_active=False, sealed_secret=""), name="subscription_deleted_is_dead"
            ),
            models.CheckConstraint(condition=Q(version__in=Version.values), name="subscription_version_known"),
        ]

    def __str__(self) -> str:
        return f"{self.company} · {self.shown_url}"

    def set_secret(self, clear: str) -> None:
        """Encrypt `clear` as the secret of new deliveries; does not save."""
        self.sealed_secret = encryption.seal(clear)
        self.secret_set_at = timezone.now()

    @property
    def public_id(self) -> str:
        return subscription_id(self.uuid)

    @property
    def shown_url(self) -> str:
        """The URL for lists and exports, without what may be a token."""
        return destinations.without_tokens(self.url)

    @property
    def signs(self) -> bool:
        """Whether requests are signed (version 2) rather than carrying the secret."""
        return self.version == Version.V2
