"""manage.py under invented secrets and production's settings: what `make check` runs its checks with.

python -m tools.deployment check --deploy
"""

import os
import sys

import tests.environment  # noqa: F401  # invented secrets; imported first, because it writes the environment

os.environ.update(
    BEHIND_HTTPS="on",
    ADMIN_SECOND_FACTOR="on",
    ALLOWED_HOSTS="prealerts.example",
    LOG_LEVEL="WARNING",
    DJANGO_SETTINGS_MODULE="prealerts.settings",
)

if __name__ == "__main__":
    from django.core.management import execute_from_command_line

    execute_from_command_line(["manage.py", *sys.argv[1:]])
