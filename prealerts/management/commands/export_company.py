"""Export a company for a sandbox, with its workbook formats: no password, no contact, no people."""

import json
from typing import Any

from companies.management.company_command import CompanyCommand
from shipments.formats.format_files import export_format
from shipments.models import WorkbookFormat

FILE_VERSION = 1


class Command(CompanyCommand):
    help = "Print a company and the workbook formats that it uses as JSON, for open_sandbox."

    def handle(self, *args: Any, **options: Any) -> None:
        company = self.company(options["client_code"])
        in_use = [form.in_use for form in WorkbookFormat.objects.of(company).order_by("name") if form.in_use]
        content = {
            "prealerts_company": FILE_VERSION,
            "client_code": company.client_code,
            "name": company.name,
            "kind": company.kind,
            "countries": company.allowed_countries,
            "is_marketplace": company.is_marketplace,
            "posts_for": sorted(company.posts_for.values_list("client_code", flat=True)),
            "formats": [json.loads(export_format(version)) for version in in_use],
        }
        self.stdout.write(json.dumps(content, ensure_ascii=False, indent=2))
