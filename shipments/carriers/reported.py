"""Events of carriers, checked one by one: a bad one does not affect the others of its body."""

import hashlib
import json
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

from django.utils import translation
from rest_framework import serializers

from base.http.bodies import FIRST_YEAR, LAST_YEAR
from shipments.manifests.moments import Moment
from shipments.manifests.waybills import HAWB_LENGTH, NUMBER_LENGTH, TRACKING_CODE_LENGTH, normal_mawb
from shipments.models import Carrier, CarrierEvent, EventOutcome
from shipments.models.carriers import CODE_LENGTH, DESCRIPTION_LENGTH

_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
_REFERENCES = ("tracking_code", "hawb", "mawb", "carrier_number")
_PLACE = ("airport", "city", "country")


PROBLEMS: Mapping[str, tuple[str, str]] = {
    "invalid_event": ("", "An event must be a JSON object."),
    "invalid_event_id": (".event_id", "The event_id must be a text of at most 1,000 characters."),
    "invalid_reference": (".reference", "The reference must be an object."),
    "reference_missing": (".reference", "Send at least one of tracking_code, hawb, mawb and carrier_number."),
    "invalid_tracking_code": (
        ".reference.tracking_code", f"The tracking code must be a text of at most {TRACKING_CODE_LENGTH} characters."
    ),
    "invalid_hawb": (".reference.hawb", f"The HAWB must be a text of at most {HAWB_LENGTH} characters."),
    "invalid_mawb": (".reference.mawb", "The MAWB must have 11 digits, as in 045-70310122."),
    "invalid_carrier_number": (
        ".reference.carrier_number", f"The carrier's number must be a text of at most {NUMBER_LENGTH} characters."
    ),
    "invalid_code": (".code", f"The code must be a text of 1 to {CODE_LENGTH} characters."),
    "invalid_occurred_at": (".occurred_at", "Send a time in ISO 8601 with an offset, as in 2026-11-22T09:10:00-03:00."),
    "time_without_offset": (".occurred_at", "The time has no offset. Send one, as in 2026-11-22T09:10:00-03:00."),
}  # fmt: skip
"""Why an event cannot be used -> where in it, and what to do, in the words of the answer to the carrier."""

DOUBTS: Mapping[str, str] = {
    "time_skipped": "This hour does not exist because clocks go forward. We used one hour later. Send an offset.",
    "time_doubled": "This hour occurs twice because clocks go back. We used the first. Send an offset.",
}
"""By what `Moment.doubt` says of a time without an offset, in the words of the answer to the carrier."""


class _Text(serializers.CharField):
    """A short text or number; null is the same as leaving it out."""

    def __init__(self, max_length: int, **options: Any) -> None:  # noqa: ANN401  # DRF's own
        super().__init__(max_length=max_length, required=False, allow_null=True, allow_blank=True, **options)


class _Reference(serializers.Serializer[Any]):
    tracking_code = _Text(TRACKING_CODE_LENGTH)
    hawb = _Text(HAWB_LENGTH)
    mawb = _Text(32)
    carrier_number = _Text(NUMBER_LENGTH)


class _Event(serializers.Serializer[Any]):
    """What must be right for an event to be used. Description and place are kept as far as they can be."""

    event_id = _Text(1_000)
    reference = _Reference()
    code = serializers.CharField(max_length=CODE_LENGTH)
    occurred_at = serializers.CharField(max_length=64)


def fold_code(code: str) -> str:
    """Return the form in which a code is looked up: carriers are careless about case and spaces."""
    return " ".join(code.casefold().split())


def fits(code: str) -> bool:
    """Return whether a code fits its columns. Folding makes some longer: "ﬃ" becomes three letters."""
    return len(code) <= CODE_LENGTH and len(fold_code(code)) <= CODE_LENGTH * 2


