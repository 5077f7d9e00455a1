"""Flights, as senders described them."""

from django.contrib import admin

from shipments.admin.filters import CompanyFilter
from shipments.admin.read_only_admin import ReadOnlyAdmin
from shipments.models import Flight


@admin.register(Flight)
class FlightAdmin(ReadOnlyAdmin):
    """Flights, read-only, as received."""

    list_display = [
        "__str__",
        "company",
        "origin_airport",
        "destination_airport",
        "scheduled_departure",
        "scheduled_arrival",
    ]
    list_select_related = ["company"]
    list_filter = [CompanyFilter]
    search_fields = ["flight_number"]
    fields = [
        "company", "flight_number", ("origin_airport", "origin_country"), "destination_airport",
        ("scheduled_departure", "scheduled_arrival"), "created_at",
    ]  # fmt: skip
