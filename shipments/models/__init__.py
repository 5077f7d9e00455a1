"""Manifests, guides and events. The database enforces the rules with named constraints."""

from shipments.models.event_imports import EventImport, EventImportQuerySet, ImportState
from shipments.models.events import GuideEvent
from shipments.models.flights import Flight, FlightQuerySet
from shipments.models.guides import Guide, GuideQuerySet
from shipments.models.manifests import LIST_WINDOW, Channel, FileKind, Manifest, ManifestFile, ManifestQuerySet

__all__ = [
    "LIST_WINDOW",
    "Channel",
    "EventImport",
    "EventImportQuerySet",
    "FileKind",
    "Flight",
    "FlightQuerySet",
    "Guide",
    "GuideEvent",
    "GuideQuerySet",
    "ImportState",
    "Manifest",
    "ManifestFile",
    "ManifestQuerySet",
]
