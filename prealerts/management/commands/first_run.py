import json
import secrets
from argparse import ArgumentParser
from io import StringIO
from typing import Any

from django.conf import settings
from django.contrib.auth import get_user_model
from django.core.management import call_command
from django.core.management.base import BaseCommand

from companies.countries import SERVED
from companies.models import Company

OPERATOR = "operator"
DEMO_CODE = "DEMO"
SAMPLE = settings.BASE_DIR / "docs" / "examples" / "manifest-CL.xlsx"


class Command(BaseCommand):
    help = "Create a first operator and a demonstration company if the database has none, and print how to use them."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--address", default="http://127.0.0.1:8000", help="The address of the service.")
        parser.add_argument("--operator", default=OPERATOR, help="The user name of the first operator.")
        parser.add_argument("--email", default="", help="The mail address of the first operator.")
        parser.add_argument("--without-company", action="store_true", help="Create no demonstration company.")

    def handle(self, *args: Any, **options: Any) -> None:
        address = options["address"]
        name = options["operator"]
        operator_password = self._first_operator(name, options["email"])
        company_password = None if options["without_company"] else self._demonstration_company()
        write = self.stdout.write
        if operator_password:
            write(f"\nAdmin:     {address}/admin/   user {name}   password {operator_password}")
        else:
            write(f"\nAdmin:     {address}/admin/   (forgotten? manage.py changepassword {name})")
        if company_password:
            write(f"Company:   {DEMO_CODE}   API password {company_password}")
            write("\nBoth passwords are shown this once. A first upload, from another terminal:\n")
            write(
                f'curl -H "Authorization: Bearer {company_password}" \\\n'
                f'     -F "manifest_file=@{SAMPLE}" \\\n'
                f"     {address}/api/public/pre-alerts/v1/upload\n"
            )
        elif Company.objects.filter(client_code=DEMO_CODE).exists():
            write(f"Company:   its password was shown once (lost? manage.py rotate_api_password {DEMO_CODE})\n")

    def _first_operator(self, name: str, email: str) -> str | None:
        users = get_user_model().objects
        if users.filter(is_superuser=True).exists():  # `make demo` may have made others
            return None
        password = secrets.token_urlsafe(12)
        users.create_superuser(username=name, email=email, password=password)
        return password

    def _demonstration_company(self) -> str | None:
        if Company.objects.exists():
            return None
        answer = StringIO()
        call_command(
            "create_company",
            "Demonstration company",
            client_code=DEMO_CODE,
            countries=",".join(SERVED),
            stdout=answer,
            stderr=StringIO(),
        )
        return str(json.loads(answer.getvalue())["api_password"])
