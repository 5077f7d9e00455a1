"""The admin's start page: what operators need first in the morning, each number linked to its list.

It reads from every app, so it belongs to the project. Every query uses an index for its range or work list, and
counting stops at a limit, so the page stays fast however many guides there are.
"""

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any, NamedTuple

from django.contrib.auth import get_user_model
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.timesince import timesince
from django.utils.translation import gettext, gettext_lazy as _, ngettext

from companies.clocks import zone_name
from companies.models import Company
from companies.operators.clock_page import lacks_a_clock
from companies.scope import NOWHERE, scope_of
from prealerts.dashboard.arrivals import Day, arriving, late
from prealerts.dashboard.figures import Figure, count_capped, list_of
from prealerts.dashboard.to_do import SHOWN, to_do
from prealerts.dashboard.uploads import uploads_by_hour
from prealerts.dashboard.waiting import AGES, in_exception
from shipments.admin import filters
from shipments.admin.columns import amount
from shipments.admin.entry import templates_for
from shipments.models import Guide, GuideQuerySet, Layout, Manifest
from shipments.statuses import EXCEPTIONS

DEMO_OPERATOR = "demo-operations"


class Headline(NamedTuple):
    """One of the five figures at the head of the page, with a note and the list that holds what it counts.

    tone: a colour of `base/lists.css` where the figure is bad news, else empty.
    """

    title: str | Promise
    figure: Figure
    note: str
    link: str
    tone: str = ""
    unit: str = ""


def start_page(request: HttpRequest, context: dict[str, Any]) -> dict[str, Any]:
    """Unfold's DASHBOARD_CALLBACK: add to `context` what this operator may view."""
    now = timezone.now()
    user: Any = request.user
    context["title"] = _("Today's work")
    context["zone"] = zone_name()
    context["lacks_a_clock"] = lacks_a_clock(request)
    context["sees_a_country"] = scope_of(user) != NOWHERE
    headlines: list[Headline] = []
    if user.has_perm("shipments.view_manifest"):
        manifests = Manifest.objects.visible_to(user)
        today, context["tomorrow"] = arriving(manifests, now)
        context |= {"today": today, "late": late(manifests, now), "uploads": uploads_by_hour(manifests, now)}
        context["is_new"] = context["sees_a_country"] and not manifests.exists()
        headlines += _of_manifests(today, context["late"])
    if user.has_perm("shipments.view_guide"):
        guides = Guide.objects.visible_to(user)
        context["exceptions"] = in_exception(guides, now)
        headlines += _of_guides(guides, context["exceptions"], now)
        context["demo"] = _demo_strip(user)
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


def _of_manifests(today: Day, late: Mapping[str, Any]) -> Iterator[Headline]:
    """Yield what arrives today, and what should have arrived."""
    guides = ngettext("%s guide", "%s guides", today.guides.count) % today.guides
    note = f"{guides} · {amount(today.weight_kg)} kg" if today.mawbs else gettext("None announced")
    yield Headline(_("Arriving today"), today.mawbs, note, list_of("manifest", arrival="today"), unit="MAWB")
    unmoved: Figure = late["unmoved"]
    note = (
        ngettext("%s guide not moved", "%s guides not moved", unmoved.count) % unmoved if unmoved else gettext("None")
    )
    yield Headline(_("Late"), late["mawbs"], note, late["link"], "warning" if unmoved else "")


def _of_guides(guides: GuideQuerySet, exceptions: Mapping[str, Any], now: datetime) -> Iterator[Headline]:
    """Yield the guides in exception, those that customs has had for long, and those to be reviewed."""
    silent = sum(
        part["count"] for bar in exceptions["bars"] for part in bar["segments"] if part["age"] == len(AGES) - 1
    )
    note = ngettext("%s for 7 days or more", "%s for 7 days or more", silent) % Figure(silent) if silent else ""
    found: Figure = exceptions["guides"]
    link = list_of("guide", status__exact=[status.value for status in EXCEPTIONS])
    yield Headline(_("In exception"), found, note or gettext("None for 7 days"), link, "danger" if found else "")
    in_customs = guides.long_in_customs(now)
    since = in_customs.order_by("customs_since").values_list("customs_since", flat=True).first()
    link = list_of("guide", work="customs")
    yield Headline(_("In customs over 48 hours"), count_capped(in_customs), _oldest(since, now), link)
    waiting = guides.to_review()
    link = list_of("guide", work="review")
    first = waiting.order_by("id").values("pk")[:1]  # from an index, which `created_at` is not in
    received_at = Guide.objects.filter(pk=first).values_list("created_at", flat=True).first()
    yield Headline(_("To review"), count_capped(waiting), _oldest(received_at, now), link)


def _oldest(since: datetime | None, now: datetime) -> str:
    return gettext("The oldest: %s") % timesince(since, now, depth=1) if since else gettext("None")


def _demo_strip(user: Any) -> dict[str, str] | None:  # noqa: ANN401  # a user
    """Return what to try first in the demonstration that `make demo` makes: links, and the MAWB to receive, each empty
    where the operator may not see it. None where there is no demonstration.
    """
    if not get_user_model().objects.filter(username=DEMO_OPERATOR).exists():
        return None
    waiting = Layout.objects.visible_to(user).waiting().filter(company__client_code="PACIFICO").first()
    peru = Manifest.objects.visible_to(user).filter(
        filters.arrives_between(timezone.now(), 0, 1), mawb__startswith="544-"
    )
    return {
        "search": reverse("admin:shipments_guide_changelist", query={"q": "quispe"}),
        "layout": reverse("admin:shipments_layout_change", args=[waiting.pk]) if waiting else "",
        "receive": reverse("receive"),
        "mawb": peru.order_by("-eta").values_list("mawb", flat=True).first() or "",
    }
