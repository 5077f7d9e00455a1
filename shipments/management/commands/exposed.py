import json
from argparse import ArgumentParser
from datetime import date
from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError

from base.db.moments import midnight
from companies.models import Company
from shipments.privacy.exposure import count_exposed, read_by_operator, readable_by_company, readable_by_operator


class Command(BaseCommand):
    help = (
        "Print, as JSON lines, how many people and which guides a leaked password or account could have shown since a "
        "day, and which it did show. The first line has the numbers. Reads with an API password are only in the access "
        "log: read is null."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        whose = parser.add_mutually_exclusive_group(required=True)
        whose.add_argument("--company", metavar="CODE", help="Of a client or courier, whose API password leaked.")
        whose.add_argument("--operator", metavar="NAME", help="Of an operator or an access, whose account leaked.")
        parser.add_argument("--since", required=True, type=date.fromisoformat, help="The first day: YYYY-MM-DD.")

    def handle(self, *args: Any, **options: Any) -> None:
        since = midnight(options["since"])
        if code := options["company"]:
            company = Company.objects.filter(client_code=code).first()
            if company is None:
                raise CommandError(f"No company has the code {code}.")
            whose, guides, seen = {"company": code}, readable_by_company(company, since), None
        else:
            operator = User.objects.filter(username=options["operator"]).first()
            if operator is None:
                raise CommandError(f"No operator has the name {options['operator']}.")
            guides, seen = readable_by_operator(operator, since), read_by_operator(operator, since)
            whose = {"operator": operator.get_username()}
        all_of_them = count_exposed(guides)
        read = None if seen is None else count_exposed(guides, seen)
        numbers = {**all_of_them._asdict(), "people_read": read and read.people, "guides_read": read and read.guides}
        self._print({**whose, "since": options["since"].isoformat(), **numbers})
        for pk, tracking_code in guides.order_by("pk").values_list("pk", "tracking_code").iterator():
            self._print({"tracking_code": tracking_code, "read": None if seen is None else pk in seen})

    def _print(self, line: dict[str, Any]) -> None:
        self.stdout.write(json.dumps(line))
