from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from shipments.files.storage import problem_of
from shipments.models import ManifestFile


class Command(BaseCommand):
    help = "Compare every stored file with its recorded digest, and report files that are missing or damaged."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--newest", type=int, metavar="N", help="Only the N newest; default: all.")

    def handle(self, *args: Any, **options: Any) -> None:
        newest = options["newest"]
        if newest is not None and newest < 1:
            raise CommandError("--newest must be at least 1.")
        files = ManifestFile.objects.order_by("-pk")[:newest]
        checked = problems = 0
        for file in files.iterator(chunk_size=500):
            checked += 1
            if problem := problem_of(file):
                problems += 1
                self.stdout.write(f"{problem}  {file.file.name}  manifest {file.manifest_id}")
        if problems:
            raise CommandError(f"{problems:,} of {checked:,} files are missing or damaged.")
        self.stdout.write(f"All {checked:,} files are present and intact.")
