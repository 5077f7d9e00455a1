"""Carriers that report events themselves: their secrets and codes, what they sent, and what became of each event."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import ClassVar, Self, TypeVar
from uuid import uuid4
from zoneinfo import available_timezones

from django.core.exceptions import ValidationError
from django.core.validators import RegexValidator
from django.db import models
from django.db.models import Count, Exists, OuterRef, Q, Subquery
from django.db.models.functions import Cast, Coalesce
from django.db.models.lookups import Contains
from django.utils import timezone
from django.utils.translation import gettext_lazy as _, pgettext_lazy

from base.db.moments import in_list
from base.work import HeldWork
from companies.countries import SERVED
from companies.country_names import country_list
from companies.models import Company
from companies.scope import Viewer, scope_of
from shipments.labels import SOURCE_LABELS, STATUS_CHOICES
from shipments.manifests.waybills import NUMBER_LENGTH, TRACKING_CODE_LENGTH
from shipments.models.guides import Guide
from shipments.statuses import Source

CODE_LENGTH = 64
"""The longest code of a carrier."""
DESCRIPTION_LENGTH = 255
MOST_CODES = 500
"""The most codes of a carrier, with the unknown ones."""
PARKED_FOR = timedelta(days=14)
"""How long an event waits for its guide: scans precede pre-alerts."""


class Adapter(models.TextChoices):
    """Whose bodies a carrier sends."""

    CANONICAL = "canonical", _("our envelope")
    AFTERSHIP = "aftership", "AfterShip"
    EASYPOST = "easypost", "EasyPost"


class Scheme(models.TextChoices):
    """How a carrier proves that it is the sender."""

    STANDARD_WEBHOOKS = "standard_webhooks", "Standard Webhooks"
    HMAC = "hmac", "HMAC-SHA256"
    HEADER = "header", _("a secret header")


class Encoding(models.TextChoices):
    """How an HMAC is written."""

    HEX = "hex", "hex"
    BASE64 = "base64", "base64"


SOURCES = (Source.CARRIER, Source.CUSTOMS, Source.COURIER_SCAN)
"""What a carrier may report as."""
SOURCE_CHOICES = [(source.value, SOURCE_LABELS[source]) for source in SOURCES]


def known_zone(name: str) -> None:
    if name not in available_timezones():
        raise ValidationError(_("Enter a time zone as in America/Santiago."))


def some_countries(value: object) -> None:
    country_list(value)
    if not value:
        raise ValidationError(_("Choose at least one country."))


def _serves_one_of(countries: Sequence[str]) -> Q:
    listed = Cast("countries", models.TextField())  # SQLite has no `contains` lookup for JSON
    found = Q(pk__in=[])
    for code in sorted(countries):
        found |= Q(Contains(listed, f'"{code}"'))
    return found


SILENT_AFTER = timedelta(days=1)
"""How long a carrier may send nothing. They report from Monday to Sunday; a day without any event is a fault."""


class CarrierQuerySet(models.QuerySet["Carrier"]):
    def visible_to(self, user: Viewer) -> Self:
        countries = scope_of(user).countries
        return self if countries is None else self.filter(_serves_one_of(sorted(countries)))

    def managed_by(self, user: Viewer) -> Self:
        """Return the carriers all of whose countries are the operator's: what has no guide may be of any of them."""
        countries = scope_of(user).countries
        if countries is None:
            return self
        return self.visible_to(user).exclude(_serves_one_of(sorted(SERVED.keys() - countries)))

    def silent(self, now: datetime) -> Self:
        """Return the active carriers that have sent nothing for `SILENT_AFTER`, with `last`, their newest receipt."""
        newest = CarrierReceipt.objects.filter(carrier=OuterRef("pk")).order_by("-received_at").values("received_at")
        active = self.filter(is_active=True, created_at__lt=now - SILENT_AFTER).annotate(last=Subquery(newest[:1]))
        return active.filter(Q(last=None) | Q(last__lt=now - SILENT_AFTER)).order_by("last", "name")


