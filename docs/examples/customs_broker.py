"""A customs broker's file of releases: tried as a whole first, then reported.

CLIENT_ID=oa_... CLIENT_SECRET=pa_op_... python customs_broker.py ADDRESS RELEASES [COUNTRY]

RELEASES: a CSV file with the columns mawb, hawb, declaration, channel (green, orange or red), and country unless
COUNTRY is given for all rows; as Excel saves it in any country, with commas or semicolons. Nothing is written if one
row is refused; running it again repeats nothing. Needs operators.py beside it.
"""

import csv
import os
import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from operators import Operators, Refused

AT_ONCE = 200


def rows_of(content: bytes) -> list[dict[str, str]]:
    """Return the rows of a CSV file."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = content.decode("cp1252")  # `CSV` of an Excel in Spanish
    lines = text.splitlines()
    return list(csv.DictReader(lines, delimiter=";" if lines and ";" in lines[0] else ","))


def calls_of(rows: Iterable[Mapping[str, str]], country: str) -> list[dict[str, Any]]:
    """Return the bodies to send: one for each country, declaration and channel, of at most 200 guides."""
    groups: dict[tuple[str, str, str], list[str]] = defaultdict(list)
    for row in rows:
        key = (country or row["country"], row["declaration"], row["channel"])
        groups[key].append(f"{row['mawb']}/{row['hawb']}")
    return [
        {
            "ids": ids[start : start + AT_ONCE],
            "country": of_country,
            "customs_status": "released",
            "declaration": declaration,
            "channel": channel,
        }
        for (of_country, declaration, channel), ids in groups.items()
        for start in range(0, len(ids), AT_ONCE)
    ]


def problems(api: Operators, calls: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return what the service would refuse, without writing anything."""
    found = []
    for call in calls:
        try:
            results = api.call("POST", "guides/bulk-customs-status", {**call, "dry_run": True})["results"]
        except Refused as refused:
            found.append(str(refused))
            found += [
                f"{each['id']} is of {each.get('country', 'a country that you do not see')}"
                for each in refused.answer.get("mismatched", [])
            ]
        else:
            found += [f"{each['id']}: {each['error']}" for each in results if each["outcome"] == "refused"]
    return found


def main() -> int:
    if len(sys.argv) not in {3, 4} or not {"CLIENT_ID", "CLIENT_SECRET"} <= os.environ.keys():
        sys.exit(__doc__)
    address, file, *country = sys.argv[1:]
    api = Operators(address, os.environ["CLIENT_ID"], os.environ["CLIENT_SECRET"])
    calls = calls_of(rows_of(Path(file).read_bytes()), country[0] if country else "")
    if refused := problems(api, calls):
        print("nothing was reported:", *refused, sep="\n", file=sys.stderr)
        return 1
    for call in calls:
        counts = api.call("POST", "guides/bulk-customs-status", call)["counts"]
        said = ", ".join(f"{outcome}: {count}" for outcome, count in counts.items())
        print(call["country"], call["declaration"], said)
    return 0


if __name__ == "__main__":
    sys.exit(main())
