"""`GET /health/ready`: whether this process can serve clients; for monitoring.

It requires the database, and space for an upload on the local disk. It does not require a dispatcher: without one
webhooks wait, but pre-alerts are still accepted (docs/decisions/0019-readiness-is-the-machines-own.md).
"""

import shutil
import threading
import time
from pathlib import Path

import structlog
from django.conf import settings
from django.db import DatabaseError, InterfaceError, connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.http import HttpRequest, HttpResponse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_safe

from prealerts.checks import find_mixed_passwords

ANSWER_SECONDS = 1.0
"""How long the database and the disk may take, in seconds."""
MIB = 1024 * 1024

log = structlog.get_logger(__name__)


@csrf_exempt  # no form: other methods get a 405, not a CSRF error
@require_safe
def ready(_request: HttpRequest) -> HttpResponse:
    """200 or 503, without a reason: the reason is logged as `not_ready`."""
    missing = _missing()
    if missing:
        log.warning("not_ready", missing=missing)
    return HttpResponse(status=503 if missing else 200)


def upload_bytes_free() -> int:
    """Free bytes for uploads on the disk where they arrive, also when a bucket stores them afterwards.

    Raises `OSError` if the disk cannot be read.
    """
    place = Path(settings.FILE_UPLOAD_TEMP_DIR)
    while not place.exists() and place != place.parent:
        place = place.parent  # the first upload creates the directory
    return shutil.disk_usage(place).free


def _missing() -> list[str]:
    """Return what is missing: `database`, `disk`.

    Each is checked in its own thread: no driver's timeout covers resolving, connecting and querying, and a disk
    that hangs blocks its thread.
    """
    probes = {"database": _database_answers, "disk": _disk_has_room}
    answers: dict[str, bool] = {}

    def ask(name: str) -> None:
        answers[name] = probes[name]()

    threads = [threading.Thread(target=ask, args=[name], daemon=True, name="ready-probe") for name in probes]
    for thread in threads:
        thread.start()
    deadline = time.monotonic() + ANSWER_SECONDS
    for thread in threads:
        thread.join(max(0.0, deadline - time.monotonic()))
    return [name for name in probes if not answers.get(name)]


def _database_answers() -> bool:
    connection = connections.create_connection("default")
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
        if sentence := _find_mixed_passwords(connection):
            log.error("not_ready", missing=sentence)
            return False
    except (DatabaseError, InterfaceError):
        return False
    finally:
        connection.close()
    return True


def _find_mixed_passwords(connection: BaseDatabaseWrapper) -> str:
    try:
        return find_mixed_passwords(connection)
    except DatabaseError:  # it is there, and busy: what it holds was checked by `migrate`
        return ""


def _disk_has_room() -> bool:
    needed: int = settings.READY_FREE_MIB * MIB
    if not needed:
        return True
    try:
        return upload_bytes_free() >= needed
    except OSError:
        return False
