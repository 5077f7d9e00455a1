"""`loaddata`, as Django has it, with the audit log closed: what is loaded was not done by anybody just now."""

from typing import Any

from auditlog.context import disable_auditlog
from django.core.management.commands import loaddata


class Command(loaddata.Command):
    """Load fixtures. Without this a moved service would tell of every company as created at the time of the move, under
    keys that its own log's rows already have."""

    def handle(self, *fixture_labels: str, **options: Any) -> None:
        with disable_auditlog():
            super().handle(*fixture_labels, **options)
