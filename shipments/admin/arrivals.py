"""When a manifest arrives, as operators read it."""

from companies.countries import SERVED
from shipments.models import Manifest


def eta_text(manifest: Manifest) -> str:
    """Return the estimated arrival by the destination's clock, with its offset; empty if unknown."""
    if manifest.eta is None:
        return ""
    local = manifest.eta.astimezone(SERVED[manifest.country].clock)
    return f"{local:%Y-%m-%d %H:%M} {local.isoformat()[-6:]}"
