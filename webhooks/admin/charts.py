"""The last 24 hours of a subscription as data and options for Chart.js, in JSON."""

import json
from typing import Any

from django.utils.timezone import localtime
from django.utils.translation import gettext as _

from webhooks.admin.statistics import Day

_GREY = "#9ca3af"
_GREEN, _RED, _AMBER = "var(--color-green-500)", "var(--color-red-500)", "var(--color-orange-400)"
_STRONG, _WEAK = "var(--color-primary-600)", "var(--color-primary-300)"


def outcomes(day: Day) -> dict[str, str]:
    """Deliveries that succeeded, failed and wait, stacked, by hour."""
    bars = [
        {"label": _("Delivered"), "data": [hour.delivered for hour in day.hours], "backgroundColor": _GREEN},
        {"label": _("Failed"), "data": [hour.failed for hour in day.hours], "backgroundColor": _RED},
        {"label": _("Waiting"), "data": [hour.waiting for hour in day.hours], "backgroundColor": _AMBER},
    ]
    return _chart(day, [bar | {"borderRadius": 3, "borderSkipped": False} for bar in bars], is_stacked=True)


def latencies(day: Day) -> dict[str, str]:
    """The median and 95th percentile of response times in milliseconds, by hour."""
    lines = [
        {"label": _("median"), "data": [hour.within_ms(0.5) for hour in day.hours], "borderColor": _STRONG},
        {"label": _("95th percentile"), "data": [hour.within_ms(0.95) for hour in day.hours], "borderColor": _WEAK},
    ]
    style = {"borderWidth": 2, "pointRadius": 2, "stepped": False, "spanGaps": False}
    return _chart(day, [line | style for line in lines], suffix=" ms")


def _chart(day: Day, datasets: list[dict[str, Any]], *, is_stacked: bool = False, suffix: str = "") -> dict[str, str]:
    ticks = {"color": _GREY, "maxRotation": 0}
    options = {
        "animation": False,
        "maintainAspectRatio": False,
        "interaction": {"mode": "index", "intersect": False},
        "plugins": {"legend": {"align": "end", "labels": {"color": _GREY, "boxWidth": 8, "boxHeight": 8}}},
        "scales": {
            "x": {"stacked": is_stacked, "grid": {"display": False}, "ticks": ticks | {"maxTicksLimit": 9}},
            "y": {
                "stacked": is_stacked,
                "beginAtZero": True,
                "ticks": ticks | {"precision": 0, "maxTicksLimit": 5},
                "title": {"display": bool(suffix), "text": suffix.strip(), "color": _GREY},
            },
        },
    }
    labels = [localtime(hour.began_at).strftime("%H:00") for hour in day.hours]
    return {"data": json.dumps({"labels": labels, "datasets": datasets}), "options": json.dumps(options)}
