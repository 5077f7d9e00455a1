"""Whose clock a time typed as text shows: the choices, and the drop-down that brings them up."""

from collections.abc import Collection
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy
from unfold.widgets import UnfoldAdminSelectWidget

from shipments.manifests.mapped.spec import time_zones

_REGIONS = ("Africa", "America", "Asia", "Atlantic", "Australia", "Europe", "Indian", "Pacific")


class ClockField(forms.ChoiceField):
    """Whose clock the times show."""

    def __init__(self) -> None:
        super().__init__(
            label=_("Clock of times typed as text"),
            help_text=_("A time with its own offset, such as 14:30 -05:00, is read by that."),
            required=False,
            widget=UnfoldAdminSelectWidget,
        )

    def offer(self, chosen: str) -> None:
        """Fill in the choices. chosen: what the format says already."""
        zones = [zone for zone in sorted(time_zones()) if zone.partition("/")[0] in _REGIONS or zone == chosen]
        self.choices = [
            ("", pgettext_lazy("clock", "Each airport's own")),
            ("origin", _("Of the origin")),
            ("destination", _("Of the destination")),
            ("UTC", "UTC"),
            (_("Of a time zone"), [(zone, zone.replace("_", " ")) for zone in zones if zone != "UTC"]),
        ]


class ClockedSelect(UnfoldAdminSelectWidget):
    """A drop-down whose options for times typed as text are marked, so that a style can bring up their clock."""

    clocked: Collection[str] = ()

    def create_option(self, *args: Any, **kwargs: Any) -> dict[str, Any]:  # noqa: ANN401  # Django's signature
        """As Django's, with the mark."""
        option: dict[str, Any] = super().create_option(*args, **kwargs)
        if str(option["value"]) in self.clocked:
            option["attrs"]["data-clock"] = True
        return option
