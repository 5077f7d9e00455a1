"""`python -m faults.observation.tenants NUMBER URL COUNTRIES`: companies for the tests, many by one process, as one
line of JSON.

Each has a password, and one subscription to URL with its client code at the end.
"""

import json
import os
import sys
import uuid
from dataclasses import dataclass

import django


@dataclass(frozen=True, slots=True)
class Tenant:
    """A client company from its integrator's point of view."""

    code: str
    password: str
    secret: str

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.password}"}


def make(number: int, url: str, countries: list[str]) -> list[dict[str, str]]:
    """Create the companies in the database of the environment. An earlier version may have no table of countries."""
    from companies.models import Company  # noqa: PLC0415  # once Django is set up
    from companies.onboarding import onboard  # noqa: PLC0415  # as above
    from webhooks.subscriptions import register  # noqa: PLC0415  # as above

    made = []
    for _ in range(number):
        code = f"F{uuid.uuid4().hex[:12].upper()}"
        company = Company(name=f"{code} SpA", client_code=code, tracking_prefix=code[:5], allowed_countries=countries)
        password = onboard(company)
        _subscription, secret = register(company, f"{url}/{code}")
        made.append({"code": code, "password": password, "secret": secret})
    return made


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "prealerts.settings")
    django.setup()
    sys.stdout.write(json.dumps(make(int(sys.argv[1]), sys.argv[2], sys.argv[3].split(","))))
