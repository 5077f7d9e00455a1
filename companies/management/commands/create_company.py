from argparse import ArgumentParser
from typing import Any

from django.core.exceptions import NON_FIELD_ERRORS, ValidationError
from django.core.management.base import CommandError

from companies.countries import SERVED
from companies.management.company_command import CompanyCommand
from companies.models import Company, Kind
from companies.onboarding import onboard, prefix_from_code

_ARGUMENTS = {
    "name": "NAME",
    "client_code": "--client-code",
    "allowed_countries": "--countries",
    "read_by_headings": "--read-by-headings",
    "tracking_prefix": "--tracking-prefix",
    "is_marketplace": "--marketplace",
    "posts_for": "--posts-for",
}


class Command(CompanyCommand):
    help = "Onboard a company and print its API password, once, as one JSON line: client_code, api_password."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name", metavar="NAME", help="The company's name, as in the contract.")
        parser.add_argument("--client-code", required=True, metavar="CODE", help="Short and unique, for example ACME.")
        parser.add_argument(
            "--countries",
            required=True,
            metavar="CODES",
            help=f'Where it may ship to, separated by commas: {",".join(SERVED)}; "" for nowhere yet.',
        )
        parser.add_argument(
            "--read-by-headings",
            default="CL",
            metavar="CODES",
            help='Where its workbooks are read whatever their layout; "" for nowhere. Default: CL.',
        )
        prefix = parser.add_mutually_exclusive_group()
        prefix.add_argument(
            "--tracking-prefix",
            metavar="PREFIX",
            help="The start of its tracking codes. Default: the first three letters or digits of the client code.",
        )
        prefix.add_argument(
            "--no-tracking-prefix",
            action="store_true",
            help="No prefix yet: its pre-alerts are rejected until it has one.",
        )
        parser.add_argument("--kind", choices=Kind.values, default=Kind.CLIENT.value, help="Default: client.")
        parser.add_argument(
            "--marketplace", action="store_true", help="Its JSON guides must carry the marketplace's identifiers."
        )
        parser.add_argument(
            "--posts-for",
            nargs="+",
            action="extend",
            default=[],
            metavar="CODE",
            help="Only with --kind courier: the clients it may post for.",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        client_code = options["client_code"].strip().upper()
        try:
            company = Company(
                name=options["name"].strip(),
                client_code=client_code,
                kind=options["kind"],
                allowed_countries=_countries(options["countries"]),
                read_by_headings=_countries(options["read_by_headings"]),
                tracking_prefix=_prefix(client_code, options),
                is_marketplace=options["marketplace"],
            )
            password = onboard(company, posts_for=[self.company(code) for code in options["posts_for"]])
        except ValidationError as error:
            raise CommandError(_in_words(error)) from None
        self.say_password(company, password)
        if others := Company.objects.sharing_prefix_with(company).values_list("client_code", flat=True):
            warning = f"Tracking codes of {', '.join(others)} begin with {company.tracking_prefix} too."
            self.stderr.write(self.style.WARNING(warning))


def _countries(text: str) -> list[str]:
    """Return the codes in the canonical order; unknown and repeated ones are kept for validation to report."""
    codes = [code for code in text.upper().replace(" ", "").split(",") if code]
    order = [*SERVED]
    return sorted(codes, key=lambda code: order.index(code) if code in order else len(order))


def _prefix(client_code: str, options: dict[str, Any]) -> str:
    if options["no_tracking_prefix"]:
        return ""
    if options["tracking_prefix"] is None:
        return prefix_from_code(client_code)
    given: str = options["tracking_prefix"].strip().upper()
    if not given:
        raise CommandError("--tracking-prefix is empty; use --no-tracking-prefix for none.")
    return given


def _in_words(error: ValidationError) -> str:
    """One line per field, each beginning with the argument to change."""
    return "\n".join(
        " ".join(messages) if field == NON_FIELD_ERRORS else f"{_ARGUMENTS.get(field, field)}: {' '.join(messages)}"
        for field, messages in error.message_dict.items()
    )
