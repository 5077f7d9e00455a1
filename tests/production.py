"""How the service answers under production's settings; in a process of its own, for settings are read once.

python -m tests.production prints it as JSON.
"""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

ADDRESSES = ("/admin/", "/api/public/pre-alerts/v1/mawbs", "/health")


def under_production() -> dict[str, Any]:
    """What `python -m tests.production` prints."""
    root = Path(__file__).resolve().parent.parent
    finished = subprocess.run(
        [sys.executable, "-m", "tests.production"], cwd=root, capture_output=True, text=True, check=True, timeout=60
    )
    told: dict[str, Any] = json.loads(finished.stdout)
    return told


if __name__ == "__main__":
    import django

    import tools.deployment  # noqa: F401  # writes the environment

    django.setup()
    from django.conf import settings
    from django.test import Client

    flags = ("SESSION_COOKIE_SECURE", "CSRF_COOKIE_SECURE", "SESSION_COOKIE_HTTPONLY")
    client = Client(SERVER_NAME="prealerts.example")
    answer = {
        "cookies": {name: getattr(settings, name) for name in flags},
        "session_cookie": settings.SESSION_COOKIE_NAME,
        "hsts": settings.SECURE_HSTS_SECONDS,
        "second_factor": settings.ADMIN_SECOND_FACTOR,
        "statuses": {address: client.get(address).status_code for address in ADDRESSES},
    }
    sys.stdout.write(json.dumps(answer))
