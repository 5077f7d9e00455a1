from typing import Any

from companies.management.company_command import CompanyCommand


class Command(CompanyCommand):
    help = "Replace a company's API password at once, and print the new one as a JSON line."

    def handle(self, *args: Any, **options: Any) -> None:
        company = self.company(options["client_code"])
        self.say_password(company, company.set_new_password())
        if not company.is_active:
            warning = f"{company.client_code} is not active: its password does not work until activate_company."
            self.stderr.write(self.style.WARNING(warning))
