"""Admin pages for the subjects of webhook events: a guide by its tracking code, a manifest by its MAWB."""

from django.urls import reverse

from shipments.models import Guide, Manifest
from webhooks import subjects


def page_of(company_id: int, subject: str) -> str | None:
    """Return the path of the page; None if the subject is not found, such as a voided manifest whose data is gone."""
    guide = Guide.objects.filter(tracking_code=subject).values_list("pk", flat=True).first()
    if guide is not None:
        return reverse("admin:shipments_guide_change", args=[guide])
    manifests = Manifest.objects.filter(company_id=company_id, mawb=subject).order_by("-created_at")
    manifest = manifests.values_list("pk", flat=True).first()
    return None if manifest is None else reverse("admin:shipments_manifest_change", args=[manifest])


subjects.shown_by(page_of)
