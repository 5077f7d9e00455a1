"""Filters of the lists, each in a shape that an index answers."""

from typing import Any

from django.contrib import admin
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from unfold.contrib.filters.admin import DropdownFilter

from companies.models import Company, Country
from companies.operators.scope import scope_of
from shipments.local_days import arriving
from shipments.models import Flight, Manifest

_FEW_MANIFESTS = 100
_DAYS = {"overdue": (None, 0), "today": (0, 1), "tomorrow": (1, 2), "week": (0, 7), "past_week": (-7, 0)}


class _OfManifest(DropdownFilter):
    """A filter by something that the manifest has: asked by keys, so that the list's own index keeps its order."""

    @staticmethod
    def narrowed(queryset: QuerySet[Any], condition: Q) -> QuerySet[Any]:
        if queryset.model in {Manifest, Flight}:
            return queryset.filter(condition)
        manifests = Manifest.objects.filter(condition).order_by().values("pk")
        # Of few manifests the guides are fetched; among many the newest guides are soon found. The database tells the
        # one from the other only where it sees the keys.
        few = list(manifests.values_list("pk", flat=True)[: _FEW_MANIFESTS + 1])
        return queryset.filter(manifest__in=few if len(few) <= _FEW_MANIFESTS else manifests)


class CompanyFilter(_OfManifest):
    """The owner."""

    title = _("company")
    parameter_name = "company"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:  # noqa: ANN401, ARG002  # Django's signature
        companies = Company.objects.visible_to(request.user).order_by("name")
        return [(code, f"{name} ({code})") for code, name in companies.values_list("client_code", "name")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:  # noqa: ARG002  # as above
        return self.narrowed(queryset, Q(company__client_code=self.value())) if self.value() else queryset


class CountryFilter(_OfManifest):
    """The destination's country."""

    title = _("country")
    parameter_name = "country"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:  # noqa: ANN401, ARG002  # Django's signature
        scope = scope_of(request.user)
        return [(code, label) for code, label in Country.choices if scope.covers([code])]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:  # noqa: ARG002  # as above
        return self.narrowed(queryset, Q(country=self.value())) if self.value() else queryset


class ArrivalFilter(_OfManifest):
    """The day of the estimated arrival, as the destination lives it."""

    title = _("arrival")
    parameter_name = "arrival"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:  # noqa: ANN401, ARG002  # Django's signature
        return [
            ("today", _("Today")),
            ("tomorrow", _("Tomorrow")),
            ("week", _("The next 7 days")),
            ("past_week", _("The last 7 days")),
            ("overdue", _("Any day before today")),
        ]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:  # noqa: ARG002  # as above
        if self.value() not in _DAYS:
            return queryset
        return self.narrowed(queryset, arriving(timezone.now(), *_DAYS[str(self.value())]))


class VoidedFilter(admin.SimpleListFilter):
    """Manifests that were voided stand in the list, and can be left out."""

    title = _("voided")
    parameter_name = "voided"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:  # noqa: ANN401, ARG002  # Django's signature
        return [("no", _("No")), ("yes", _("Yes"))]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:  # noqa: ARG002  # as above
        if self.value() in {"no", "yes"}:
            return queryset.filter(voided_at__isnull=self.value() == "no")
        return queryset
