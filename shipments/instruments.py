"""The metrics of this app, counted after each commit. `/metrics` combines them over all workers.

Counts made by commands end with their process. What commands record is in the database, not in these metrics.
"""

from prometheus_client import Counter, Histogram

PARSE_SECONDS = Histogram(
    "prealerts_workbook_parse_seconds",
    "Time to read a workbook, from its bytes to rows or a refusal, without waiting for a slot.",
    buckets=(0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30),
)
GUIDES_CREATED = Counter("prealerts_guides_created", "Guides created.", ["channel", "country"])
UPLOAD_JOBS = Counter("prealerts_upload_jobs", "Upload jobs that ended, by outcome.", ["outcome"])
EVENTS_RECORDED = Counter(
    "prealerts_events_recorded", "Events recorded on timelines, by source and outcome.", ["source", "outcome"]
)
CARRIER_RECEIPTS = Counter(
    "prealerts_carrier_receipts", "Attempts to process what carriers sent, by how they ended.", ["carrier", "state"]
)
CARRIER_EVENTS = Counter(
    "prealerts_carrier_events", "Events that carriers reported, by what became of them.", ["carrier", "outcome"]
)
