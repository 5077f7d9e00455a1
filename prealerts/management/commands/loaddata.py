"""Django's `loaddata`, without writing to the audit log: loading a fixture is not an operator's change."""

from typing import Any

from auditlog.context import disable_auditlog
from django.core.management.commands import loaddata


class Command(loaddata.Command):
    """Load fixtures. Otherwise the log of a moved database would record every company as just created,
    and use primary keys that its own rows already have."""

    def handle(self, *fixture_labels: str, **options: Any) -> None:
        with disable_auditlog():
            super().handle(*fixture_labels, **options)