class Carrier(models.Model):
    """A carrier, customs or a courier that sends events to `/api/carriers/v1/<slug>/events`.

    signature_*: of the scheme `hmac`; the header also of `header`. time_zone: of times without an offset; empty: such
    events are refused. number_key: the key of `extra_data` under which clients send the carrier's number.
    """

    slug = models.CharField(
        _("slug"),
        max_length=32,
        unique=True,
        validators=[RegexValidator(r"^[a-z0-9][a-z0-9-]{1,31}\Z", _("2 to 32 lower-case letters, digits or hyphens."))],
        help_text=_("Part of the address that the carrier posts to. It cannot be changed later."),
    )
    name = models.CharField(_("name"), max_length=100)
    source = models.CharField(_("source"), max_length=16, choices=SOURCE_CHOICES, help_text=_("What clients see."))
    adapter = models.CharField(_("format"), max_length=16, choices=Adapter.choices, default=Adapter.CANONICAL)
    scheme = models.CharField(_("signature"), max_length=20, choices=Scheme.choices, default=Scheme.STANDARD_WEBHOOKS)
    signature_header = models.CharField(
        _("header"),
        max_length=64,
        blank=True,
        validators=[RegexValidator(r"^[A-Za-z0-9-]+\Z", _("Letters, digits and hyphens."))],
        help_text=_("With HMAC-SHA256 and a secret header. Empty: as the format's own documentation says."),
    )
    signature_encoding = models.CharField(
        _("encoding"), max_length=8, choices=Encoding.choices, default=Encoding.HEX, help_text=_("With HMAC-SHA256.")
    )
    signature_prefix = models.CharField(
        _("prefix"), max_length=32, blank=True, help_text=_("What precedes the signature in the header, if anything.")
    )
    countries = models.JSONField(
        _("countries"),
        validators=[some_countries],
        help_text=_("Events of guides in other countries are never applied."),
    )
    time_zone = models.CharField(
        _("time zone"),
        max_length=64,
        blank=True,
        validators=[known_zone],
        help_text=_("Of times without an offset, as in America/Santiago. Empty: such events are refused."),
    )
    number_key = models.CharField(
        _("key of its number"),
        max_length=64,
        blank=True,
        help_text=_("The key of extra_data under which clients send the carrier's number. Empty: none."),
    )
    is_active = models.BooleanField(_("active"), default=True)
    sealed_api_key = models.TextField(default="", db_default="", editable=False)
    created_at = models.DateTimeField(_("created at"), auto_now_add=True)

    objects: ClassVar[CarrierQuerySet] = CarrierQuerySet.as_manager()  # type: ignore[assignment]  # as_manager is untyped

    class Meta:
        verbose_name = _("carrier")
        verbose_name_plural = _("carriers")
        default_permissions = ("view", "add", "change")
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name

    @property
    def actor(self) -> str:
        return f"carrier:{self.slug}"

    def live_secrets(self, now: datetime) -> list[CarrierSecret]:
        return list(self.secrets.filter(Q(ends_at=None) | Q(ends_at__gt=now)).order_by("-id"))


class CarrierSecret(models.Model):
    """A secret of a carrier: the newest has no end; an older one is valid until its own."""

    carrier = models.ForeignKey(Carrier, on_delete=models.CASCADE, related_name="secrets", verbose_name=_("carrier"))
    sealed_secret = models.TextField(editable=False)
    ends_at = models.DateTimeField(_("valid until"), null=True)
    created_at = models.DateTimeField(_("created at"), auto_now_add=True)
    last_used_at = models.DateTimeField(_("last used at"), null=True)

    class Meta:
        verbose_name = _("secret of a carrier")
        verbose_name_plural = _("secrets of carriers")
        default_permissions = ()

    def __str__(self) -> str:
        return f"{self.pk}"


_Row = TypeVar("_Row", bound=models.Model)


class OfCarrierQuerySet(models.QuerySet[_Row]):
    """Rows that may be of any of a carrier's countries."""

    def visible_to(self, user: Viewer) -> Self:
        """Return the rows of carriers all of whose countries are the operator's."""
        if scope_of(user).is_everywhere:
            return self
        return self.filter(carrier__in=Carrier.objects.managed_by(user).order_by())


class CarrierCodeQuerySet(OfCarrierQuerySet["CarrierCode"]):
    def to_explain(self) -> Self:
        """Return the codes that nobody has given a meaning, and that events wait for."""
        waiting = CarrierEvent.objects.filter(
            carrier=OuterRef("carrier"), folded=OuterRef("folded"), outcome=EventOutcome.UNMAPPED
        )
        return self.filter(Exists(waiting), action=Action.UNKNOWN)

    def with_waiting(self) -> Self:
        """Annotate with `waiting`, the number of events that wait, and `described`, the carrier's own words for it."""
        waiting = CarrierEvent.objects.filter(
            carrier=OuterRef("carrier"), folded=OuterRef("folded"), outcome=EventOutcome.UNMAPPED
        )
        counted = waiting.order_by().values("carrier").annotate(rows=Count("pk")).values("rows")
        described = waiting.exclude(description="").order_by("id").values("description")[:1]
        return self.annotate(waiting=Coalesce(Subquery(counted), 0), described=Subquery(described))


