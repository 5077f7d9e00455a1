"""Close the API to a company."""

from argparse import ArgumentParser
from typing import Any

from companies.activation import deactivate
from companies.management.company_command import CompanyCommand


class Command(CompanyCommand):
    help = "Close the API to a company, at once: its password opens nothing. Its data stays."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("client_code", metavar="CODE", help="The company's client code.")

    def handle(self, *args: Any, **options: Any) -> None:
        company = self.company(options["client_code"])
        if deactivate(company):
            self.stdout.write(f"{company} is deactivated; its password opens nothing.")
        else:
            self.stdout.write(f"{company} was not active before; nothing changed.")
