"""Manifests, guides, events. The database knows the law and says its name: every constraint is named."""

from shipments.models.events import GuideEvent
from shipments.models.flights import Flight, FlightQuerySet
from shipments.models.guides import Guide, GuideQuerySet
from shipments.models.manifests import LIST_WINDOW, Channel, FileKind, Manifest, ManifestFile, ManifestQuerySet

__all__ = [
    "LIST_WINDOW",
    "Channel",
    "FileKind",
    "Flight",
    "FlightQuerySet",
    "Guide",
    "GuideEvent",
    "GuideQuerySet",
    "Manifest",
    "ManifestFile",
    "ManifestQuerySet",
]
