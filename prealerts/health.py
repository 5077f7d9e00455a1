"""`GET /health/ready`: for the people who run it. Can this process do what clients ask of it?

It needs its database, and room for an upload on its own disk. Not a dispatcher: without one webhooks wait, and this
machine takes pre-alerts as well as ever (docs/decisions/0019-readiness-is-the-machines-own.md).
"""

import shutil
import threading
import time
from pathlib import Path

import structlog
from django.conf import settings
from django.db import DatabaseError, InterfaceError, connections
from django.http import HttpRequest, HttpResponse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_safe

ANSWER_SECONDS = 1.0
"""How long the database and the disk may take."""
MIB = 1024 * 1024

log = structlog.get_logger(__name__)


@csrf_exempt  # there is no form: another method is a 405, not a lecture on tokens
@require_safe
def ready(_request: HttpRequest) -> HttpResponse:
    """200 or 503, with no word about why: the reason is in the log, as a line `not_ready`."""
    missing = _missing()
    if missing:
        log.warning("not_ready", missing=missing)
    return HttpResponse(status=503 if missing else 200)


def upload_bytes_free() -> int:
    """Bytes that an upload can still take on the disk where it arrives, also when a bucket keeps it afterwards.

    Raises `OSError` where that disk cannot be asked.
    """
    place = Path(settings.FILE_UPLOAD_TEMP_DIR)
    while not place.exists() and place != place.parent:
        place = place.parent  # the first upload makes the directory
    return shutil.disk_usage(place).free


def _missing() -> list[str]:
    """What this process lacks: `database`, `disk`.

    Each is asked in a thread of its own: no driver's timeout covers a look-up, a connect and a query together, and a
    disk that hangs lets nobody go.
    """
    answers: dict[str, bool] = {}

    def ask_database() -> None:
        answers["database"] = _database_answers()

    def ask_disk() -> None:
        answers["disk"] = _disk_has_room()

    threads = [threading.Thread(target=ask, daemon=True, name="ready-probe") for ask in (ask_database, ask_disk)]
    for thread in threads:
        thread.start()
    deadline = time.monotonic() + ANSWER_SECONDS
    for thread in threads:
        thread.join(max(0.0, deadline - time.monotonic()))
    return [name for name in ("database", "disk") if not answers.get(name)]


def _database_answers() -> bool:
    connection = connections.create_connection("default")
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except (DatabaseError, InterfaceError):
        return False
    finally:
        connection.close()
    return True


def _disk_has_room() -> bool:
    needed: int = settings.READY_FREE_MIB * MIB
    if not needed:
        return True
    try:
        return upload_bytes_free() >= needed
    except OSError:
        return False
