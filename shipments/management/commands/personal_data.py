import json
from argparse import ArgumentParser
from typing import Any

import structlog
from django.core.management.base import BaseCommand
from django.core.serializers.json import DjangoJSONEncoder

from shipments.management.document_option import add_document_arguments, person_given, similar_sentence
from shipments.privacy.record import personal_record

log = structlog.get_logger(__name__)


class Command(BaseCommand):
    help = (
        "Print everything stored about the person with a document, for all companies, as one JSON array. "
        "It is personal data: write it to a file that only you can read."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_document_arguments(parser, required=True)

    def handle(self, *args: Any, **options: Any) -> None:
        person = person_given(options)
        found = guides = 0
        self.stdout.write("[", ending="")
        for entry in personal_record(person):
            text = json.dumps(entry, cls=DjangoJSONEncoder, ensure_ascii=False, indent=2)
            self.stdout.write((",\n" if found else "\n") + text, ending="")
            found += 1
            guides += "guide" in entry
        self.stdout.write("\n]" if found else "]")
        log.info("personal_data_printed", guides=guides)
        self.stderr.write(f"{guides:,} guides, {found - guides:,} texts elsewhere.")
        if sentence := similar_sentence(person):
            self.stderr.write(sentence)
