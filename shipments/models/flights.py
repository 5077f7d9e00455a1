"""Flights, shared by the manifests they carry."""

from __future__ import annotations

import uuid
from typing import ClassVar, Self

from django.db import models
from django.db.models import Exists, OuterRef, Subquery, Value
from django.db.models.functions import Coalesce
from django.utils.translation import gettext_lazy as _

from companies.models import Company
from companies.scope import Viewer, scope_of
from shipments.models.manifests import Manifest


class FlightQuerySet(models.QuerySet["Flight"]):
    """Named queries."""

    def visible_to(self, user: Viewer) -> Self:
        """Return the flights of the manifests visible to an operator."""
        countries = scope_of(user).countries
        if countries is None:
            return self
        return self.filter(Exists(Manifest.objects.filter(flight=OuterRef("pk"), country__in=countries).order_by()))

    def with_country(self, user: Viewer) -> Self:
        """Annotate with `country`, the destination of the first manifest visible to an operator; empty without one."""
        manifests = Manifest.objects.visible_to(user).filter(flight=OuterRef("pk")).order_by("created_at")
        return self.annotate(country=Coalesce(Subquery(manifests.values("country")[:1]), Value("")))


class Flight(models.Model):
    """A flight as a company describes it. The company's manifests with the same number and departure share it."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    company = models.ForeignKey(Company, on_delete=models.PROTECT, related_name="flights", verbose_name=_("company"))
    flight_number = models.CharField(_("flight number"), max_length=8, blank=True)
    origin_airport = models.CharField(_("origin airport"), max_length=3, blank=True)
    origin_country = models.CharField(_("origin country"), max_length=2, blank=True)
    destination_airport = models.CharField(_("destination airport"), max_length=3, blank=True)
    scheduled_departure = models.DateTimeField(_("scheduled departure"), null=True, blank=True)
    scheduled_arrival = models.DateTimeField(_("scheduled arrival"), null=True, blank=True)
    created_at = models.DateTimeField(_("created at"), auto_now_add=True)

    country: str
    """The destination, where `with_country` was asked for it."""

    objects: ClassVar[FlightQuerySet] = FlightQuerySet.as_manager()  # type: ignore[assignment]  # as_manager is untyped

    class Meta:
        verbose_name = _("flight")
        verbose_name_plural = _("flights")
        ordering = ["-created_at"]
        constraints = [
            # Also serves the lookup of an existing flight by `ingest`.
            models.UniqueConstraint(
                fields=["company", "flight_number", "scheduled_departure"],
                condition=~models.Q(flight_number="") & models.Q(scheduled_departure__isnull=False),
                name="flight_once_per_company",
            ),
        ]

    def __str__(self) -> str:
        return self.flight_number or str(_("Flight without a number"))
