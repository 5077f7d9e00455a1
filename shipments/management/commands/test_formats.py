from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from shipments.formats.kept_tests import failing
from shipments.formats.past_workbooks import PastResult, past_workbooks
from shipments.management.shipments_command import ShipmentsCommand
from shipments.manifests.mapped.spec import from_json
from shipments.models import WorkbookFormat

_DIFFERENT = {PastResult.DIFFERS, PastResult.NOT_THIS_FORMAT, PastResult.UNREADABLE}


class Command(ShipmentsCommand):
    help = (
        "Run the tests kept with the formats in use. Exits with 1 if one is read differently than expected. Run it "
        "after an upgrade, before clients find out."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("company", metavar="COMPANY", nargs="?", help="A client code.")
        parser.add_argument(
            "--past",
            action="store_true",
            help="Also read the newest stored workbooks that each format has read, and compare them with their guides.",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        forms = WorkbookFormat.objects.active().filter(in_use__isnull=False)
        forms = forms.select_related("company", "in_use").prefetch_related("tests").order_by("company", "name")
        if options["company"]:
            forms = forms.of(self.company(options["company"]))
        run = failed = past = 0
        for form in forms:
            tests = [test for test in form.tests.all() if test.superseded_by_id is None]
            differing = failing(from_json(form.in_use.spec), tests) if form.in_use else []
            run, failed = run + len(tests), failed + len(differing)
            for test in differing:
                self._say(form, test.name, "read differently")
            if options["past"]:
                past += self._look_back(form)
        self.stdout.write(f"{run} tests, {failed} read differently")
        if failed or past:
            raise CommandError("Some kept tests or past workbooks are read differently.")

    def _look_back(self, form: WorkbookFormat) -> int:
        """Read the workbooks that any version of the format has read; returns how many are read differently."""
        if form.in_use is None:
            return 0
        found, count = past_workbooks(form.company, from_json(form.in_use.spec), form=form)
        for each in found:
            fields = ", ".join(f"{name} ({guides})" for name, guides in each.fields.items())
            named = f"{each.result.label} {each.differing or ''} {fields}".split()
            self._say(form, f"{each.manifest.mawb} of {each.manifest.created_at:%Y-%m-%d}", " ".join(named))
        if len(found) < count:
            self._say(form, "past workbooks", f"stopped after {len(found)} of {count}")
        return sum(each.result in _DIFFERENT for each in found)

    def _say(self, form: WorkbookFormat, what: str, how: str) -> None:
        self.stdout.write(f"{form.company.client_code}\t{form.name}\t{what}: {how}")