class Action(models.TextChoices):
    """What a code means."""

    UNKNOWN = "unknown", _("unknown")
    STATUS = "status", _("a status")
    EVENT_ONLY = "event_only", _("shown to operators only")
    IGNORE = "ignore", _("ignored")


class CarrierCode(models.Model):
    """What a code of a carrier means. Unknown ones are added as they arrive, for operators to choose a meaning.

    folded: the code as it is looked up. client_note: our own words for clients; the carrier's never reach them.
    """

    carrier = models.ForeignKey(Carrier, on_delete=models.CASCADE, related_name="codes", verbose_name=_("carrier"))
    code = models.CharField(_("code"), max_length=CODE_LENGTH)
    folded = models.CharField(max_length=CODE_LENGTH * 2, editable=False)
    action = models.CharField(_("meaning"), max_length=10, choices=Action.choices, default=Action.UNKNOWN)
    status = models.CharField(_("status"), max_length=32, choices=STATUS_CHOICES, blank=True)
    client_note = models.CharField(_("note to the client"), max_length=DESCRIPTION_LENGTH, blank=True)
    updated_by = models.CharField(_("changed by"), max_length=150, blank=True)
    updated_at = models.DateTimeField(_("changed at"), auto_now=True)

    objects: ClassVar[CarrierCodeQuerySet] = CarrierCodeQuerySet.as_manager()  # type: ignore[assignment]  # as_manager is untyped

    class Meta:
        verbose_name = _("code of a carrier")
        verbose_name_plural = _("codes of carriers")
        default_permissions = ("view", "change")
        ordering = ["carrier", "code"]
        constraints = [
            models.UniqueConstraint(fields=["carrier", "folded"], name="carrier_code_once"),
            models.CheckConstraint(
                condition=Q(action=Action.STATUS, status__gt="") | (~Q(action=Action.STATUS) & Q(status="")),
                name="carrier_code_status_if_it_means_one",
            ),
        ]

    def __str__(self) -> str:
        return self.code


class CarrierNumber(models.Model):
    """A carrier's own number, and the guide that it is bound to.

    What the carrier sent or an operator said binds it; what clients write is a claim (`CarrierClaim`). guide: None
    while nobody but clients has said whose the number is. It stays after the guide's end, as history, until the number
    is bound to the next. is_known: by the carrier or an operator; False where an event was applied because only one
    guide claimed the number. The row is locked while it is decided whose an event is (`carriers.guides`).
    """

    carrier = models.ForeignKey(Carrier, on_delete=models.CASCADE, related_name="numbers", verbose_name=_("carrier"))
    number = models.CharField(_("carrier's number"), max_length=NUMBER_LENGTH)
    guide = models.ForeignKey(
        Guide, on_delete=models.SET_NULL, null=True, related_name="carrier_numbers", verbose_name=_("guide")
    )
    is_known = models.BooleanField(_("known"), default=False)
    bound_at = models.DateTimeField(_("bound at"), null=True)
    # When the carrier was last asked about it.
    asked_at = models.DateTimeField(null=True, editable=False)

    class Meta:
        verbose_name = _("number of a carrier")
        verbose_name_plural = _("numbers of carriers")
        default_permissions = ()
        constraints = [models.UniqueConstraint(fields=["carrier", "number"], name="carrier_number_once")]
        indexes = [
            models.Index(fields=["bound_at"], condition=Q(bound_at__isnull=False), name="carrier_number_by_binding")
        ]

    def __str__(self) -> str:
        return self.number


