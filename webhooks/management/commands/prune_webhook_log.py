"""Delete old entries of the delivery log."""

from argparse import ArgumentParser
from datetime import timedelta
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db.models import Exists, OuterRef, Q
from django.utils import timezone

from webhooks.models import Delivery, State, Subscription
from webhooks.replays import REPLAYABLE_FOR

BATCH_ROWS = 5000
"""Rows a transaction: the dispatcher must find room between two of them."""


class Command(BaseCommand):
    help = "Delete deliveries that finished longer ago than so many days. What waits or is being sent always stays."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--older-than", type=int, required=True, metavar="DAYS", help="Days, from 1.")
        parser.add_argument("--dry-run", action="store_true", help="Say how many would be deleted, and delete none.")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["older_than"] < 1:
            raise CommandError("--older-than counts days, from 1.")
        before = timezone.now() - timedelta(days=options["older_than"])
        # What was given up can be replayed for 30 days.
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
