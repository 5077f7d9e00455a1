"""`ERASURES_FILE`: finished erasures outside the database, so that a restore knows which ones to repeat.

A line has the digest of the person's documents, the time, and the case reference, separated by tabs.
"""

import os
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from django.conf import settings

from shipments.models import Erasure


def append(receipt: Erasure, finished_at: datetime) -> None:
    """Write a line, durably; nothing where the setting is empty. Raises `OSError`."""
    if not settings.ERASURES_FILE:
        return
    line = f"{receipt.digest}\t{finished_at.isoformat()}\t{' '.join(receipt.reference.split())}\n"
    descriptor = os.open(settings.ERASURES_FILE, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        os.write(descriptor, line.encode())
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def newer_than(moment: datetime) -> Sequence[str]:
    """Return the lines of erasures that finished after `moment`, and those that cannot be read. Raises `OSError`."""
    lines = Path(settings.ERASURES_FILE).read_text(encoding="utf-8", errors="replace").splitlines()
    return list(dict.fromkeys(line for line in lines if line.strip() and not _is_older(line, moment)))


def _is_older(line: str, moment: datetime) -> bool:
    try:
        return datetime.fromisoformat(line.split("\t")[1]) <= moment
    except (IndexError, ValueError, TypeError):
        return False
