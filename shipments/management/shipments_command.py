"""The base of this app's commands: who acts, finding what they are about, and refusals in words."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import CommandError

from base.errors import DomainError
from companies.management.company_command import CompanyCommand
from companies.models import Company
from shipments.models import Carrier


class ShipmentsCommand(CompanyCommand):
    """A command on what companies and carriers sent."""

    @property
    def actor(self) -> str:
        return f"manage.py {self.__module__.rpartition('.')[2]}"

    def client(self, client_code: str) -> Company:
        """Return the company whose layouts a command is about. Raises `CommandError`, also for a courier."""
        company = self.company(client_code)
        if company.is_courier:
            raise CommandError(f"{company.client_code} is a courier; only clients have layouts.")
        return company

    @staticmethod
    def carrier(slug: str) -> Carrier:
        """Return the carrier. Raises `CommandError`."""
        found = Carrier.objects.filter(slug=slug).first()
        if found is None:
            known = ", ".join(Carrier.objects.order_by("slug").values_list("slug", flat=True)) or "none"
            raise CommandError(f"There is no carrier {slug}; there are: {known}.")
        return found

    def say(self, **line: Any) -> None:  # noqa: ANN401  # any JSON
        self.stdout.write(json.dumps(line))

    @contextmanager
    def refusals_in_words(self, about: str = "") -> Iterator[None]:
        """Turn the domain's refusals, and invalid fields, into errors of the command. about: precedes them."""
        try:
            yield
        except DomainError as refused:
            raise CommandError(about + (_each(refused.details, " ") or refused.message)) from refused
        except ValidationError as refused:
            fields = refused.message_dict if hasattr(refused, "error_dict") else {"secret": refused.messages}
            raise CommandError(_each({name: [" ".join(texts)] for name, texts in fields.items()}, "; ")) from None

    @contextmanager
    def files_or(self, problem: str) -> Iterator[None]:
        """Turn errors of the file system into one of the command that begins with `problem`."""
        try:
            yield
        except OSError as error:
            raise CommandError(f"{problem}: {error.strerror}.") from None


def _each(details: Mapping[str, Any], separator: str) -> str:
    """Return each refused field with its messages, on one line."""
    return separator.join(f"{field}: {message}" for field, messages in details.items() for message in messages)
