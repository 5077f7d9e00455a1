"""Run the tests kept with workbook formats."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from shipments.formats.format_files import spec_of
from shipments.formats.kept_tests import failing
from shipments.management.format_command import FormatCommand
from shipments.models import WorkbookFormat


class Command(FormatCommand):
    help = (
        "Run the tests kept with the formats in use. Exits with 1 if one is read differently than expected. Run it "
        "after an upgrade, before clients find out."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("company", metavar="COMPANY", nargs="?", help="A client code.")

    def handle(self, *args: Any, **options: Any) -> None:
        forms = WorkbookFormat.objects.active().filter(in_use__isnull=False)
        forms = forms.select_related("company", "in_use").prefetch_related("tests").order_by("company", "name")
        if options["company"]:
            forms = forms.of(self.company(options["company"]))
        run = failed = 0
        for form in forms:
            tests = [test for test in form.tests.all() if test.superseded_by_id is None]
            differing = failing(spec_of(form.in_use), tests) if form.in_use else []
            run, failed = run + len(tests), failed + len(differing)
            for test in differing:
                self.stdout.write(f"{form.company.client_code}\t{form.name}\t{test.name}: read differently")
        self.stdout.write(f"{run} tests, {failed} read differently")
        if failed:
            raise CommandError("Some kept tests are read differently.")
