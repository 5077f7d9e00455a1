"""Activate a company again."""

from typing import Any

from companies.management.company_command import CompanyCommand
from companies.onboarding import activate


class Command(CompanyCommand):
    help = "Activate a company again; its previous password works again."

    def handle(self, *args: Any, **options: Any) -> None:
        company = self.company(options["client_code"])
        if activate(company):
            self.stdout.write(f"{company} is active; its password opens the API.")
        else:
            self.stdout.write(f"{company} was active before; nothing changed.")
