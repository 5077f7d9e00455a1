"""The operators' desk: manifests, guides and flights, over the same verbs that commands and views use."""

from shipments.admin import flights, guides, manifests  # noqa: F401  # Django's autodiscovery imports this package alone
