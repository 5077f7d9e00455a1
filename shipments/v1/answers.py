"""The output contract: what the API says of manifests, guides and events.

Plain functions from rows to dicts. DRF's serializers copy every field for every object; for 50,000 guides, and for
the reads that integrators script against, that was most of the time.
"""

from collections.abc import Iterable
from datetime import datetime
from decimal import Decimal

from shipments.intake.ingest import Ingested
from shipments.models import Manifest
from shipments.statuses import GuideStatus, mawb_status
from shipments.v1.guide_reading import EventRow, GuideRow
from shipments.wording.stored import answered_notice, answered_warning

_CODES = {status.value: status.code for status in GuideStatus}


def mawb_head(manifest: Manifest) -> dict[str, object]:
    """What list and detail both say of a MAWB."""
    return {
        "manifest_id": str(manifest.id),
        "mawb": manifest.mawb,
        "status": mawb_status(manifest.guides_by_status),
        "eta": manifest.eta_text,
        "total_guides": manifest.total_guides,
        "total_weight_kg": _number(manifest.total_weight_kg),
        "total_pieces": manifest.total_pieces,
        "total_fob_usd": _number(manifest.total_fob_usd),
        "guides_by_status": manifest.guides_by_status,
    }


def mawb_list_item(manifest: Manifest) -> dict[str, object]:
    """A MAWB in the list."""
    return {**mawb_head(manifest), "created_at": iso_text(manifest.created_at)}


def mawb_detail(manifest: Manifest, guides: Iterable[tuple[str, str, str]]) -> dict[str, object]:
    """A MAWB with its guides, each (hawb, tracking_code, status)."""
    return {
        **mawb_head(manifest),
        "guides": [
            {"hawb": hawb, "tracking_code": tracking_code, "status": status, "status_code": _CODES[status]}
            for hawb, tracking_code, status in guides
        ],
    }


def guide_detail(guide: GuideRow, timeline: Iterable[EventRow]) -> dict[str, object]:
    """One guide with its timeline, oldest first."""
    return {
        "hawb": guide.hawb,
        "tracking_code": guide.tracking_code,
        "mawb": guide.mawb,
        "status": guide.status,
        "status_code": _CODES[guide.status],
        "consignee_name": guide.consignee_name,
        "weight_kg": _number(guide.weight_kg),
        "packages_count": guide.packages_count,
        "description_original": guide.description_original,
        "fob_usd": _number(guide.fob_usd),
        "events": [
            {
                "status": event.status,
                "status_code": _CODES[event.status],
                "timestamp": iso_text(event.occurred_at),
                "source": event.source,
            }
            for event in timeline
        ],
    }


def upload_result(ingested: Ingested) -> dict[str, object]:
    """The answer to a pre-alert that was taken in."""
    manifest = ingested.manifest
    return {
        "success": True,
        "manifest_id": str(manifest.id),
        "flight_id": str(manifest.flight_id),
        "mawb": manifest.mawb,
        "eta": manifest.eta_text,
        "guides_created": manifest.total_guides,
        "guides": [{"hawb": hawb, "tracking_code": code} for hawb, code in ingested.codes],
        "rut_invalid_count": manifest.rut_invalid_count,
        "warnings": [answered_warning(warning) for warning in manifest.warnings],
        "notices": [answered_notice(notice) for notice in manifest.notices],
    }


def iso_text(moment: datetime) -> str:
    """ISO 8601 with Z: the database gives moments back in UTC."""
    return moment.isoformat().replace("+00:00", "Z")


def _number(value: Decimal | float | None) -> float | None:
    """A decimal of the database as a JSON number; unknown stays null."""
    return None if value is None else float(value)
