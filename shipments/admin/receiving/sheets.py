"""What the warehouse prints: the differences of a batch, and labels for parcels without a barcode."""

from collections.abc import Sequence
from itertools import groupby
from typing import Any, NamedTuple

import segno
from barcode import Code128
from django import forms
from django.core.paginator import Paginator
from django.db.models import Q, QuerySet
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from companies.scope import Scope
from shipments.inbound import differences
from shipments.labels import CITY_LABELS
from shipments.models import Guide, InboundBatch

LABELS_A_PAGE = 200
"""Printed at once: some seconds of a browser's work."""
MOST_LISTED = 1_000
_QUIET = 10
"""Modules of white beside the bars, as Code 128 asks for."""


class Label(NamedTuple):
    """A label. city_name: what a city is called there; qr, bars: pictures of the tracking code."""

    tracking_code: str
    hawb: str
    mawb: str
    city_name: str | Promise
    city: str
    qr: SafeString
    bars: SafeString


class LabelsForm(forms.Form):
    """Which labels, on which paper. Without anything sent: the missing, by A6."""

    A6, A4 = "a6", "a4"
    MISSING, ALL = "missing", "all"

    size = forms.ChoiceField(
        label=_("Paper"), required=False,
        choices=[(A6, _("A6, one label")), (A4, _("A4, eight labels"))],
    )  # fmt: skip
    which = forms.ChoiceField(
        label=_("Parcels"), required=False,
        choices=[(MISSING, _("The missing")), (ALL, _("All that are expected"))],
    )  # fmt: skip
    codes = forms.CharField(
        label=_("Only these"), required=False, max_length=2000,
        help_text=_("Tracking codes or HAWBs, with commas or blanks between them."),
    )  # fmt: skip

    def guides_of(self, batch: InboundBatch) -> QuerySet[Guide]:
        sent = self.cleaned_data if self.is_valid() else {}
        expected = differences.expected(batch).select_related("manifest").order_by("manifest_id", "id")
        if codes := sent.get("codes", "").replace(",", " ").upper().split():
            return expected.filter(Q(tracking_code__in=codes) | Q(hawb__in=codes))
        if sent.get("which") == self.ALL:
            return expected
        return differences.missing(batch).select_related("manifest")

    @property
    def paper(self) -> str:
        is_a4 = self.is_valid() and self.cleaned_data["size"] == self.A4
        return self.A4 if is_a4 else self.A6


def label_page(guides: QuerySet[Guide], number: str | None) -> tuple[Any, Sequence[Label]]:
    """Return a page of a paginator, and its labels."""
    page, labels = Paginator(guides, LABELS_A_PAGE).get_page(number), []
    for guide in page:
        code, manifest = guide.tracking_code, guide.manifest
        city_name, pictures = CITY_LABELS.get(manifest.country, _("city")), (draw_qr(code), draw_bars(code))
        labels.append(Label(code, guide.hawb, manifest.mawb, city_name, guide.consignee_city, *pictures))
    return page, labels


def draw_qr(code: str) -> SafeString:
    picture = segno.make(code, micro=False, error="m").svg_inline(omitsize=True, svgclass="label-qr", border=4)
    return format_html("{}", SafeString(picture))


def draw_bars(code: str) -> SafeString:
    """Return a Code 128 as SVG: one rectangle for each run of black modules."""
    path, at = [], _QUIET
    for module, run in groupby(Code128(code).build()[0]):
        width = len(list(run))
        if module == "1":
            path.append(f"M{at} 0h{width}v1H{at}z")
        at += width
    return format_html(
        '<svg class="label-bars" viewBox="0 0 {} 1" preserveAspectRatio="none" role="img" aria-label="{}">'
        '<path d="{}"/></svg>',
        at + _QUIET, code, "".join(path),
    )  # fmt: skip


def difference_sheet(batch: InboundBatch, scope: Scope) -> dict[str, Any]:
    """Return what the sheet of a batch's differences shows, as things stand. scope: of the operator."""
    parts = [
        (_("Missing"), differences.missing(batch)),
        (_("Packages short"), differences.short(batch)),
        (_("Packages over"), differences.over(batch)),
    ]
    surplus = differences.surplus(batch)[:MOST_LISTED]
    return {
        "batch": batch,
        "mawbs": sorted({manifest.mawb for manifest in batch.manifests.all()}),
        "now": timezone.now(),
        "counts": differences.counts_of(batch),
        "parts": [(title, rows.select_related("manifest")[:MOST_LISTED]) for title, rows in parts],
        "surplus": [(scan, differences.seen_guide(scan, scope)) for scan in surplus],
    }
