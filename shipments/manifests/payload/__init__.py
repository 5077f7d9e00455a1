"""The canonical JSON document: one pre-alert for one of the served countries.

The caller asks in this order and puts its own questions (rights, tracking prefix) between: `client_code`,
`destination`, `read_manifest`, `marketplace_problems`. Nothing here knows a company.
"""

from shipments.manifests.payload.body import MANIFEST_FIELDS, client_code, destination, read_manifest
from shipments.manifests.payload.marketplace import marketplace_problems
from shipments.manifests.payload.products import PRODUCT_FIELDS

__all__ = [
    "MANIFEST_FIELDS",
    "PRODUCT_FIELDS",
    "client_code",
    "destination",
    "marketplace_problems",
    "read_manifest",
]
