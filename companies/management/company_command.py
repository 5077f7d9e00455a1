"""What the commands about companies have in common: finding one by its code, and the line scripts read."""

import json

from django.core.management.base import BaseCommand, CommandError

from companies.models import Company


class CompanyCommand(BaseCommand):
    """A command that names companies by their client codes, in any case."""

    @staticmethod
    def company(client_code: str) -> Company:
        """The company behind `client_code`; raises `CommandError` when there is none."""
        code = client_code.strip().upper()
        try:
            return Company.objects.get(client_code=code)
        except Company.DoesNotExist:
            raise CommandError(f"No company has the code {code}; list_companies shows them all.") from None

    def say_password(self, company: Company, password: str) -> None:
        """Write the one line of standard output that scripts rely on: the code and the new password as JSON."""
        self.stdout.write(json.dumps({"client_code": company.client_code, "api_password": password}))
