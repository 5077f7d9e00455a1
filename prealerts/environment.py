"""The file `.env` beside manage.py: written once, with new secrets, so that every later run uses the same ones.

`python -m prealerts.environment` writes the file if it is missing and never changes an existing one. It does not use
Django: the settings cannot be loaded before it has run.
"""

import os
import secrets
import sys
from pathlib import Path

from cryptography.fernet import Fernet

ENV_FILE = Path(os.environ.get("ENV_FILE") or Path(__file__).resolve().parent.parent / ".env")
"""Another file, or none (`/dev/null`), for tests: a developer's own settings are not theirs."""

_FIRST_ENV = """\
# Written by `make run`, once. Keep it private, keep it in your backup: without these secrets the stored API
# passwords and webhook secrets are of no use. Every setting is described in README.md.
SECRET_KEY={secret_key}
API_PASSWORD_PEPPER={pepper}
FIELD_ENCRYPTION_KEYS={field_key}
ALLOWED_HOSTS=127.0.0.1,localhost
# Served over plain HTTP on this machine only; take the line out behind a TLS proxy.
BEHIND_HTTPS=off
# For a first look on this machine. Take the line out before anybody else can reach the admin: then each operator's
# login asks for a code beside the password.
ADMIN_SECOND_FACTOR=off
LOG_FORMAT=console
"""


def write_once(path: Path = ENV_FILE) -> bool:
    """Write `path` with generated secrets, readable only by its owner. Return False if it already exists."""
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return False
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(
            _FIRST_ENV.format(
                secret_key=secrets.token_urlsafe(50),
                pepper=secrets.token_urlsafe(48),
                field_key=Fernet.generate_key().decode("ascii"),
            )
        )
    return True


if __name__ == "__main__":
    if write_once():
        sys.stdout.write(f"Wrote {ENV_FILE.name} with new secrets.\n")
