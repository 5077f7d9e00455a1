"""List filters, each written so that an index answers it."""

import secrets
from collections.abc import Sequence
from datetime import datetime, time, timedelta
from typing import Any, cast
from uuid import UUID

from django.contrib.admin.views.main import SEARCH_VAR
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.http import HttpRequest
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _, ngettext
from unfold.contrib.filters.admin import DropdownFilter, TextFilter

from base.admin.autocompletion import CompletedFilter, SelectByCode
from base.admin.confirmed_action import Grouped
from base.admin.list_filters import ChoiceFilter, ComputedStatesFilter
from base.db.moments import in_list
from companies.countries import SERVED
from companies.country_names import choices_within
from companies.models import Company
from companies.scope import scope_of
from shipments.admin.badges import mawb_status_choices
from shipments.document_counts import beyond_allowed
from shipments.manifests.countries import COUNTRIES
from shipments.models import BulkMove, Flight, Guide, GuideEvent, Layout, Manifest, RefusedRequest, UploadJob
from shipments.statuses import IN_CUSTOMS, GuideStatus
from shipments.tracking.lookup import in_bag

_FEW_MANIFESTS = 100
_DAYS = {"overdue": (None, 0), "today": (0, 1), "tomorrow": (1, 2), "week": (0, 7), "past_week": (-7, 0)}


def narrow_by_manifest(queryset: QuerySet[Any], condition: Q) -> QuerySet[Any]:
    """Filter by a condition on manifests: by keys, so that the list's own index still gives the order."""
    if queryset.model in {Manifest, Flight, Layout, RefusedRequest, UploadJob}:
        return queryset.filter(condition)
    manifests = Manifest.objects.filter(condition).order_by().values("pk")
    # With few manifests the database fetches their guides; with many it soon finds the newest ones. It can choose
    # the right plan only when it sees the keys.
    few = list(manifests.values_list("pk", flat=True)[: _FEW_MANIFESTS + 1])
    return queryset.filter(manifest__in=few if len(few) <= _FEW_MANIFESTS else manifests)


def company_select(model: type[Layout | Manifest], placeholder: str | Promise) -> SelectByCode:
    """Return a field for a client code, found by typing, for operators who may see the list of `model`."""
    return SelectByCode(model._meta.get_field("company"), CompanyFilter.key, placeholder)


class CompanyFilter(CompletedFilter):
    title = _("company")
    parameter_name = field_name = "company"
    key = "client_code"

    def related(self, request: HttpRequest) -> QuerySet[Company]:
        return Company.objects.visible_to(request.user).order_by("name")

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:  # noqa: ARG002  # as above
        if not self.value():
            return queryset
        # By its key: the database then estimates this company's manifests, not those of an average one.
        key = Company.objects.filter(client_code=self.value()).values_list("pk", flat=True).first()
        return narrow_by_manifest(queryset, Q(company=key))


class CountryFilter(DropdownFilter):
    title = _("country")
    parameter_name = "country"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:  # noqa: ANN401, ARG002  # Django's signature
        return choices_within(scope_of(request.user))

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:  # noqa: ARG002  # as above
        if not self.value():
            return queryset
        offered = {code for code, _label in self.lookup_choices}
        return narrow_by_manifest(queryset, Q(country=self.value())) if self.value() in offered else queryset.none()


class ArrivalFilter(ChoiceFilter):
    """Filter by the day of the estimated arrival, in the destination's local time."""

    title = _("arrival")
    parameter_name = "arrival"
    options = [
        ("today", _("Today")),
        ("tomorrow", _("Tomorrow")),
        ("week", _("The next 7 days")),
        ("past_week", _("The last 7 days")),
        ("overdue", _("Any day before today")),
    ]

    def narrow(self, request: HttpRequest, rows: Any, value: str) -> QuerySet[Any]:  # noqa: ANN401, ARG002  # as above
        return narrow_by_manifest(rows, arrives_between(timezone.now(), *_DAYS[value]))


