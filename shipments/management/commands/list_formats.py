from argparse import ArgumentParser
from typing import Any

from shipments.management.shipments_command import ShipmentsCommand
from shipments.models import WorkbookFormat


class Command(ShipmentsCommand):
    help = "List the workbook formats of a company, or of all: code, country, version in use, open alarms, name."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("company", metavar="COMPANY", nargs="?", help="A client code.")

    def handle(self, *args: Any, **options: Any) -> None:
        forms = WorkbookFormat.objects.select_related("company", "in_use").order_by("company__client_code", "name")
        if options["company"]:
            forms = forms.of(self.company(options["company"]))
        for form in forms:
            state = f"v{form.in_use.number}" if form.in_use else "retired" if not form.is_active else "not used"
            alarms = form.alarms.filter(closed_at=None).count()
            self.stdout.write("\t".join((form.company.client_code, form.country, state, str(alarms), form.name)))
