"""The environment of the tests, set before Django reads its settings: made-up secrets, scratch directories.

The database is SQLite unless DATABASE_URL says otherwise; `make test` runs the suite once for each.
"""

import atexit
import os
import shutil
import tempfile
from pathlib import Path

_scratch = tempfile.mkdtemp(prefix="prealerts-tests-")
atexit.register(shutil.rmtree, _scratch, ignore_errors=True)

os.environ.update(
    ENV_FILE=os.devnull,
    SECRET_KEY="only-for-tests-" + "s" * 50,
    API_PASSWORD_PEPPER="only-for-tests-" + "p" * 40,
    FIELD_ENCRYPTION_KEYS="dGVzdHMtb25seS10ZXN0cy1vbmx5LXRlc3RzLW9ubHk=",
    ALLOWED_HOSTS="testserver,localhost,127.0.0.1",
    BEHIND_HTTPS="off",
    ADMIN_SECOND_FACTOR="off",
    DEBUG="off",
    MEDIA_ROOT=f"{_scratch}/media",
    STATIC_ROOT=f"{_scratch}/static",
    METRICS_BIND="",
    DISPATCHER_METRICS_BIND="",
    DISPATCHER_HEARTBEAT_FILE="",
    WORKER_METRICS_BIND="",
    WORKER_HEARTBEAT_FILE="",
    CHORES="off",  # a test that is about something else does not wait for them
    READY_FREE_MIB="1",
    SENTRY_DSN="",
    LOG_LEVEL="INFO",
    LOG_FORMAT="json",
)
Path(os.environ["STATIC_ROOT"]).mkdir()
os.environ["DATABASE_URL"] = os.environ.get("TEST_DATABASE_URL", f"sqlite:///{_scratch}/tests.sqlite3")