class ManifestStatusFilter(ComputedStatesFilter):
    """Filter by the status of a MAWB, which follows from its guides'."""

    title = _("status")
    parameter_name = "status"
    options = mawb_status_choices()

    def narrow(self, request: HttpRequest, rows: Any, values: Sequence[str]) -> QuerySet[Any]:  # noqa: ANN401, ARG002  # as above
        shown = rows.filter(voided_at=None)  # a voided one shows no other status
        return cast("QuerySet[Any]", shown.filter(status__in=values))


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


class WorkFilter(ChoiceFilter):
    """Filter by what is still to be done: by guides that wait for a review, for the lifting of a retention, or for
    customs.
    """

    title = _("needs attention")
    parameter_name = "work"
    options = [
        ("review", _("Still to review")),
        ("retention", _("Under retention")),
        ("customs", _("In customs over 48 hours")),
    ]

    def narrow(self, request: HttpRequest, rows: Any, value: str) -> QuerySet[Any]:  # noqa: ANN401, ARG002  # as above
        of_guides = rows.model is Guide
        guides: Any = rows if of_guides else Guide.objects.all()
        match value:
            case "review":
                waiting = guides.to_review()
            case "retention":
                waiting = guides.to_release()
            case _:
                waiting = guides.long_in_customs(timezone.now())
        # There are few such guides, and an index finds them.
        found = waiting if of_guides else rows.filter(pk__in=waiting.order_by().values("manifest"))
        return cast("QuerySet[Any]", found)


class YearFilter(ChoiceFilter):
    """Filter by guides under way whose document has more guides this year than the law admits for a person."""

    title = _("document this year")
    parameter_name = "year"
    options = [("beyond", _("More guides than a person may receive"))]

    def narrow(self, request: HttpRequest, rows: Any, value: str) -> QuerySet[Any]:  # noqa: ANN401, ARG002  # as above
        return beyond_allowed(rows, timezone.now())


class BagFilter(TextFilter):
    title = _("bag")
    parameter_name = "bag"

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:  # noqa: ARG002  # Django's signature
        code = str(self.value() or "").replace("\0", "").strip()
        return queryset.filter(in_bag(code)) if code else queryset


class TakenFilter(ChoiceFilter):
    """Filter by who has taken a guide to look at. A guide in a final status needs nobody."""

    title = _("taken")
    parameter_name = "taken"
    options = [("mine", _("By me")), ("nobody", _("By nobody"))]

    def narrow(self, request: HttpRequest, rows: Any, value: str) -> QuerySet[Any]:  # noqa: ANN401  # as above
        own = rows.filter(taking__operator=request.user).active() if value == "mine" else rows.filter(taking=None)
        return cast("QuerySet[Any]", own)


def local_day(country: str, now: datetime, days_ahead: int = 0) -> tuple[datetime, datetime]:
    """Return the start and end of a day in the capital of a served country. days_ahead: 0 is today, -1 yesterday."""
    zone = SERVED[country].clock
    date = now.astimezone(zone).date() + timedelta(days=days_ahead)
    start, end = (datetime.combine(day, time.min, zone) for day in (date, date + timedelta(days=1)))
    return start, end


def arrives_between(now: datetime, first_day: int | None, end_day: int) -> Q:
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


TO_PAY = "to_pay"


class VatFilter(ChoiceFilter):
    title = _("VAT")
    parameter_name = "vat"
    options = [(TO_PAY, _("VAT to be paid"))]

    def narrow(self, request: HttpRequest, rows: Any, value: str) -> QuerySet[Any]:  # noqa: ANN401, ARG002  # as above
        return with_vat_to_pay(cast("QuerySet[Guide]", rows))


