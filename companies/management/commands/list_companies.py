import json
from argparse import ArgumentParser
from datetime import datetime
from typing import Any

from django.core.management.base import BaseCommand
from django.core.serializers.json import DjangoJSONEncoder

from companies.models import Company

_HEADINGS = {
    "client_code": "CODE",
    "name": "NAME",
    "kind": "KIND",
    "is_active": "ACTIVE",
    "is_marketplace": "MARKETPLACE",
    "allowed_countries": "COUNTRIES",
    "tracking_prefix": "PREFIX",
    "posts_for": "POSTS FOR",
    "api_password_hint": "PASSWORD",
    "last_used_at": "LAST USED",
}


class Command(BaseCommand):
    help = "List the companies by name. Of a password, only the first characters are stored."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--json", action="store_true", help="One JSON object per line, for scripts.")

    def handle(self, *args: Any, **options: Any) -> None:
        rows = [
            _row(company) for company in Company.objects.select_related("ending_password").prefetch_related("posts_for")
        ]
        if options["json"]:
            for row in rows:
                self.stdout.write(json.dumps(row, cls=DjangoJSONEncoder))
        elif rows:
            lines = [[*_HEADINGS.values()], *([_cell(value) for value in row.values()] for row in rows)]
            widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
            for line in lines:
                cells = (cell.ljust(width) for cell, width in zip(line, widths, strict=True))
                self.stdout.write("  ".join(cells).rstrip())
        else:
            self.stderr.write("There are no companies yet; create_company makes one.")


def _row(company: Company) -> dict[str, Any]:
    row = {field: getattr(company, field) for field in _HEADINGS}
    posts_for = [client.client_code for client in company.posts_for.all()]
    return row | {"posts_for": posts_for, "last_used_at": company.last_seen_at}


def _cell(value: object) -> str:
    match value:
        case bool():
            return "yes" if value else "no"
        case list():
            return ",".join(value) or "-"
        case datetime():
            return f"{value:%Y-%m-%d %H:%M} UTC"
        case _:
            return str(value or "-")
