"""Export a company for a sandbox, with its rights and its layouts: no password, no contact, no people."""

import json
from typing import Any

from companies.management.company_command import CompanyCommand
from shipments.layouts.files import export_layouts

FILE_VERSION = 2


class Command(CompanyCommand):
    help = "Print a company and the layouts of its workbooks as JSON, for open_sandbox."

    def handle(self, *args: Any, **options: Any) -> None:
        company = self.company(options["client_code"])
        content = {
            "prealerts_company": FILE_VERSION,
            "client_code": company.client_code,
            "name": company.name,
            "kind": company.kind,
            "countries": company.allowed_countries,
            "read_by_headings": company.read_by_headings,
            "is_marketplace": company.is_marketplace,
            "posts_for": sorted(company.posts_for.values_list("client_code", flat=True)),
            "layouts": export_layouts(company)["layouts"],
        }
        self.stdout.write(json.dumps(content, ensure_ascii=False, indent=2))
