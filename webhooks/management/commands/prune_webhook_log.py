from argparse import ArgumentParser
from datetime import timedelta
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db.models import Exists, OuterRef, Q
from django.utils import timezone

from webhooks.models import Delivery, State, Subscription
from webhooks.replays import REPLAYABLE_FOR

BATCH_ROWS = 5000
"""Rows per transaction: the dispatcher must be able to write in between."""


class Command(BaseCommand):
    help = "Delete deliveries that finished more than this many days ago. Waiting deliveries always stay."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--older-than", type=int, required=True, metavar="DAYS", help="Days, from 1.")
        parser.add_argument("--dry-run", action="store_true", help="Report how many would be deleted; delete none.")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["older_than"] < 1:
            raise CommandError("--older-than must be at least 1 day.")
        before = timezone.now() - timedelta(days=options["older_than"])
        # Deliveries that were given up can be replayed for 30 days.
        replayable = Q(state=State.DEAD, created_at__gte=timezone.now() - REPLAYABLE_FOR)
        old = Delivery.objects.finished().filter(finished_at__lt=before).exclude(replayable)
        if options["dry_run"]:
            self.stdout.write(f"Would delete {old.count()} deliveries.")
            return
        deleted = 0
        while batch := list(old.order_by("finished_at").values_list("pk", flat=True)[:BATCH_ROWS]):
            _rows, by_model = Delivery.objects.filter(pk__in=batch).delete()
            deleted += by_model["webhooks.Delivery"]
        self.stdout.write(f"Deleted {deleted} deliveries.")
        unmentioned = ~Exists(Delivery.objects.filter(subscription=OuterRef("pk")))
        Subscription.everyone.filter(unmentioned, deleted_at__isnull=False).delete()
