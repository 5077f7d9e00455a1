from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError

from companies.models import Company
from prealerts.management.commands import first_run
from webhooks import subscriptions
from webhooks.models import Subscription

_URL = "https://localhost:{port}/hooks"
_ARRIVED = (
    "import sqlite3; events = sqlite3.connect('{place}/events.sqlite3'); "
    "rows = events.execute('SELECT body FROM events ORDER BY rowid'); "
    "[print(body.decode()) for body, in rows]"
)


class Command(first_run.Command):
    help = "Create the demonstration company of a local sandbox and its webhook, and print three commands to try."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--address", default="http://127.0.0.1:8001", help="The address of the service.")
        parser.add_argument(
            "--place", type=Path, required=True, help="Where `secret` is, the receiver's, and `password` is written."
        )
        parser.add_argument("--receiver-port", type=int, default=8444)

    def handle(self, *args: Any, **options: Any) -> None:
        if not settings.SANDBOX:
            raise CommandError("This is for a sandbox (SANDBOX=on).")
        address, place = options["address"], options["place"]
        operator = self._first_operator(first_run.OPERATOR, "")
        self._company(place, _URL.format(port=options["receiver_port"]))
        admin = f"password {operator}, shown this once" if operator else "forgotten? manage.py changepassword operator"
        self.stdout.write(f"\nSandbox:   {address}/docs/sandbox/")
        self.stdout.write(f"Admin:     {address}/admin/   user {first_run.OPERATOR}   ({admin})")
        self.stdout.write("\nFrom another terminal: upload, advance, see what arrived.\n")
        self.stdout.write("\n".join(commands(address, place)))

    def _company(self, place: Path, url: str) -> None:
        password = self._demonstration_company()
        company = Company.objects.get(client_code=first_run.DEMO_CODE)
        kept = place / "password"
        if not kept.exists() or password:
            kept.touch(mode=0o600)
            kept.write_text(password or company.set_new_password())
        if not Subscription.objects.filter(company=company, url=url).exists():
            subscriptions.register(company, url, (place / "secret").read_text().strip())


def commands(address: str, place: Path) -> list[str]:
    """Return the three commands, to be run in the project's directory."""
    base = f"{address}/api/public/pre-alerts/v1"
    curl = f'curl -H "Authorization: Bearer $(cat {place}/password)"'
    json = '-H "Content-Type: application/json"'
    return [
        f"{curl} -F manifest_file=@docs/examples/manifest-CL.xlsx {base}/upload",
        f'{curl} {json} -d \'{{"mawb": "045-48216350"}}\' {base}/sandbox/advance',
        f'python3 -c "{_ARRIVED.format(place=place)}"',
        "",
    ]
