"""Send a manifest and follow its guides.

PREALERTS_PASSWORD=pa_live_... python client.py ADDRESS MANIFEST [--dry-run | --watch]

ADDRESS: of the service, such as https://prealerts.example.com. MANIFEST: an .xlsx, or a .json for the JSON endpoint.
--dry-run: try the manifest, and store nothing. --watch: report each change of status afterwards.
Needs the package prealerts-client: `pip install ADDRESS/docs/examples/prealerts-client.zip`.
"""

import json
import os
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from prealerts_client import ApiError, Client


def try_out(client: Client, manifest: Path) -> None:
    """Print what would become of the manifest, and each problem."""
    tried = (
        client.validate_manifest(json.loads(manifest.read_text(encoding="utf-8")))
        if manifest.suffix == ".json"
        else client.validate_workbook(manifest)
    )
    for refusal in filter(None, (tried["refusal"], *tried["further_refusals"])):
        print(f"refused: {refusal['error']}:", refusal["message"])
        for row in refusal.get("invalid_rows", []):
            print(f"row {row['row_index']}:", row["field"], row["message"])
    report([*tried["warnings"], *tried["notices"]])
    print(tried["guides_found"], "guides would be created" if tried["would_create"] else "guides found, none created")


def report(findings: Iterable[Mapping[str, Any]]) -> None:
    """Print warnings and notices."""
    for finding in findings:
        row = finding["row_index"]  # None where it is about the whole manifest
        print("manifest:" if row is None else f"row {row}:", finding["message"])


def main(address: str, manifest: Path, *, is_trial: bool, is_watching: bool) -> None:
    with Client(address, os.environ["PREALERTS_PASSWORD"]) as client:
        if is_trial:
            try_out(client, manifest)
            return
        created = (
            client.post_manifest(json.loads(manifest.read_text(encoding="utf-8")))
            if manifest.suffix == ".json"
            else client.upload_manifest(manifest)
        )
        report([*created["warnings"], *created["notices"]])
        for guide in created["guides"]:
            print(guide["hawb"], guide["tracking_code"])
        if is_watching:
            known = {created["mawb"]: {guide["tracking_code"]: 1 for guide in created["guides"]}}
            for change in client.watch(known):  # for ever; keep `known` where you keep your data
                print(change.mawb, change.tracking_code, change.status or "voided", flush=True)


if __name__ == "__main__":
    arguments = [each for each in sys.argv[1:] if each not in {"--dry-run", "--watch"}]
    if len(arguments) != 2:
        sys.exit(__doc__)
    try:
        is_trial, is_watching = "--dry-run" in sys.argv, "--watch" in sys.argv
        main(arguments[0], Path(arguments[1]), is_trial=is_trial, is_watching=is_watching)
    except ApiError as refusal:
        sys.exit(f"{refusal}\n{json.dumps(refusal.body, indent=2, ensure_ascii=False)}")
