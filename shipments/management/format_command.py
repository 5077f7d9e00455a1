"""The base of the commands on workbook formats: finding one by its company and name, and refusals in words."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.core.management.base import CommandError, CommandParser

from companies.errors import DomainError
from companies.management.company_command import CompanyCommand
from shipments.management.moving_command import text_of_refusal
from shipments.models import WorkbookFormat


class FormatCommand(CompanyCommand):
    """A command on a company's workbook formats."""

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:  # noqa: ANN401  # Django's signature
        """Let `--version` mean a version of a format instead of Django's."""
        return super().create_parser(prog_name, subcommand, conflict_handler="resolve", **kwargs)

    @property
    def actor(self) -> str:
        return f"manage.py {self.__module__.rpartition('.')[2]}"

    def format(self, client_code: str, name: str) -> WorkbookFormat:
        """The company's format of this name; raises `CommandError` if there is none."""
        found = WorkbookFormat.objects.of(self.company(client_code)).filter(name=name).first()
        if found is None:
            raise CommandError(f"The company has no format {name!r}; list_formats shows them all.")
        return found

    @contextmanager
    def refusals_in_words(self) -> Iterator[None]:
        """Turn the domain's refusals into errors of the command."""
        try:
            yield
        except DomainError as refused:
            raise CommandError(text_of_refusal(refused)) from refused
