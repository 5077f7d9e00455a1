"""Shared by the commands about carriers: finding one, reading secrets, and the output for scripts."""

import json
from collections.abc import Mapping
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError

from companies.errors import DomainError
from shipments.models import Carrier


class CarrierCommand(BaseCommand):
    """A command about a carrier."""

    @staticmethod
    def carrier(slug: str) -> Carrier:
        """Return the carrier. Raises `CommandError` if it does not exist."""
        found = Carrier.objects.filter(slug=slug).first()
        if found is None:
            known = ", ".join(Carrier.objects.order_by("slug").values_list("slug", flat=True)) or "none"
            raise CommandError(f"There is no carrier {slug}; there are: {known}.")
        return found

    def say(self, **line: Any) -> None:  # noqa: ANN401  # any JSON
        """Write the line of standard output for scripts."""
        self.stdout.write(json.dumps(line))


def as_command_error(refused: ValidationError | DomainError) -> CommandError:
    """Return the refusal with each field in words."""
    if isinstance(refused, DomainError):
        details: Mapping[str, Any] = refused.details
    else:
        details = refused.message_dict if hasattr(refused, "error_dict") else {"secret": refused.messages}
    said = "; ".join(f"{field}: {' '.join(map(str, messages))}" for field, messages in details.items())
    return CommandError(said or str(refused))
