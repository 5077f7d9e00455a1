"""Delete idempotency keys that have expired."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand
from django.utils import timezone

from shipments.models import IdempotencyKey

BATCH_ROWS = 5000
"""Rows deleted by one statement, so that requests are not held up."""


class Command(BaseCommand):
    help = "Delete the Idempotency-Key of each request sent more than seven days ago."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--dry-run", action="store_true", help="Report how many would be deleted; delete none.")

    def handle(self, *args: Any, **options: Any) -> None:
        expired = IdempotencyKey.objects.filter(expires_at__lt=timezone.now())
        if options["dry_run"]:
            self.stdout.write(f"Would delete {expired.count()} keys.")
            return
        deleted = 0
        while batch := list(expired.order_by("expires_at").values_list("pk", flat=True)[:BATCH_ROWS]):
            # Filtered again: an expired key may have been used again since.
            rows, _by_model = expired.filter(pk__in=batch).delete()
            deleted += rows
        self.stdout.write(f"Deleted {deleted} keys.")
