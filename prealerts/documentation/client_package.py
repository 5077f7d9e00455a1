"""The Python client as an archive that pip installs from an address."""

import io
import zipfile
from functools import cache

from prealerts.documentation.pages import ROOT

SOURCE = ROOT / "clients" / "python"
_PATTERNS = ("pyproject.toml", "README.md", "src/prealerts_client/*")


@cache
def client_archive() -> bytes:
    """A zip of the package's sources, the same bytes each time."""
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(path for pattern in _PATTERNS for path in SOURCE.glob(pattern) if path.is_file()):
            entry = zipfile.ZipInfo(f"prealerts-client/{path.relative_to(SOURCE).as_posix()}")
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, path.read_bytes())
    return written.getvalue()
