"""Activate a company again."""

from argparse import ArgumentParser
from typing import Any

from companies.management.company_command import CompanyCommand
from companies.onboarding import activate


class Command(CompanyCommand):
    help = "Activate a company again; its previous password works again."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("client_code", metavar="CODE", help="The company's client code.")

    def handle(self, *args: Any, **options: Any) -> None:
        company = self.company(options["client_code"])
        if activate(company):
            self.stdout.write(f"{company} is active; its password opens the API.")
        else:
            self.stdout.write(f"{company} was active before; nothing changed.")
