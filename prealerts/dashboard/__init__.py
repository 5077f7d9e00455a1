"""The admin's start page: what operators need first in the morning, each number linked to its list.

It reads from every app, so it belongs to the project. Every query uses an index for its range or work list, and
counting stops at a limit, so the page stays fast however many guides there are.
"""

from typing import Any

from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from companies.clocks import zone_name
from companies.models import Company
from companies.operators.clock_page import lacks_a_clock
from companies.scope import NOWHERE, scope_of
from prealerts.dashboard import headline
from prealerts.dashboard.arrivals import arriving, late
from prealerts.dashboard.demo_strip import demo_strip
from prealerts.dashboard.to_do import SHOWN, to_do
from prealerts.dashboard.uploads import uploads_by_hour
from prealerts.dashboard.waiting import in_exception
from shipments.admin.entry import templates_for
from shipments.models import Guide, Manifest


def start_page(request: HttpRequest, context: dict[str, Any]) -> dict[str, Any]:
    """Unfold's DASHBOARD_CALLBACK: add to `context` what this operator may view."""
    now = timezone.now()
    user: Any = request.user
    context["title"] = _("Today's work")
    context["zone"] = zone_name()
    context["lacks_a_clock"] = lacks_a_clock(request)
    context["sees_a_country"] = scope_of(user) != NOWHERE
    headlines: list[headline.Headline] = []
    if user.has_perm("shipments.view_manifest"):
        manifests = Manifest.objects.visible_to(user)
        today, context["tomorrow"] = arriving(manifests, now)
        context |= {"today": today, "late": late(manifests, now), "uploads": uploads_by_hour(manifests, now)}
        context["is_new"] = context["sees_a_country"] and not manifests.exists()
        headlines += headline.of_manifests(today, context["late"])
    if user.has_perm("shipments.view_guide"):
        guides = Guide.objects.visible_to(user)
        context["exceptions"] = in_exception(guides, now)
        headlines += headline.of_guides(guides, context["exceptions"], now)
        context["demo"] = demo_strip(user)
    entries = to_do(user, now)
    context |= {
        "headlines": headlines,
        "to_do": entries[:SHOWN],
        "to_do_below": entries[SHOWN:],
        "to_do_count": len(entries),
    }
    context["templates"] = templates_for(user)
    context["may_onboard"] = user.has_perm("companies.add_company")
    context["has_companies"] = context.get("is_new") and Company.objects.visible_to(user).exists()
    return context
