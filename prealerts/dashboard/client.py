"""A picture of a client, on its own page: what it sent, what waits, and what fails."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.contrib.auth.models import User
from django.db.models import Count, Q
from django.urls import reverse
from django.utils import timezone
from django.utils.safestring import SafeString
from django.utils.translation import gettext, gettext_lazy as _

from base.admin.lists import badge
from companies.countries import SERVED
from companies.country_names import country_name
from companies.models import Company
from companies.scope import scope_of
from prealerts.dashboard.figures import Figure, list_of
from prealerts.dashboard.to_do import submissions
from shipments.admin.moving_in import PERMISSIONS
from shipments.admin.reports import plots
from shipments.admin.reports.periods import last_weeks, report_between, weeks_of
from shipments.labels import STATUS_LABELS
from shipments.layouts.reading import workbook_countries
from shipments.models import Guide, Manifest, RefusedRequest
from shipments.models.manifests import FINDINGS
from shipments.statuses import EXCEPTIONS, GuideStatus
from webhooks.models import Subscription

WEEKS = 12


def client_picture(user: User, company: Company) -> dict[str, Any]:
    """Return what the operator may see of the client, for `prealerts/client_picture.html`."""
    shown: dict[str, Any] = {"lists": _lists(user, company)}
    if user.has_perm("shipments.view_manifest"):
        of_company = Q(posted_by=company) if company.is_courier else Q(company=company)
        manifests = Manifest.objects.visible_to(user).filter(of_company)
        days = last_weeks(WEEKS, timezone.localdate())
        weeks = report_between(manifests, *days, by=weeks_of, with_customs=False).periods
        shown["last"] = manifests.defer(*FINDINGS).order_by("-created_at", "-id").first()
        shown["volumes"] = plots.volumes(weeks) if any(week.guides for week in weeks) else None
    if user.has_perm("shipments.view_guide") and not company.is_courier:
        shown["exceptions"] = _exceptions(user, company)
    shown["unread"] = _name_unread_countries(user, company)
    if Company.objects.managed_by(user).filter(pk=company.pk).exists():  # else what follows is hidden, not none
        if user.has_perm("shipments.view_refusedrequest"):
            shown["refused"] = _count_refused(company)
            shown["refused_link"] = list_of("refusedrequest", company=company.client_code)
        if user.has_perm("webhooks.view_subscription"):
            endpoints = Subscription.objects.visible_to(user).filter(company=company).order_by("pk")
            failing = set(endpoints.unreached(timezone.now(), 1).values_list("pk", flat=True))
            shown["endpoints"] = [(each, _state(each, is_failing=each.pk in failing)) for each in endpoints]
    return shown


def _lists(user: User, company: Company) -> Sequence[tuple[Any, str]]:
    """Return the title and the address of each list that the operator may open, narrowed to the client; and of the page
    on which its parcels move in.
    """
    code, key = {"company": company.client_code}, {"company__id__exact": company.pk}
    lists: Sequence[tuple[Any, str, str, Mapping[str, Any]]] = (
        (_("Guides"), "shipments.view_guide", "admin:shipments_guide_changelist", code),
        (_("Manifests"), "shipments.view_manifest", "admin:shipments_manifest_changelist", code),
        (_("Flights"), "shipments.view_flight", "admin:shipments_flight_changelist", code),
        (_("Reports"), "shipments.view_manifest", "reports", code),
        (_("Layouts"), "shipments.view_layout", "admin:shipments_layout_changelist", code),
        (_("Refused requests"), "shipments.view_refusedrequest", "admin:shipments_refusedrequest_changelist", code),
        (_("Upload jobs"), "shipments.view_uploadjob", "admin:shipments_uploadjob_changelist", code),
        (_("Subscriptions"), "webhooks.view_subscription", "admin:webhooks_subscription_changelist", key),
        (_("Deliveries"), "webhooks.view_delivery", "admin:webhooks_delivery_changelist", key),
    )
    found = [
        (title, reverse(name, query=query)) for title, permission, name, query in lists if user.has_perm(permission)
    ]
    if company.is_active and not company.is_courier and user.has_perms(PERMISSIONS):
        found.append((_("Move in"), reverse("move-in", args=[company.pk])))
    return found


def _name_unread_countries(user: User, company: Company) -> str:
    """Return the names of the countries whose workbooks are refused; empty if there are none."""
    if company.is_courier:
        return ""
    refused = set(company.allowed_countries) - set(workbook_countries(company))
    return ", ".join(country_name(code) for code in SERVED if code in refused and scope_of(user).covers([code]))


def _exceptions(user: User, company: Company) -> Sequence[tuple[Any, Figure, str]]:
    """Return the label, the number and the list of the client's guides in each exception."""
    guides = Guide.objects.visible_to(user).filter(manifest__company=company, status__in=EXCEPTIONS)
    counts = guides.order_by().values_list("status").annotate(rows=Count("pk")).order_by("-rows")
    return [
        (
            STATUS_LABELS[GuideStatus(status)],
            Figure(rows),
            list_of("guide", company=company.client_code, status__exact=status),
        )
        for status, rows in counts
    ]


def _count_refused(company: Company) -> Figure:
    """Count the manifests refused since the last accepted one."""
    accepted = Manifest.objects.filter(posted_by=company).order_by("-created_at").values_list("created_at", flat=True)
    refused = submissions(RefusedRequest.objects.filter(company=company))
    last = accepted.first()
    return Figure((refused.filter(created_at__gt=last) if last else refused).count())


def _state(endpoint: Subscription, *, is_failing: bool) -> SafeString:
    if not endpoint.is_active:
        return badge(endpoint.get_disabled_reason_display() or gettext("inactive"), "muted")
    return badge(gettext("failing"), "danger") if is_failing else badge(gettext("active"), "success")
