"""The operators' admin for manifests, guides and flights. It calls the same functions as the commands and views."""

from shipments.admin import flights, guides, manifests  # noqa: F401  # Django's autodiscovery imports only this package
