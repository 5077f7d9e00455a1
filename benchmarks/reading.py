"""Reading in this process, without a server or a database: JSON rows."""

import gc
import json
import time
from collections.abc import Iterator

from benchmarks.harness import Figure, run, size
from shipments.manifests.guide_fields import GUIDE_FIELDS
from shipments.manifests.payload import strict_json
from shipments.manifests.payload.body import destination, read_manifest

ROWS = size(5_000, 200)


def document(rows: int, mawb: str = "123-12345675") -> bytes:
    """A manifest for Peru as a client sends it: every field filled, two products in each row."""
    guides = [
        {
            **{field.name: field.example for field in GUIDE_FIELDS},
            "hawb": f"HAWB{number:06}",
            "consignee_document_type": "RUC", "consignee_document": "20512333797", "weight_kg": 1.2,
            "product_value": 131.98, "fob_usd": 131.98, "hs_code": "6404.11.00.00", "category": 2,
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


def measure(_url: str) -> Iterator[Figure]:
    """The figures of reading."""
    yield Figure("a JSON row with two products", _json_seconds() / ROWS * 1e6, "us")


def _json_seconds() -> float:
    """Processor time of reading a parsed JSON manifest, the best of several: other work on the machine only adds."""
    body = strict_json.loads(document(ROWS))
    assert isinstance(body, dict)
    times = []
    for _ in range(size(15, 1)):
        gc.collect()
        started = time.process_time()
        manifest = read_manifest(body, *destination(body))
        times.append(time.process_time() - started)
        assert len(manifest.guides) == ROWS
        assert manifest.warnings == ()
    return min(times)


if __name__ == "__main__":
    run("reading", measure)
