"""The canonical JSON document: one pre-alert for one of the served countries.

The caller calls these in order, with its own checks (rights, tracking prefix) in between: `client_code`, `destination`,
`read_manifest`, `marketplace_problems`. Nothing here depends on a company.
"""

from shipments.manifests.payload.body import MANIFEST_FIELDS, client_code, destination, read_manifest
from shipments.manifests.payload.guides import marketplace_problems
from shipments.manifests.payload.products import PRODUCT_FIELDS

__all__ = [
    "MANIFEST_FIELDS",
    "PRODUCT_FIELDS",
    "client_code",
    "destination",
    "marketplace_problems",
    "read_manifest",
]
