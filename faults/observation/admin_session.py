"""`python -m faults.observation.admin_session`: log in an operator with all permissions and print the cookie,
NAME=VALUE."""

import os
import sys

import django


def begin() -> str:
    """Create the operator if there is none, and a session by the clock of this process."""
    from django.conf import settings  # noqa: PLC0415  # once Django is set up
    from django.contrib.auth.models import User  # noqa: PLC0415  # as above
    from django.test import Client  # noqa: PLC0415  # as above

    user, _is_new = User.objects.get_or_create(username="olga", defaults={"is_staff": True, "is_superuser": True})
    browser = Client()
    browser.force_login(user)
    return f"{settings.SESSION_COOKIE_NAME}={browser.session.session_key}"


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "prealerts.settings")
    django.setup()
    sys.stdout.write(begin())
