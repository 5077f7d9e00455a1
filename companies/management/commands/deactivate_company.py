from typing import Any

from companies.management.company_command import CompanyCommand
from companies.onboarding import deactivate


class Command(CompanyCommand):
    help = "Deactivate a company: its password stops working at once. Its data is kept."

    def handle(self, *args: Any, **options: Any) -> None:
        company = self.company(options["client_code"])
        changed = deactivate(company)
        said = "is deactivated; its password no longer works." if changed else "was not active before; nothing changed."
        self.stdout.write(f"{company} {said}")
