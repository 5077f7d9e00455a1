"""List filters, each written so that an index answers it."""

from datetime import datetime, time, timedelta
from typing import Any, cast

from django.contrib.admin.views.main import SEARCH_VAR
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from unfold.contrib.filters.admin import DropdownFilter

from companies.countries import SERVED
from companies.country_names import country_choices
from companies.models import Company
from companies.scope import scope_of
from shipments.admin.badges import mawb_status_choices
from shipments.models import Flight, Guide, Manifest, RefusedRequest, UploadJob, WorkbookFormat

_FEW_MANIFESTS = 100
_DAYS = {"overdue": (None, 0), "today": (0, 1), "tomorrow": (1, 2), "week": (0, 7), "past_week": (-7, 0)}


class _OfManifest(DropdownFilter):
    """A filter on a manifest's attribute. It filters by keys, so that the list's own index still gives the order."""

    @staticmethod
    def narrowed(queryset: QuerySet[Any], condition: Q) -> QuerySet[Any]:
        if queryset.model in {Manifest, Flight, RefusedRequest, UploadJob, WorkbookFormat}:
            return queryset.filter(condition)
        manifests = Manifest.objects.filter(condition).order_by().values("pk")
        # With few manifests the database fetches their guides; with many it soon finds the newest ones. It can choose
        # the right plan only when it sees the keys.
        few = list(manifests.values_list("pk", flat=True)[: _FEW_MANIFESTS + 1])
        return queryset.filter(manifest__in=few if len(few) <= _FEW_MANIFESTS else manifests)


class CompanyFilter(_OfManifest):
    """Filter by the owner."""

    title = _("company")
    parameter_name = "company"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:  # noqa: ANN401, ARG002  # Django's signature
        companies = Company.objects.visible_to(request.user).order_by("name")
        return [(code, f"{name} ({code})") for code, name in companies.values_list("client_code", "name")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:  # noqa: ARG002  # as above
        if not self.value():
            return queryset
        # By its key: the database then estimates this company's manifests, not those of an average one.
        key = Company.objects.filter(client_code=self.value()).values_list("pk", flat=True).first()
        return self.narrowed(queryset, Q(company=key))


class CountryFilter(_OfManifest):
    """Filter by the destination country."""

    title = _("country")
    parameter_name = "country"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:  # noqa: ANN401, ARG002  # Django's signature
        scope = scope_of(request.user)
        return [(code, label) for code, label in country_choices() if scope.covers([code])]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:  # noqa: ARG002  # as above
        if not self.value():
            return queryset
        offered = {code for code, _label in self.lookup_choices}
        return self.narrowed(queryset, Q(country=self.value())) if self.value() in offered else queryset.none()


class ArrivalFilter(_OfManifest):
    """Filter by the day of the estimated arrival, in the destination's local time."""

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


class ManifestStatusFilter(DropdownFilter):
    """Filter by the status of a MAWB, which follows from its guides'."""

    title = _("status")
    parameter_name = "status"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:  # noqa: ANN401, ARG002  # Django's signature
        return mawb_status_choices()

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:  # noqa: ARG002  # as above
        offered = {value for value, _label in self.lookup_choices}
        if self.value() not in offered:
            return queryset
        return queryset.filter(status=self.value(), voided_at=None)  # a voided manifest shows no other status


class VoidedFilter(DropdownFilter):
    """Filter by whether the manifest was voided. Voided ones are listed when asked for, or searched for."""

    title = _("voided")
    parameter_name = "voided"
    all_option = ["", _("Hidden")]

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:  # noqa: ANN401, ARG002  # Django's signature
        return [("yes", _("Only voided ones")), ("all", _("Shown"))]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        if self.value() == "yes":
            return queryset.filter(voided_at__isnull=False)
        is_searched = bool(request.GET.get(SEARCH_VAR))
        return queryset if self.value() == "all" or is_searched else queryset.filter(voided_at=None)


class WorkFilter(DropdownFilter):
    """Filter by what is still to be done: by guides that wait for a review, for the lifting of a retention, or for
    customs.
    """

    title = _("needs attention")
    parameter_name = "work"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:  # noqa: ANN401, ARG002  # Django's signature
        return [
            ("review", _("Still to review")),
            ("retention", _("Under retention")),
            ("customs", _("In customs over 48 hours")),
        ]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:  # noqa: ARG002  # as above
        if self.value() not in {str(value) for value, _label in self.lookup_choices}:
            return queryset
        of_guides = queryset.model is Guide
        guides = _waiting(Guide.objects.all() if not of_guides else queryset, str(self.value()))
        # There are few such guides, and an index finds them.
        return guides if of_guides else queryset.filter(pk__in=guides.order_by().values("manifest"))


class TakenFilter(DropdownFilter):
    """Filter by who has taken a guide to look at. A guide in a final status needs nobody."""

    title = _("taken")
    parameter_name = "taken"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:  # noqa: ANN401, ARG002  # Django's signature
        return [("mine", _("By me")), ("nobody", _("By nobody"))]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        guides: Any = queryset
        if self.value() == "mine":
            guides = guides.filter(taking__operator=request.user).active()
        elif self.value() == "nobody":
            guides = guides.filter(taking=None)
        return cast("QuerySet[Any]", guides)


def _waiting(guides: Any, work: str) -> QuerySet[Any]:  # noqa: ANN401  # a GuideQuerySet, which the admin's hints lose
    match work:
        case "review":
            waiting = guides.to_review()
        case "retention":
            waiting = guides.to_release()
        case _:
            waiting = guides.long_in_customs(timezone.now())
    return cast("QuerySet[Any]", waiting)


def local_day(country: str, now: datetime, days_ahead: int = 0) -> tuple[datetime, datetime]:
    """Return the start and end of a day in the capital of a served country. days_ahead: 0 is today, -1 yesterday."""
    zone = SERVED[country].clock
    date = now.astimezone(zone).date() + timedelta(days=days_ahead)
    start, end = (datetime.combine(day, time.min, zone) for day in (date, date + timedelta(days=1)))
    return start, end


def arriving(now: datetime, first_day: int | None, end_day: int) -> Q:
    """Return the condition that a manifest arrives from `first_day` up to but excluding `end_day`.

    Both are in days from today at the destination. first_day: None for any day before `end_day`.
    """
    condition = Q()
    for country in SERVED:
        there = Q(country=country, eta__lt=local_day(country, now, end_day)[0])
        if first_day is not None:
            there &= Q(eta__gte=local_day(country, now, first_day)[0])
        condition |= there
    return condition
