from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from shipments.layouts.files import check
from shipments.management.shipments_command import ShipmentsCommand
from shipments.models import Layout


class Command(ShipmentsCommand):
    help = (
        "Compare how this version reads the layouts seen within 90 days with how they were read. Names unconfirmed "
        "ones that would be read differently and confirmed ones that would be refused, and exits with 1 if there are "
        "any. Run it after an upgrade, before clients find out."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("company", metavar="COMPANY", nargs="?", help="A client code; by default all companies.")

    def handle(self, *args: Any, **options: Any) -> None:
        layouts = Layout.objects.all()
        if options["company"]:
            layouts = layouts.of(self.company(options["company"]))
        count = 0
        for layout, columns in check(layouts):
            count += 1
            what = "confirmed, would be refused" if layout.confirmed_at else "would be read differently"
            named = f"{layout.company.client_code}\t{layout.country}\t{layout.pk}"
            self.stdout.write(f"{named}\t{what}: {'; '.join(columns)}")
        self.stdout.write(f"{count} layouts change")
        if count:
            raise CommandError("This version reads some layouts differently.")
