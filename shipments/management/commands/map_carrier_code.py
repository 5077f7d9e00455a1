from argparse import ArgumentParser
from typing import Any

from shipments.carriers.codes import apply_waiting, map_code
from shipments.management.shipments_command import ShipmentsCommand
from shipments.models import Action
from shipments.statuses import GuideStatus

_MEANINGS = [
    *(status.value for status in GuideStatus if status is not GuideStatus.REGISTERED),
    Action.EVENT_ONLY.value,
    Action.IGNORE.value,
]


class Command(ShipmentsCommand):
    help = "Say what a carrier's code means, apply the events that waited, and print one JSON line."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug", metavar="SLUG", help="The carrier's slug.")
        parser.add_argument("code", metavar="CODE", help="The code as the carrier sends it.")
        parser.add_argument("meaning", choices=_MEANINGS, metavar="STATUS|event_only|ignore")
        parser.add_argument("--client-note", default="", metavar="TEXT", help="Our words for clients, with a status.")

    def handle(self, *args: Any, **options: Any) -> None:
        meaning = options["meaning"]
        is_status = meaning not in {Action.EVENT_ONLY, Action.IGNORE}
        with self.refusals_in_words():
            code = map_code(
                self.carrier(options["slug"]),
                options["code"],
                Action.STATUS if is_status else Action(meaning),
                GuideStatus(meaning) if is_status else None,
                client_note=options["client_note"],
                by="map_carrier_code",
            )
        self.say(code=code.code, meaning=meaning, applied=apply_waiting(code))