class CarrierClaim(models.Model):
    """That a guide has a carrier's number, as its client wrote it. It moves a guide only while no other has the number.

    was_bound: the number was bound to this guide until its end, and then to another; so its late events are known.
    """

    number = models.ForeignKey(CarrierNumber, on_delete=models.CASCADE, related_name="claims")
    guide = models.ForeignKey(Guide, on_delete=models.CASCADE, related_name="carrier_claims")
    # The guide's: the start page compares the claims of a day.
    company = models.ForeignKey(Company, on_delete=models.CASCADE, related_name="+", db_index=False)
    was_bound = models.BooleanField(default=False)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name = _("claim to a carrier's number")
        verbose_name_plural = _("claims to carriers' numbers")
        default_permissions = ()
        constraints = [models.UniqueConstraint(fields=["number", "guide"], name="carrier_claim_once")]
        indexes = [models.Index(fields=["created_at"], name="carrier_claim_by_age")]

    def __str__(self) -> str:
        return f"{self.number_id}: {self.guide_id}"


class ReceiptState(models.TextChoices):
    """What became of a body."""

    RECEIVED = "received", _("received")
    PROCESSED = "processed", _("processed")
    REJECTED = "rejected", _("rejected")
    FAILED = "failed", _("failed, will be repeated")


COUNTS = ("applied", "duplicate", "parked", "unmapped", "ignored", "refused")
"""What became of the events of a receipt; they add up to `events`."""


class CarrierReceipt(HeldWork):
    """A body as it arrived, stored before anything else is done with it.

    body: null once it is old, or anonymised. held_until: when the worker takes it over; null once it is finished.
    counts: of events, by what became of each. fault: the class of the exception that the last attempt raised.
    """

    id = models.UUIDField(primary_key=True, default=uuid4, editable=False)
    carrier = models.ForeignKey(
        Carrier, on_delete=models.CASCADE, related_name="receipts", db_index=False, verbose_name=_("carrier")
    )
    received_at = models.DateTimeField(_("received at"), default=timezone.now)
    sha256 = models.CharField("SHA-256", max_length=64)
    size_bytes = models.PositiveIntegerField(_("size in bytes"))
    body = models.BinaryField(null=True)
    state = models.CharField(_("state"), max_length=10, choices=ReceiptState.choices, default=ReceiptState.RECEIVED)
    held_until = models.DateTimeField(_("next attempt"), null=True)
    events = models.PositiveIntegerField(_("events"), default=0)
    counts = models.JSONField(_("counts"), default=dict)
    fault = models.CharField(_("fault"), max_length=100, blank=True)

    objects: ClassVar[OfCarrierQuerySet[CarrierReceipt]] = OfCarrierQuerySet.as_manager()  # type: ignore[assignment]  # as_manager is untyped

    class Meta:
        verbose_name = _("receipt")
        verbose_name_plural = _("receipts")
        default_permissions = ("view", "change")
        ordering = ["-received_at"]
        indexes = [
            # The worker: unfinished receipts.
            models.Index(fields=["held_until"], condition=Q(held_until__isnull=False), name="carrier_receipt_due"),
            # The list, and when a carrier last sent something.
            models.Index(fields=["carrier", "-received_at"], name="carrier_receipt_newest"),
            models.Index(fields=["-received_at"], name="carrier_receipt_by_age"),
        ]

    def __str__(self) -> str:
        return in_list(self.received_at)  # as the page says its time

    @property
    def public_id(self) -> str:
        """`rcp_<uuid>`, as in the answer."""
        return f"rcp_{self.pk}"


class EventOutcome(models.TextChoices):
    """What became of an event."""

    APPLIED = "applied", _("applied")
    PARKED = "parked", _("parked")
    UNMAPPED = "unmapped", _("unknown code")
    IGNORED = "ignored", _("ignored")
    REFUSED = "refused", pgettext_lazy("event", "refused")
    EXPIRED = "expired", _("expired")


WAITING = (EventOutcome.PARKED, EventOutcome.UNMAPPED)
"""Outcomes that are not final: something is still to come, a guide or a meaning."""


NO_GUIDE, AMBIGUOUS, MAWB_ONLY, GIVEN_UP = "no_guide", "ambiguous", "mawb_only", "number_given_up"
"""Why an event is parked. Given up: the guide that had its number is at its end, and no other has it yet."""
DELIVERED_AFTER_END = "delivered_after_end"
"""The carrier delivered what was cancelled, returned or lost here. Of an applied event too: it is only history."""


