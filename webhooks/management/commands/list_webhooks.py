import json
from argparse import ArgumentParser
from typing import Any

from django.core.serializers.json import DjangoJSONEncoder

from companies.management.company_command import CompanyCommand
from webhooks.models import Subscription


class Command(CompanyCommand):
    help = "List the subscriptions, one line of JSON each, without secrets."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--company", metavar="CODE", help="Only this company's.")

    def handle(self, *args: Any, **options: Any) -> None:
        subscriptions = Subscription.objects.select_related("company").order_by("company__client_code", "pk")
        if options["company"]:
            subscriptions = subscriptions.filter(company=self.company(options["company"]))
        for subscription in subscriptions:
            shown = {
                "subscription_id": subscription.pk,
                "id_in_api": subscription.public_id,
                "client_code": subscription.company.client_code,
                "url": subscription.shown_url,
                "version": subscription.version,
                "event_types": subscription.event_types,
                "countries": subscription.countries,
                "is_active": subscription.is_active,
                "failing_since": subscription.failing_since,
                "disabled_reason": subscription.disabled_reason,
                "secret_set_at": subscription.secret_set_at,
            }
            self.stdout.write(json.dumps(shown, cls=DjangoJSONEncoder))
