"""Options that identify a person by documents. They are read from standard input: process lists show arguments."""

import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from companies.countries import SERVED
from shipments.privacy.person import Documents, NotADocument


def add_document_arguments(parser: ArgumentParser, *, required: bool) -> None:
    """Add `--document -` and `--country`."""
    parser.add_argument(
        "--document",
        metavar="-",
        required=required,
        help="Of the person with this document, with all companies. It is read from standard input, one document a "
        "line; dots, blanks, hyphens and small letters make no difference.",
    )
    parser.add_argument(
        "--country",
        choices=[*SERVED],
        default="",
        help="With --document: only guides to this country, where the number means somebody else in another.",
    )


def documents_given(options: dict[str, Any]) -> Documents:
    """Read the documents from standard input. Raises `CommandError`, whose message does not repeat them."""
    if options["document"] != "-":
        raise CommandError("--document takes only -: the document is read from standard input, so that nobody sees it.")
    try:
        return Documents(line for line in sys.stdin.read().splitlines() if line.strip())
    except NotADocument as refused:
        raise CommandError(f"Standard input: {refused}") from None