def read_event(carrier: Carrier, item: Any) -> CarrierEvent:  # noqa: ANN401  # any JSON
    """Return an event that is not stored yet; refused, with a code that says why, if it cannot be used."""
    with translation.override("en"):
        reading = _Event(data=item)
        if not reading.is_valid():
            return _make_refused_event(carrier, item, _first_problem(reading.errors))
    values = reading.validated_data
    reference = {name: (values["reference"].get(name) or "").strip() for name in _REFERENCES}
    tracking_code, hawb = reference["tracking_code"].upper(), reference["hawb"].upper()  # some letters become two
    mawb = normal_mawb(reference["mawb"]) or ""
    moment, doubt, problem = _moment(values["occurred_at"], carrier.time_zone)
    if reference["mawb"] and not mawb and not any(reference[name] for name in _REFERENCES if name != "mawb"):
        problem = problem or "invalid_mawb"
    if not any(reference.values()):
        problem = problem or "reference_missing"
    if not fits(values["code"]):
        problem = problem or "invalid_code"
    if len(tracking_code) > TRACKING_CODE_LENGTH or len(hawb) > HAWB_LENGTH:
        problem = problem or ("invalid_hawb" if len(hawb) > HAWB_LENGTH else "invalid_tracking_code")
    if problem:
        return _make_refused_event(carrier, item, problem)
    location = item.get("location") if isinstance(item.get("location"), dict) else {}
    event = CarrierEvent(
        carrier=carrier,
        tracking_code=tracking_code,
        hawb=hawb,
        mawb=mawb,
        number=reference["carrier_number"],
        code=values["code"],
        folded=fold_code(values["code"]),
        description=_storable(item.get("description"), DESCRIPTION_LENGTH),
        place=", ".join(filter(None, (_storable(location.get(name), 60) for name in _PLACE)))[:100],
        occurred_at=moment,
        doubt=doubt,
    )
    event_id = values.get("event_id")
    if event_id and len(event_id) <= 100:
        event.external_id = f"id:{event_id}"
    else:  # what makes it the same event when it is sent again
        names = [event_id, tracking_code, hawb, mawb, event.number, event.folded]
        city = _storable(location.get("city"), 60)
        event.external_id = f"sha256:{_digest([*names, moment.isoformat() if moment else '', city])}"
    return event


def _first_problem(errors: Mapping[str, Any]) -> str:
    """Return `invalid_<field>`, or `invalid_event` if it is no object at all."""
    field = next(iter(errors))
    if field == "reference" and isinstance(errors[field], Mapping) and "non_field_errors" not in errors[field]:
        field = next(iter(errors[field]))
    return "invalid_event" if field == "non_field_errors" else f"invalid_{field}"


def _moment(text: str, time_zone: str) -> tuple[datetime | None, str, str]:
    """Return the time in UTC and what `Moment.doubt` says of it, or why there is none.

    time_zone: of times without an offset; empty if there is none.
    """
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None, "", "invalid_occurred_at"
    if not FIRST_YEAR <= moment.year <= LAST_YEAR:  # others may not be convertible
        return None, "", "invalid_occurred_at"
    if moment.tzinfo:
        return moment.astimezone(UTC), "", ""
    if not time_zone:
        return None, "", "time_without_offset"
    clock, local = ZoneInfo(time_zone), Moment(moment, has_time=True)
    return local.at(clock).astimezone(UTC), local.doubt(clock), ""


def _storable(value: object, length: int) -> str:
    return _UNSTORABLE.sub("", value).strip()[:length] if isinstance(value, str) else ""


def _make_refused_event(carrier: Carrier, item: object, problem: str) -> CarrierEvent:
    """A refused event. It keeps nothing of what was sent: which part of it is sound is not known."""
    return CarrierEvent(
        carrier=carrier, external_id=f"refused:{_digest(item)}", outcome=EventOutcome.REFUSED, error=problem
    )


def _digest(value: object) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True, default=str).encode()).hexdigest()
