"""The base of the company commands: finding a company by its code, and printing a password for scripts."""

import json
from argparse import ArgumentParser

from django.core.management.base import BaseCommand, CommandError

from companies.models import Company


class CompanyCommand(BaseCommand):
    """A command that identifies companies by client code, case-insensitively."""

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("client_code", metavar="CODE", help="The company's client code.")

    @staticmethod
    def company(client_code: str) -> Company:
        """Return the company with `client_code`; raise `CommandError` if there is none."""
        code = client_code.strip().upper()
        try:
            return Company.objects.get(client_code=code)
        except Company.DoesNotExist:
            raise CommandError(f"No company has the code {code}; list_companies shows them all.") from None

    def say_password(self, company: Company, password: str) -> None:
        """Print the one line of standard output that scripts rely on: the code and the new password as JSON."""
        self.stdout.write(json.dumps({"client_code": company.client_code, "api_password": password}))
