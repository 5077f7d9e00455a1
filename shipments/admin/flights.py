"""Flights, as senders described them, and the MAWBs that they carry."""

from typing import Any

from django.contrib import admin
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from shipments.admin.badges import parts
from shipments.admin.columns import destination_time_column
from shipments.admin.filters import CompanyFilter
from shipments.admin.manifests import status_summary
from shipments.admin.read_only_admin import ReadOnlyAdmin
from shipments.models import Flight, Manifest
from shipments.models.manifests import FINDINGS, FlightQuerySet

_MOST_MAWBS = 200


@admin.register(Flight)
class FlightAdmin(ReadOnlyAdmin):
    list_display = ["__str__", "company", "origin_airport", "destination_airport", "shown_departure", "shown_arrival"]
    sortable_by = None  # every column
    list_select_related = ["company"]
    list_filter = [CompanyFilter]
    search_fields = ["flight_number"]
    fields = [
        "company", "flight_number", ("origin_airport", "origin_country"), "destination_airport",
        ("shown_departure", "shown_arrival"), "created_at",
    ]  # fmt: skip
    readonly_fields = ["shown_departure", "shown_arrival"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Flight]:
        flights: Any = super().get_queryset(request)
        found: FlightQuerySet = flights.with_country(request.user)
        return found

    def page_context(self, request: HttpRequest, flight: Flight) -> dict[str, Any]:
        """Add what the operator may see of the flight: also of other companies, if number and departure are known."""
        if not request.user.has_perm("shipments.view_manifest"):
            return {}
        same = Q(flight=flight)
        if flight.flight_number and flight.scheduled_departure:
            described = {"flight_number": flight.flight_number, "scheduled_departure": flight.scheduled_departure}
            same |= Q(flight__in=list(Flight.objects.filter(**described).values_list("pk", flat=True)))
        manifests = Manifest.objects.visible_to(request.user).filter(same).select_related("company").defer(*FINDINGS)
        mawbs = [
            {"manifest": one, "status": status_summary(one), "parts": parts(one.guides_by_status)}
            for one in manifests.order_by("company__name", "mawb")[:_MOST_MAWBS]
        ]
        return {"mawbs": mawbs}

    shown_departure = destination_time_column(_("scheduled departure"), "scheduled_departure")
    shown_arrival = destination_time_column(_("scheduled arrival"), "scheduled_arrival")
