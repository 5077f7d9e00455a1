"""The operators' admin for manifests, guides and flights. It calls the same functions as the commands and views."""

from shipments.admin import (  # noqa: F401  # Django's autodiscovery imports only this package
    bulk_moves,
    carriers,
    chores,
    flights,
    guides,
    inbound_batches,
    layouts,
    manifests,
    outgoing_layouts,
    privacy_pages,
    refused_requests,
    upload_jobs,
)
