"""Reading in this process, without a server or a database: JSON rows, and recognising a client's format."""

import gc
import json
import statistics
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.harness import Figure, run, seconds, size
from shipments.manifests.guide_fields import GUIDE_FIELDS
from shipments.manifests.mapped.recognise import recognise
from shipments.manifests.mapped.spec import FormatInUse, from_json
from shipments.manifests.payload import strict_json
from shipments.manifests.payload.body import destination, read_manifest
from shipments.manifests.xlsx import opening
from tests.books import HEADER, guide_row, workbook_bytes

ROWS = size(5_000, 200)
FORMATS = 5
FIELDS = (
    "hawb", "consignee_name", "consignee_document", "consignee_address", "consignee_city", "consignee_phone",
    "description_original", "weight_kg", "packages_count", "fob_usd",
)  # fmt: skip


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


def format_file(number: int = 0) -> dict[str, Any]:
    """A client's format. number: 0 for the layout of `tests.books`, others for layouts with other headings."""
    columns = [
        {"heading": heading if not number or place % 3 else f"{heading} {number}", "field": field}
        | ({"unit": "kg"} if field == "weight_kg" else {})
        for place, (heading, field) in enumerate(zip(HEADER, FIELDS, strict=True))
    ]
    return {
        "prealerts_format": 1, "name": f"Benchmark {number}", "country": "CL", "header_rows": 1, "columns": columns,
        "mawb": {"label": "MAWB"}, "destination": {"label": "Destino"},
    }  # fmt: skip


def measure(_url: str) -> Iterator[Figure]:
    """The figures of reading."""
    yield Figure("a JSON row with two products", _json_seconds() / ROWS * 1e6, "us")
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "manifest.xlsx"
        path.write_bytes(workbook_bytes(map(guide_row, range(ROWS))))
        in_use = [
            FormatInUse(number, f"Format {number}", 1, from_json(format_file(number))) for number in range(FORMATS)
        ]
        with opening.reading(path) as book:
            times = [seconds(lambda: recognise(book, in_use)) for _ in range(25)]
        yield Figure("recognise one of five formats", statistics.median(times) * 1000, "ms")


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