class CarrierEventQuerySet(models.QuerySet["CarrierEvent"]):
    def visible_to(self, user: Viewer) -> Self:
        """Return the events of guides in the operator's countries, and those without a guide where all countries of
        the carrier are the operator's.
        """
        countries = scope_of(user).countries
        if countries is None:
            return self
        managed = Carrier.objects.managed_by(user).order_by()
        return self.filter(Q(guide__manifest__country__in=countries) | Q(guide=None, carrier__in=managed))

    def parked(self) -> Self:
        return self.filter(outcome=EventOutcome.PARKED)

    def expired(self) -> Self:
        """Return those whose guide did not arrive in time, and that nobody assigned since.

        Without what carriers report after the end of a guide, which is rarely about another.
        """
        return self.filter(outcome=EventOutcome.EXPIRED).exclude(error=GIVEN_UP)


class CarrierEvent(models.Model):
    """One event as a carrier reported it, and what became of it. `shipments.carriers` writes it.

    external_id: the carrier's own id of the event, else a digest of what identifies it; see `carriers.reported`.
    error: why it is parked or was refused, or needs a person though it was applied, as a code.
    doubt: what `Moment.doubt` says of a time without an offset; empty if there is none.
    """

    receipt = models.ForeignKey(
        CarrierReceipt, on_delete=models.CASCADE, related_name="reported", verbose_name=_("receipt")
    )
    carrier = models.ForeignKey(
        Carrier, on_delete=models.CASCADE, related_name="+", db_index=False, verbose_name=_("carrier")
    )
    external_id = models.CharField(max_length=128)
    tracking_code = models.CharField(_("tracking code"), max_length=TRACKING_CODE_LENGTH, blank=True)
    hawb = models.CharField("HAWB", max_length=64, blank=True)
    mawb = models.CharField("MAWB", max_length=12, blank=True)
    number = models.CharField(_("carrier's number"), max_length=NUMBER_LENGTH, blank=True)
    code = models.CharField(_("code"), max_length=CODE_LENGTH, blank=True)
    folded = models.CharField(max_length=CODE_LENGTH * 2, blank=True, editable=False)
    description = models.CharField(_("description"), max_length=DESCRIPTION_LENGTH, blank=True)
    place = models.CharField(_("place"), max_length=100, blank=True)
    occurred_at = models.DateTimeField(_("happened at"), null=True)
    guide = models.ForeignKey(
        Guide, on_delete=models.CASCADE, null=True, related_name="carrier_events", verbose_name=_("guide")
    )
    outcome = models.CharField(_("outcome"), max_length=10, choices=EventOutcome.choices)
    error = models.CharField(_("reason"), max_length=64, blank=True)
    doubt = models.CharField(max_length=16, blank=True, editable=False)
    recorded_at = models.DateTimeField(_("recorded at"), auto_now_add=True)

    objects: ClassVar[CarrierEventQuerySet] = CarrierEventQuerySet.as_manager()  # type: ignore[assignment]  # as_manager is untyped

    class Meta:
        verbose_name = _("event of a carrier")
        verbose_name_plural = _("events of carriers")
        default_permissions = ("view", "change")
        ordering = ["-id"]
        constraints = [models.UniqueConstraint(fields=["carrier", "external_id"], name="carrier_event_once")]
        indexes = [
            # The parking lot, joined with new guides and new numbers, and emptied by age.
            models.Index(fields=["hawb"], condition=Q(outcome="parked"), name="carrier_event_parked_hawb"),
            models.Index(fields=["number"], condition=Q(outcome="parked"), name="carrier_event_parked_number"),
            models.Index(fields=["tracking_code"], condition=Q(outcome="parked"), name="carrier_event_parked_code"),
            models.Index(fields=["recorded_at"], condition=Q(outcome="parked"), name="carrier_event_parked_age"),
            # The figure of the start page.
            models.Index(fields=["carrier"], condition=Q(outcome="expired"), name="carrier_event_expired"),
            # What the start page tells operators: doubts, and deliveries of guides that ended otherwise.
            models.Index(
                fields=["carrier", "-id"],
                condition=Q(outcome="parked", error=AMBIGUOUS),
                name="carrier_event_ambiguous",
            ),
            models.Index(fields=["-id"], condition=Q(error=DELIVERED_AFTER_END), name="carrier_event_contradicts"),
            # What waits for the meaning of a code.
            models.Index(fields=["carrier", "folded"], condition=Q(outcome="unmapped"), name="carrier_event_unmapped"),
        ]

    def __str__(self) -> str:
        name = self.code or self.external_id  # which a refused event may be without
        if self.occurred_at is None:
            return name
        return f"{name} {in_list(self.occurred_at)}"
