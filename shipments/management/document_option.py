"""Options that identify a person by documents. They are read from standard input: process lists show arguments."""

import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from companies.countries import SERVED
from shipments.privacy.person import Documents, NotADocument, Person


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
    parser.add_argument(
        "--guide",
        action="append",
        default=[],
        metavar="TRACKING_CODE",
        help="With --document: a guide of this person with a mistyped document, of those that share its e-mail or "
        "phone. May be repeated.",
    )


def person_given(options: dict[str, Any]) -> Person:
    """Read the documents from standard input. Raises `CommandError`, whose message does not repeat them."""
    if options["document"] != "-":
        raise CommandError(
            "--document must be -: documents are read from standard input, which process lists do not show."
        )
    try:
        documents = Documents(line for line in sys.stdin.read().splitlines() if line.strip())
    except NotADocument as refused:
        raise CommandError(f"Standard input: {refused}") from None
    person = Person(documents, options["country"])
    similar = {guide.tracking_code: guide for guide in person.similar()} if options["guide"] else {}
    if unknown := [code for code in options["guide"] if code not in similar]:
        raise CommandError(f"No guide of the same e-mail or phone: {', '.join(unknown)}.")
    return person._replace(ticked=[similar[code].pk for code in options["guide"]])


def similar_sentence(person: Person) -> str:
    """Return a sentence that names the guides of the same e-mail or phone that were not given; or nothing."""
    codes = [guide.tracking_code for guide in person.similar() if guide.pk not in person.ticked]
    if not codes:
        return ""
    return f"Guides with the same e-mail or phone, and another document (--guide): {', '.join(codes)}."
