"""Subscriptions: the endpoints of companies, and what each of them hears of."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
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
from webhooks.errors import DestinationRefused
from webhooks.events import Event, is_heard
from webhooks.models.delivery import ATTEMPTED, Delivery, State


class Version(models.IntegerChoices):
    """What an endpoint speaks; never changed. 1: a bearer secret, one attempt. 2: signed, filtered, sent again."""

    V1 = 1, "v1"
    V2 = 2, "v2"


class DisabledReason(models.TextChoices):
    """Why the dispatcher switched an endpoint off; empty where a person did."""

    GONE = "gone", _("The endpoint answered 410 Gone")
    FAILING = "failing", _("Nothing but failures for five days")


@dataclass(frozen=True, slots=True)
class Hearer:
    """A live subscription, as far as publishing needs it. None as a filter takes everything it may."""

    id: int
    version: int
    event_types: Sequence[str] | None = None
    countries: Sequence[str] | None = None

    def hears(self, event: Event) -> bool:
        """Whether `event` is among what this subscription is sent."""
        return is_heard(event, self.version, self.event_types, self.countries)


_HEARING = """
SELECT s.id, s.version, s.event_types, s.countries
FROM webhooks_subscription s JOIN companies_company c ON c.id = s.company_id
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

    def hearing_of(self, company: Company) -> list[Hearer]:
        """`company`'s live subscriptions, each kept from being deleted until the transaction ends.

        Raw SQL for the lock: FOR KEY SHARE, which Django cannot say, hinders nobody but who deletes the row. Without
        it a deletion that commits between this read and the insert would fail the change that is being told of.
        """
        lock = " FOR KEY SHARE OF s" if connection.features.has_select_for_update_of else ""
        with connection.cursor() as cursor:
            cursor.execute(_HEARING + lock, [company.pk])
            return [
                Hearer(key, version, _listed(event_types), _listed(countries))
                for key, version, event_types, countries in cursor.fetchall()
            ]

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
        """Live subscriptions with a failure at or before `moment` and no success after it.

        Those of version 2 keep count of it themselves: what failed there is seldom finished.
        """
        mine = Delivery.objects.filter(subscription=OuterRef("pk"))
        successes = mine.filter(state=State.DELIVERED).order_by("-finished_at").values("finished_at")
        ever = datetime.min.replace(tzinfo=UTC)
        since = Coalesce(OuterRef("last_success"), ever, output_field=models.DateTimeField())
        failures = mine.filter(state=State.FAILED, finished_at__gt=since, finished_at__lte=moment)
        failing = Q(version=Version.V1) & Exists(failures) | Q(version=Version.V2, failing_since__lte=moment)
        return self.live().alias(last_success=Subquery(successes[:1])).filter(failing)


class KeptSubscriptions(models.Manager.from_queryset(SubscriptionQuerySet)):  # type: ignore[misc]  # made at run time
    """All but the deleted ones, which only the log still speaks of."""

    def get_queryset(self) -> SubscriptionQuerySet:
        kept: SubscriptionQuerySet = super().get_queryset().filter(deleted_at=None)
        return kept


def _listed(filter_as_stored: str | None) -> list[str] | None:
    """A filter as raw SQL gives it: JSON, on both databases as text."""
    return None if filter_as_stored is None else json.loads(filter_as_stored)


def may_be_reached(url: str) -> None:
    """Validate a subscription's URL; the refusal's reason is the message."""
    try:
        destinations.inspect(url, destinations.allowed_networks())
    except DestinationRefused as refused:
        raise ValidationError(refused.message) from None


class Subscription(models.Model):
    """An endpoint of a company, told of what happens to the company's shipments: of all, or of what it filters."""

    company = models.ForeignKey(
        Company, on_delete=models.PROTECT, related_name="subscriptions", verbose_name=_("company")
    )
    url = models.CharField(
        "URL",
        max_length=destinations.MAX_URL_LENGTH,
        validators=[may_be_reached],
        help_text=_("https only. The client's endpoint; it must answer 2xx within 10 seconds."),
    )
    version = models.PositiveSmallIntegerField(
        _("version"), choices=Version.choices, default=Version.V1, db_default=Version.V1
    )
    event_types = models.JSONField(_("types of events"), null=True, blank=True)
    countries = models.JSONField(_("countries"), null=True, blank=True)
    description = models.CharField(_("description"), max_length=200, blank=True, default="", db_default="")
    sealed_secret = models.TextField(editable=False)
    # The secret before, which signs beside the new one until then.
    sealed_previous_secret = models.TextField(default="", db_default="", editable=False)
    previous_until = models.DateTimeField(null=True, editable=False)
    secret_set_at = models.DateTimeField(_("secret set at"), editable=False)
    is_active = models.BooleanField(
        pgettext_lazy("subscription", "active"),
        default=True,
        help_text=_("An inactive subscription hears of nothing; what waits is cancelled."),
    )
    created_at = models.DateTimeField(_("created at"), auto_now_add=True)

    # Of version 2: since when every attempt has failed, and how many have; the dispatcher keeps both.
    failing_since = models.DateTimeField(_("failing since"), null=True, editable=False)
    failures = models.PositiveIntegerField(default=0, db_default=0, editable=False)
    disabled_at = models.DateTimeField(_("disabled at"), null=True, editable=False)
    disabled_reason = models.CharField(
        _("why it was disabled"), max_length=10, choices=DisabledReason.choices, blank=True, default="", db_default="",
        editable=False,
    )  # fmt: skip

    deleted_at = models.DateTimeField(_("deleted at"), null=True, editable=False)

    # First, and so what dumpdata reads: the log refers to deleted ones too.
    everyone: ClassVar[SubscriptionQuerySet] = SubscriptionQuerySet.as_manager()  # type: ignore[assignment]  # as_manager is untyped
    objects: ClassVar[SubscriptionQuerySet] = KeptSubscriptions()

    class Meta:
        verbose_name = _("subscription")
        verbose_name_plural = _("subscriptions")
        ordering = ["company", "id"]
        constraints = [
            # Twice the same endpoint would hear of each event under two ids, which no receiver can tell apart. A client
            # that moves from version 1 to 2 hears both for a while: the headers tell them apart.
            # Also serves publish, which asks for a company's active subscriptions.
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
        return f"{self.pk}: {self.url}"

    def set_secret(self, clear: str) -> None:
        """Seal `clear` as the secret of every delivery from now on; not saved yet."""
        self.sealed_secret = encryption.seal(clear)
        self.secret_set_at = timezone.now()

    @property
    def public_id(self) -> str:
        """`sub_<number>`, as the API and the events name it."""
        return public_id(self.pk)

    @property
    def signs(self) -> bool:
        """Whether its requests are signed, rather than carry the secret: version 2."""
        return self.version == Version.V2


def public_id(pk: int) -> str:
    """The API's name of the subscription with this key."""
    return f"sub_{pk}"
