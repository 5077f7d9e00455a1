import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.management.base import CommandError
from django.db import transaction

from companies.models import Company
from companies.onboarding import check_links, onboard
from prealerts.management.commands.export_company import FILE_VERSION
from shipments.layouts import files as layout_files
from shipments.management.shipments_command import ShipmentsCommand

TRACKING_PREFIX = "TST"
_KEYS = {
    "prealerts_company", "client_code", "name", "kind", "countries", "read_by_headings", "is_marketplace", "posts_for",
    "layouts",
}  # fmt: skip


class Command(ShipmentsCommand):
    help = (
        "Open the sandbox for a company: create it, or update it, from a file of export_company. A new company's API "
        "password is printed once, as one JSON line; an update leaves the password."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", metavar="FILE", type=Path, help="As export_company printed it.")

    def handle(self, *args: Any, **options: Any) -> None:
        if not settings.SANDBOX:
            raise CommandError("This is a live service: run this in the sandbox (SANDBOX=on).")
        content = _content(options["file"])
        with self.refusals_in_words(), transaction.atomic():
            try:
                company, password, missing = _save_company(content)
            except ValidationError as problem:
                raise CommandError(" ".join(problem.messages)) from None
            file = {"prealerts_layouts": layout_files.FILE_VERSION, "layouts": content["layouts"]}
            layout_files.import_layouts(company, file)
        if password:
            self.say_password(company, password)
        else:
            self.stderr.write(f"{company.client_code} was updated; its password is as before.")
        if missing:
            warning = f"Not in this sandbox, and so not linked: {', '.join(missing)}. Open them, then repeat this."
            self.stderr.write(self.style.WARNING(warning))


def _save_company(content: dict[str, Any]) -> tuple[Company, str, list[str]]:
    """Save the company. Returns it, its password if it is new, and the codes of clients that are missing here."""
    fields = {
        "name": content["name"],
        "kind": content["kind"],
        "allowed_countries": content["countries"],
        "read_by_headings": content["read_by_headings"],
        "is_marketplace": content["is_marketplace"],
        "tracking_prefix": TRACKING_PREFIX,
    }
    clients = list(Company.objects.filter(client_code__in=content["posts_for"]))
    missing = sorted({*content["posts_for"]} - {client.client_code for client in clients})
    company = Company.objects.filter(client_code=content["client_code"]).first()
    if company is None:
        company = Company(client_code=content["client_code"], **fields)
        return company, onboard(company, posts_for=clients), missing
    for name, value in fields.items():
        setattr(company, name, value)
    check_links(company.kind, clients)
    company.full_clean()
    company.save()
    company.posts_for.set(clients)
    return company, "", missing


def _content(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(path.read_bytes())
    except OSError as problem:
        raise CommandError(f"The file cannot be read: {problem.strerror}.") from None
    except ValueError:
        raise CommandError("The file is not JSON.") from None
    if not isinstance(content, dict) or "prealerts_company" not in content:
        raise CommandError("The file is not one that export_company printed.")
    if content["prealerts_company"] != FILE_VERSION or content.keys() != _KEYS:
        raise CommandError(
            f"The file is from another version of the program: it has {content['prealerts_company']!r:.20}, and this "
            f"one reads {FILE_VERSION}. Export it from the same one."
        )
    if not all(isinstance(content[name], list) for name in ("countries", "read_by_headings", "posts_for", "layouts")):
        raise CommandError("The file is not one that export_company printed.")
    return content
