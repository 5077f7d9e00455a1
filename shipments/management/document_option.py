"""Options that identify a person by documents. They are read from standard input: process lists show arguments."""

import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from companies.countries import SERVED
from shipments.privacy.person import Documents, NotADocument


def add_document_arguments(parser: ArgumentParser, *, required: bool) -> None:
    parser.add_argument(
        "--document",
        metavar="-",
        required=required,
        help="The person with this document, in all companies. Documents are read from standard input, one per "
        "line; dots, spaces, hyphens and case are ignored.",
    )
    parser.add_argument(
        "--country",
        choices=[*SERVED],
        default="",
        help="With --document: only guides to this country, if the number belongs to someone else in another.",
    )


def documents_given(options: dict[str, Any]) -> Documents:
    """Read the documents from standard input. Raises `CommandError`, whose message does not repeat them."""
    if options["document"] != "-":
        raise CommandError(
            "--document must be -: documents are read from standard input, which process lists do not show."
        )
    try:
        return Documents(line for line in sys.stdin.read().splitlines() if line.strip())
    except NotADocument as refused:
        raise CommandError(f"Standard input: {refused}") from None
