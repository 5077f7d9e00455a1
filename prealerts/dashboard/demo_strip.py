"""What to try first in the demonstration that `make demo` makes."""

from typing import Any, NamedTuple

from django.contrib.auth import get_user_model
from django.urls import reverse
from django.utils import timezone

from shipments.admin.filters import arriving
from shipments.models import Layout, Manifest

OPERATOR = "demo-operations"


class Strip(NamedTuple):
    """Links, and the MAWB to receive; empty for what the operator may not see."""

    search: str
    layout: str
    receive: str
    mawb: str


def demo_strip(user: Any) -> Strip | None:  # noqa: ANN401  # a user
    """Return what to try; None where there is no demonstration."""
    if not get_user_model().objects.filter(username=OPERATOR).exists():
        return None
    waiting = Layout.objects.visible_to(user).waiting().filter(company__client_code="PACIFICO").first()
    peru = Manifest.objects.visible_to(user).filter(arriving(timezone.now(), 0, 1), mawb__startswith="544-")
    return Strip(
        search=reverse("admin:shipments_guide_changelist", query={"q": "quispe"}),
        layout=reverse("admin:shipments_layout_change", args=[waiting.pk]) if waiting else "",
        receive=reverse("receive"),
        mawb=peru.order_by("-eta").values_list("mawb", flat=True).first() or "",
    )
