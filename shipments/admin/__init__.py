"""The operators' admin for manifests, guides and flights. It calls the same functions as the commands and views."""

from shipments.admin import (  # noqa: F401  # Django's autodiscovery imports only this package
    carriers,
    event_imports,
    flights,
    guides,
    manifests,
    refused_requests,
    upload_jobs,
    workbook_formats,
)
