from argparse import ArgumentParser
from datetime import date
from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import CommandError

from base.db.moments import midnight
from shipments.management.shipments_command import ShipmentsCommand
from shipments.privacy.exposure import count_exposed, read_by_operator, readable_by_company, readable_by_operator


class Command(ShipmentsCommand):
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
            company = self.company(code)
            whose, guides, seen = {"company": company.client_code}, readable_by_company(company, since), None
        else:
            operator = User.objects.filter(username=options["operator"]).first()
            if operator is None:
                raise CommandError(f"No operator has the name {options['operator']}.")
            guides, seen = readable_by_operator(operator, since), read_by_operator(operator, since)
            whose = {"operator": operator.get_username()}
        read = None if seen is None else count_exposed(guides, seen)
        numbers = {
            **count_exposed(guides)._asdict(),
            "people_read": read and read.people,
            "guides_read": read and read.guides,
        }
        self.say(**whose, since=options["since"].isoformat(), **numbers)
        for pk, tracking_code in guides.order_by("pk").values_list("pk", "tracking_code").iterator():
            self.say(tracking_code=tracking_code, read=None if seen is None else pk in seen)
