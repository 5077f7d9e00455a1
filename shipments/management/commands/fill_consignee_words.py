"""Make guides of earlier versions findable by any word of the consignee's name, by e-mail and by phone."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from shipments.consignee_filling import fill_words


class Command(BaseCommand):
    help = (
        "Fill in the words by which operators find consignees, for guides of earlier versions. Run it once after "
        "the upgrade, while the service runs; an interrupted run is completed by the next one."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--all", action="store_true", help="Fill them in for every guide, not only where they are missing."
        )

    def handle(self, *args: Any, **options: Any) -> None:
        written = sum(fill_words(refill=options["all"]))
        self.stdout.write(f"Filled in the words of {written:,} guides." if written else "Every guide has its words.")
