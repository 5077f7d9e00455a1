"""The five figures at the head of the start page, each with a note and the list that holds what it counts."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any, NamedTuple

from django.db.models import QuerySet
from django.utils.functional import Promise
from django.utils.timesince import timesince
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from prealerts.dashboard.arrivals import Day
from prealerts.dashboard.figures import Figure, counted, list_of
from prealerts.dashboard.waiting import AGES
from shipments.admin.columns import amount
from shipments.models import Guide, GuideQuerySet
from shipments.statuses import EXCEPTIONS


class Headline(NamedTuple):
    """tone: a colour of `base/lists.css` where the figure is bad news, else empty."""

    title: str | Promise
    figure: Figure
    note: str
    link: str
    tone: str = ""
    unit: str = ""


def of_manifests(today: Day, late: Mapping[str, Any]) -> Iterator[Headline]:
    """Yield what arrives today, and what should have arrived."""
    guides = ngettext("%s guide", "%s guides", today.guides.count) % today.guides
    note = f"{guides} · {amount(today.weight_kg)} kg" if today.mawbs else gettext("None announced")
    yield Headline(_("Arriving today"), today.mawbs, note, list_of("manifest", arrival="today"), unit="MAWB")
    unmoved: Figure = late["unmoved"]
    note = (
        ngettext("%s guide not moved", "%s guides not moved", unmoved.count) % unmoved if unmoved else gettext("None")
    )
    yield Headline(_("Late"), late["mawbs"], note, late["link"], "warning" if unmoved else "")


def of_guides(guides: GuideQuerySet, exceptions: Mapping[str, Any], now: datetime) -> Iterator[Headline]:
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
    yield Headline(_("In customs over 48 hours"), counted(in_customs), _oldest(since, now), link)
    waiting = guides.to_review()
    link = list_of("guide", work="review")
    yield Headline(_("To review"), counted(waiting), _oldest(_first_received(waiting), now), link)


def _first_received(waiting: QuerySet[Guide]) -> datetime | None:
    oldest = waiting.order_by("id").values("pk")[:1]  # from an index, which `created_at` is not in
    return Guide.objects.filter(pk=oldest).values_list("created_at", flat=True).first()


def _oldest(since: datetime | None, now: datetime) -> str:
    return gettext("The oldest: %s") % timesince(since, now, depth=1) if since else gettext("None")
