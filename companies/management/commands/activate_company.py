from typing import Any

from companies.management.company_command import CompanyCommand
from companies.onboarding import activate


class Command(CompanyCommand):
    help = "Activate a company again; its previous password works again."

    def handle(self, *args: Any, **options: Any) -> None:
        company = self.company(options["client_code"])
        said = "is active; its password opens the API." if activate(company) else "was active before; nothing changed."
        self.stdout.write(f"{company} {said}")
