"""What checking one row of the canonical JSON document costs, the reading of JSON and the database left aside.

Run with `python -m benchmarks.web.validation`. The figure to reach is 60 microseconds a row of two products.
"""

import gc
import json
import time

from benchmarks.figures import Figure, Measured, table
from benchmarks.scale import SCALE
from shipments.manifests import payload
from shipments.manifests.guide_fields import GUIDE_FIELDS
from shipments.manifests.payload import strict_json

ROWS = 5_000
RUNS = SCALE.checked_times
TARGET_MICROSECONDS = 60


def document(rows: int, mawb: str = "123-12345675") -> bytes:
    """A manifest for Peru as a client sends it: every field filled, two products in each row."""
    guides = [
        {
            **{field.name: field.example for field in GUIDE_FIELDS},
            "hawb": f"HAWB{number:06}",
            "consignee_name": "Quispe Mamani, Rosa María",
            "consignee_document_type": "RUC",
            "consignee_document": "20512333797",
            "consignee_address": "Av. José Larco 1301, Miraflores",
            "consignee_city": "Lima",
            "consignee_region": "Lima",
            "consignee_postal_code": "15074",
            "consignee_phone": "+51 999 888 777",
            "consignee_email": "rosa@example.com",
            "shipper_name": "Acme Export Inc.",
            "weight_kg": 1.2,
            "packages_count": 1,
            "description_original": "Running shoes, cotton socks",
            "product_value": 131.98,
            "fob_usd": 131.98,
            "hs_code": "6404.11.00.00",
            "category": 2,
            "platform_name": "shop",
            "products": [
                {"description": "Shoes", "quantity": 1, "unit_value": 119.99, "weight_kg": 0.9, "hs_code": "640411"},
                {"description": "Socks", "quantity": 3, "unit_value": 3.9967, "weight_kg": 0.3, "hs_code": "6115.95"},
            ],
            "extra_data": {"order": f"O-{number}"},
        }
        for number in range(rows)
    ]  # fmt: skip
    body = {"mawb": mawb, "transport_mode": "air", "destination_airport": "LIM", "guides": guides}
    return json.dumps(body, ensure_ascii=False).encode()


def microseconds_a_row(rows: int = ROWS, runs: int = RUNS) -> float:
    """Processor time of `payload.read_manifest` by row, the best of `runs`: other work on the machine only adds."""
    body = strict_json.loads(document(rows))
    assert isinstance(body, dict)
    transport_mode, country = payload.destination(body)
    best = float("inf")
    for _ in range(runs):
        gc.collect()
        started = time.process_time()
        manifest = payload.read_manifest(body, transport_mode, country)
        best = min(best, time.process_time() - started)
        assert len(manifest.guides) == rows
        assert manifest.warnings == ()
    return best / rows * 1_000_000


def measure() -> Measured:
    """The figure beside its target."""
    cost = microseconds_a_row()
    figure = Figure(
        "validation of a JSON row with two products, us",
        f"{cost:.1f}",
        f"at most {TARGET_MICROSECONDS}",
        cost <= TARGET_MICROSECONDS,
    )
    return Measured((figure,))


if __name__ == "__main__":
    print(table(measure().figures))
