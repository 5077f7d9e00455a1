"""The form of an upload: a workbook, perhaps its invoice, and what is known of the flight."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
_KINDS = {"manifest_file": XLSX, "invoice_file": "application/pdf"}


def upload_form(
    manifest: str | Path, invoice: str | Path | None, flight: Mapping[str, str]
) -> Callable[[], dict[str, Any]]:
    """Make the form of an upload; the files are read anew for each attempt."""
    paths = {"manifest_file": Path(manifest)} | ({"invoice_file": Path(invoice)} if invoice else {})

    def content() -> dict[str, Any]:
        files = {name: (path.name, path.read_bytes(), _KINDS[name]) for name, path in paths.items()}
        return {"files": files, "data": flight}

    return content