def with_vat_to_pay(guides: QuerySet[Guide]) -> QuerySet[Guide]:
    """Return those of `guides` on which customs will charge VAT.

    Their value is within the country's limit, nothing says that VAT was charged at the sale, and customs has not
    released them.
    """
    small = Q(pk__in=[])
    for country, rules in COUNTRIES.items():
        if rule := rules.vat_at_sale:
            dates = {"gte": rule.since, "lte": rule.until}
            days = {f"manifest__arrival_day__{name}": day for name, day in dates.items() if day}
            small |= Q(manifest__country=country, fob_usd__lte=rule.most_usd, **days)
    released = GuideEvent.objects.valid().filter(guide=OuterRef("pk"), status=GuideStatus.CUSTOMS_RELEASED)
    before_release = Q(status__in=[GuideStatus.REGISTERED, *IN_CUSTOMS])
    on_the_way = Q(status__in=[GuideStatus.IN_TRANSIT, GuideStatus.ON_HOLD]) & ~Exists(released)
    return guides.filter(small, before_release | on_the_way).exclude(vat_collected=True)


_PASTED_PARAMETER = "pasted"
_SESSION_KEY = "pasted_lists"
_KEPT = 5
"""The newest pasted lists of a session that are kept."""


def keep_list(request: HttpRequest, guide_ids: Sequence[int], *not_found: Sequence[str]) -> dict[str, str]:
    """Keep a list in the session. Returns the parameter of the guide list that opens it, and repeats `not_found`."""
    lists, kept = _lists_of(request), [list(guide_ids), *map(list, not_found)]
    same = next((key for key, other in lists.items() if other == kept), None)
    if same is None:
        same = secrets.token_hex(4)
        request.session[_SESSION_KEY] = dict([*lists.items(), (same, kept)][-_KEPT:])
    return {_PASTED_PARAMETER: same}


def not_found_of(request: HttpRequest) -> Sequence[Sequence[str]]:
    """Return what was kept beside the list that the request opens; empty if it opens none."""
    return _lists_of(request).get(request.GET.get(_PASTED_PARAMETER, ""), [])[1:]


def _lists_of(request: HttpRequest) -> dict[str, list[Any]]:
    lists: dict[str, list[Any]] = request.session.get(_SESSION_KEY, {})
    return lists


MOVE_PARAMETER = "move"


class MoveFilter(DropdownFilter):
    """Filter by the guides of a bulk move that the operator may see: those that it moved, else those that it names.

    Its page links here. One whose results are gone matches no guides.
    """

    title = _("bulk move")
    parameter_name = MOVE_PARAMETER

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:  # noqa: ANN401, ARG002  # Django's signature
        asked = request.GET.get(MOVE_PARAMETER, "")
        try:
            move = BulkMove.objects.visible_to(request.user).filter(pk=UUID(asked)).first() if asked else None
        except ValueError:
            move = None
        self._guides = _get_moved_ids(move) if move else set()
        label = f"{move}, {in_list(move.created_at)}" if move else str(_("An expired list"))
        return [(asked, label)] if asked else []

    def queryset(self, request: HttpRequest, queryset: QuerySet[Guide]) -> QuerySet[Guide]:  # noqa: ARG002  # as above
        return queryset.filter(pk__in=self._guides) if self.value() else queryset


def _get_moved_ids(move: BulkMove) -> set[int]:
    if move.moved:
        return {guide_id for guide_id, _sequence in move.moved}
    return move.guide_ids or {line[1] for line in move.lines if line[1] is not None}


class PastedFilter(DropdownFilter):
    """Filter by a list of pasted codes. An expired list matches no guides."""

    title = _("pasted codes")
    parameter_name = _PASTED_PARAMETER

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:  # noqa: ANN401, ARG002  # Django's signature
        self._lists = {key: guides for key, (guides, *_not_found) in _lists_of(request).items()}
        choices = [
            (key, ngettext("%s guide", "%s guides", len(guides)) % Grouped(len(guides)))
            for key, guides in self._lists.items()
        ]
        asked = request.GET.get(_PASTED_PARAMETER)
        if asked and asked not in self._lists:
            choices.append((asked, str(_("An expired list"))))
        return choices

    def queryset(self, request: HttpRequest, queryset: QuerySet[Guide]) -> QuerySet[Guide]:  # noqa: ARG002  # as above
        return queryset.filter(pk__in=self._lists.get(str(self.value()), ())) if self.value() else queryset
