"""A copy of the guides for the last mile: a SQLite file that follows the feed, and a CSV of what is out there.

CLIENT_ID=oa_... CLIENT_SECRET=pa_op_... python last_mile.py ADDRESS COPY.sqlite3 GUIDES.csv

Run it every few minutes. The access needs the role Operations. What was erased at the source is deleted here, too. The
files hold personal data: keep them where only the last mile reads them. Needs operators.py beside it.
"""

import csv
import json
import os
import sqlite3
import sys
from collections.abc import Mapping
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from operators import Operators, Refused

OVERLAP = timedelta(minutes=2)
"""A change may be committed a little after another with a later time."""
FORMULA = ("=", "+", "-", "@", "\t", "\r")
FIELDS = ("consignee_name", "consignee_address", "consignee_city", "consignee_region", "consignee_phone", "weight_kg")
_TABLES = """
CREATE TABLE IF NOT EXISTS guide (tracking_code PRIMARY KEY, updated_at, country, status, voided_at, fields);
CREATE TABLE IF NOT EXISTS mark (updated_at)
"""


def follow(api: Operators, copy: sqlite3.Connection) -> int:
    """Bring the copy up to date, and return how many rows were read. Each page is kept before the next is asked for."""
    copy.executescript(_TABLES)
    (last,) = copy.execute("SELECT max(updated_at) FROM mark").fetchone()
    since = datetime.fromisoformat(last or "2000-01-01T00:02:00+00:00") - OVERLAP
    query, read = {"updated_since": since.isoformat(), "fields": "all", "limit": "100"}, 0
    while True:
        page = api.call("GET", f"guides?{urlencode(query)}")
        with copy:
            for guide in page["guides"]:
                keep(copy, guide)
            if page["guides"]:
                newest = max(last or "", page["guides"][-1]["updated_at"].replace("Z", "+00:00"))
                copy.execute("DELETE FROM mark")
                copy.execute("INSERT INTO mark VALUES (?)", [newest])
        read += len(page["guides"])
        if page["next_cursor"] is None:
            return read
        query["cursor"] = page["next_cursor"]


def keep(copy: sqlite3.Connection, guide: Mapping[str, Any]) -> None:
    """Keep a guide as it stands now, or delete it if its personal data was erased."""
    copy.execute("DELETE FROM guide WHERE tracking_code = ?", [guide["tracking_code"]])
    if guide["anonymised_at"] is None:
        head = [guide[name] for name in ("tracking_code", "updated_at", "country", "status", "voided_at")]
        copy.execute("INSERT INTO guide VALUES (?, ?, ?, ?, ?, ?)", [*head, json.dumps(guide["guide"])])


def write(copy: sqlite3.Connection, path: str) -> None:
    """Write the guides that customs has released or that are on their way, with what a driver needs."""
    wanted = "SELECT tracking_code, status, fields FROM guide WHERE voided_at IS NULL AND status IN (?, ?, ?)"
    states = ("customs_released", "in_transit", "out_for_delivery")
    with Path(path).open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(["tracking_code", "status", *FIELDS])
        for code, status, fields in copy.execute(f"{wanted} ORDER BY tracking_code", states):
            values = json.loads(fields)
            # An apostrophe keeps a spreadsheet from taking a text for a formula.
            texts = ["" if values[name] is None else str(values[name]) for name in FIELDS]
            rows.writerow([code, status, *(f"'{text}" if text.startswith(FORMULA) else text for text in texts)])


if __name__ == "__main__":
    if len(sys.argv) != 4 or not {"CLIENT_ID", "CLIENT_SECRET"} <= os.environ.keys():
        sys.exit(__doc__)
    address, database, table = sys.argv[1:]
    program = Operators(address, os.environ["CLIENT_ID"], os.environ["CLIENT_SECRET"])
    with closing(sqlite3.connect(database)) as opened:
        try:
            print(f"{follow(program, opened)} rows read")
        except Refused as refused:
            sys.exit(str(refused))
        write(opened, table)
