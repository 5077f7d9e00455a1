"""A scanner's day: open an inbound batch, send what was scanned, close it, and print what is missing or too much.

CLIENT_ID=oa_... CLIENT_SECRET=pa_op_... python scanner_day.py ADDRESS FACILITY COUNTRY CODES MAWB [MAWB ...]

ADDRESS: of the service. CODES: a file with a scanned code a line, tracking codes or HAWBs. Each line becomes a scan
with an id of its own, so that a scan that is sent twice over a bad network counts once. Needs operators.py beside it.
"""

import os
import sys
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import uuid4

from operators import Operators, Refused

AT_ONCE = 100


def receive(api: Operators, facility: str, country: str, mawbs: list[str], codes: list[str]) -> dict[str, Any]:
    """Return the closed batch. codes: as scanned."""
    batch = api.call("POST", "inbound-batches", {"facility": facility, "country": country, "mawbs": mawbs})
    scans = [{"scan_id": str(uuid4()), "code": code, "scanned_at": datetime.now(UTC).isoformat()} for code in codes]
    seen: Counter[str] = Counter()
    for start in range(0, len(scans), AT_ONCE):
        sent = {"scans": scans[start : start + AT_ONCE]}
        answer = api.call("POST", f"inbound-batches/{batch['id']}/scans", sent)
        # `repeated` is a scan whose first answer was lost; `first_outcome` says what it was.
        seen.update(result.get("first_outcome", result["outcome"]) for result in answer["results"])
    print(", ".join(f"{outcome}: {count}" for outcome, count in seen.most_common()))
    closed: dict[str, Any] = api.call("POST", f"inbound-batches/{batch['id']}/close", {})
    return closed


def main() -> int:
    if len(sys.argv) < 6 or not {"CLIENT_ID", "CLIENT_SECRET"} <= os.environ.keys():
        sys.exit(__doc__)
    address, facility, country, codes, *mawbs = sys.argv[1:]
    api = Operators(address, os.environ["CLIENT_ID"], os.environ["CLIENT_SECRET"])
    lines = [line.strip() for line in Path(codes).read_text(encoding="utf-8").splitlines()]
    try:
        batch = receive(api, facility, country, mawbs, [line for line in lines if line])
    except Refused as refused:
        print(refused, file=sys.stderr)
        return 1
    counts = batch["counts"]
    print(f"{batch['id']}: {counts['matched']} of {counts['expected']} arrived")
    for guide in batch["missing"]:
        print("missing:", guide["tracking_code"], guide["mawb"], guide["hawb"])
    for scan in batch["surplus"]:
        print("surplus:", scan["code"], scan.get("mawb", ""))
    for name in ("packages_short", "packages_over"):
        for guide in batch[name]:
            print(f"{name}:", guide["tracking_code"], guide["scanned"], "of", guide["expected"])
    return 0


if __name__ == "__main__":
    sys.exit(main())
