"""The admin's start page: what operators need first in the morning, each number linked to its list.

It reads from every app, so it belongs to the project. Every query uses an index for its range or work list, and
counting stops at a limit, so the page stays fast however many guides there are.
"""

from typing import Any

from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from companies.admin_base.clocks import zone_name
from companies.models import Company
from companies.operators.clock_page import lacks_a_clock
from companies.scope import NOWHERE, scope_of
from prealerts.dashboard.arrivals import arriving, late
from prealerts.dashboard.refused_uploads import open_alarms, refused_by_limits, refused_uploads
from prealerts.dashboard.uploads import uploads_by_hour, waiting_jobs
from prealerts.dashboard.waiting import customs_list, expired_list, in_exception, work_list
from prealerts.dashboard.webhooks import disabled_webhooks, failing_webhooks
from shipments.admin.entry import templates_for
from shipments.models import CarrierEvent, Guide, Manifest, UploadJob
from webhooks.models import Subscription


def start_page(request: HttpRequest, context: dict[str, Any]) -> dict[str, Any]:
    """Unfold's DASHBOARD_CALLBACK: add to `context` what this operator may view."""
    now = timezone.now()
    user: Any = request.user
    context["title"] = _("Today's work")
    context["zone"] = zone_name()
    context["lacks_a_clock"] = lacks_a_clock(request)
    context["sees_a_country"] = scope_of(user) != NOWHERE
    if user.has_perm("shipments.view_manifest"):
        manifests = Manifest.objects.visible_to(user)
        context["arrivals"] = list(arriving(manifests, now))
        context["late"] = late(manifests, now)
        context["uploads"] = uploads_by_hour(manifests, now)
        context["is_new"] = context["sees_a_country"] and not manifests.exists()
    if user.has_perm("shipments.view_guide"):
        guides = Guide.objects.visible_to(user)
        context["exceptions"] = in_exception(guides, now)
        context["work_lists"] = [
            work_list(guides.to_review(), _("Needing review"), "rule", "review"),
            work_list(guides.to_release(), _("Under retention"), "gavel", "retention"),
            customs_list(guides, now),
        ]
        if user.has_perm("shipments.view_carrierevent"):
            context["work_lists"] += expired_list(CarrierEvent.objects.visible_to(user))
    if user.has_perm("shipments.view_uploadjob"):
        context["waiting_jobs"] = waiting_jobs(UploadJob.objects.visible_to(user), now)
    if user.has_perm("webhooks.view_subscription"):
        subscriptions = Subscription.objects.visible_to(user)
        context["failing_webhooks"] = failing_webhooks(subscriptions, now)
        context["disabled_webhooks"] = disabled_webhooks(subscriptions, now)
    if user.has_perm("shipments.view_refusedrequest"):
        context["refused_uploads"] = refused_uploads(user, now)
    if user.has_perm("shipments.view_workbookformat"):
        context["format_alarms"] = open_alarms(user)
    if user.has_perm("companies.view_company"):
        context["refused_by_limits"] = refused_by_limits(Company.objects.governed_by(user), now)
    context["templates"] = templates_for(user)
    context["may_onboard"] = user.has_perm("companies.add_company")
    context["has_companies"] = context.get("is_new") and Company.objects.visible_to(user).exists()
    return context
