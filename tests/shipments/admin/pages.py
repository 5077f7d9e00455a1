"""URLs of the admin, the parameters of its actions, and what its pages contain."""

from typing import Any

from django.contrib.admin.models import LogEntry
from django.test import Client
from django.urls import reverse

from base.admin.activity import act_in_words
from shipments.models import Guide, Manifest

GUIDES = reverse("admin:shipments_guide_changelist")
MANIFESTS = reverse("admin:shipments_manifest_changelist")


def of_guide(guide: Guide, name: str = "change") -> str:
    return reverse(f"admin:shipments_guide_{name}", args=[guide.pk])


def of_manifest(manifest: Manifest, name: str = "change") -> str:
    return reverse(f"admin:shipments_manifest_{name}", args=[manifest.pk])


def ticked(action: str, *guides: Guide, **more: Any) -> dict[str, Any]:
    """What the list sends when `action` is run on what is ticked."""
    return {"action": action, "_selected_action": [guide.pk for guide in guides], **more}


def told(status: str, **more: Any) -> dict[str, Any]:
    """What the form of a fact sends."""
    return {"status": status, "source": "operator", "zone": "America/Santiago", **more}


def preview_of(browser: Client, address: str, sent: dict[str, Any]) -> Any:
    """The page that the form of a move leads to."""
    return browser.post(address, {"step": "preview", **sent}, follow=True)


def moved(browser: Client, address: str, sent: dict[str, Any]) -> Any:
    """The page after the move is confirmed."""
    return browser.post(preview_of(browser, address, sent).redirect_chain[-1][0], {"step": "run"}, follow=True)


def text_of(response: Any) -> str:
    assert response.status_code == 200, response.status_code
    return str(response.content.decode())


def logged(guide: Guide) -> list[str]:
    """What the admin's log says of a guide, oldest first."""
    entries = LogEntry.objects.filter(object_id=str(guide.pk)).order_by("pk")
    return [act_in_words(entry) for entry in entries]


def listed(response: Any) -> list[Any]:
    """The rows of a list."""
    return list(response.context["cl"].result_list)
