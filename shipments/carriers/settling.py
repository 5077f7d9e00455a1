"""What becomes of a carrier's events: the meaning of the code, the guide, the move.

All moves are made by one `advance_each`. Each event is written with its move, in the same transaction and by its unique
id, so that doing it all again changes nothing. An event that was refused for its order or for a retention is judged
again, in the order of time, whenever an earlier event of its guide is applied: the order of arrival does not matter.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from django.db import transaction

from shipments.carriers.forgetting import anonymised_among
from shipments.carriers.guides import GuideKey, find_guides
from shipments.errors import GuideAlreadyTerminal, GuideUnderRetention, InvalidTransition
from shipments.models import Action, Carrier, CarrierCode, CarrierEvent, EventOutcome, Guide
from shipments.models.carriers import DELIVERED_AFTER_END, MOST_CODES
from shipments.statuses import GuideStatus, Source, StatusKind
from shipments.tracking.advancing import advance_each, retry
from shipments.tracking.changes import lock_manifests
from shipments.tracking.moves import Move, Outcome, ReportedEvent

JUDGED_AGAIN = (InvalidTransition.code, GuideUnderRetention.code)
"""Why a move was refused that may be right once an earlier event has arrived."""
_WRITTEN = ("guide", "outcome", "error", "description", "place")

_Planned = tuple[CarrierEvent, Move]


def settle(carrier: Carrier, events: Sequence[CarrierEvent], guide: GuideKey | None = None) -> None:
    """Decide and store what becomes of events, new ones and those that waited. Sets their guide, outcome and error.

    events: sound ones, or refused ones, which are stored as they are. guide: theirs, if an operator says so.
    """
    sound = [event for event in events if event.folded]
    codes = _codes(carrier, sound)
    wanted = []
    for event in sound:
        action = codes[event.folded].action if event.folded in codes else Action.UNKNOWN
        if action in {Action.UNKNOWN, Action.IGNORE}:
            event.outcome = EventOutcome.UNMAPPED if action == Action.UNKNOWN else EventOutcome.IGNORED
            event.error = ""
        else:
            wanted.append(event)
    planned: list[_Planned] = []
    guides: Sequence[GuideKey | str] = [guide] * len(wanted) if guide else find_guides(carrier, wanted)
    for event, found in zip(wanted, guides, strict=True):
        if isinstance(found, str):
            event.outcome, event.error = EventOutcome.PARKED, found
            continue
        event.guide_id, event.outcome, event.error = found.id, EventOutcome.APPLIED, ""
        if codes[event.folded].action == Action.STATUS:
            planned.append((event, move_of(carrier, event, codes[event.folded], found)))
    moved = {id(event) for event, _move in planned}
    if planned:
        retry(lambda: _apply(carrier, planned))
    store(carrier, [event for event in events if id(event) not in moved])


def store(carrier: Carrier, events: Iterable[CarrierEvent]) -> None:
    """Write events: new ones unless they are known, what became of the others.

    Nothing that a carrier says of an anonymised guide is stored.
    """
    new: list[CarrierEvent] = []
    known: list[CarrierEvent] = []
    for event in events:
        (known if event.pk else new).append(event)
    together = [*new, *known]
    ids = {event.guide_id for event in together if event.guide_id}
    with transaction.atomic():
        # Locked, as whoever anonymises a guide locks it: either that one finds the event, or this one the guide blank.
        guides = Guide.objects.filter(pk__in=ids).order_by("pk").select_for_update(no_key=True)
        anonymised = {key for key, moment in guides.values_list("pk", "anonymised_at") if moment}
        waiting = [event for event in together if event.guide_id is None]
        gone = anonymised_among(carrier, {name for event in waiting for name in _names_of(event)})
        for event in together:
            if event.guide_id in anonymised or (event.guide_id is None and not gone.isdisjoint(_names_of(event))):
                event.description = event.place = ""
        CarrierEvent.objects.bulk_create(new, batch_size=1_000, ignore_conflicts=True)
        CarrierEvent.objects.bulk_update(known, _WRITTEN, batch_size=200)


def _names_of(event: CarrierEvent) -> Sequence[str]:
    return event.tracking_code, event.hawb, event.number


def _codes(carrier: Carrier, events: Iterable[CarrierEvent]) -> Mapping[str, CarrierCode]:
    """Return the meanings of the events' codes. Unknown ones are added for operators, up to the limit."""
    named = {event.folded: event.code for event in events}
    known = {code.folded: code for code in CarrierCode.objects.filter(carrier=carrier, folded__in=named)}
    if new := [folded for folded in named if folded not in known]:
        room = max(0, MOST_CODES - CarrierCode.objects.filter(carrier=carrier).count())
        CarrierCode.objects.bulk_create(
            [CarrierCode(carrier=carrier, code=named[folded], folded=folded) for folded in sorted(new)[:room]],
            ignore_conflicts=True,
        )
    return known


def move_of(carrier: Carrier, event: CarrierEvent, code: CarrierCode, guide: GuideKey) -> Move:
    status, source = GuideStatus(code.status), Source(carrier.source)
    reported = ReportedEvent(status, source, event.occurred_at, client_note=code.client_note, doubt=event.doubt)
    return Move(guide.id, guide.manifest_id, reported, carrier.actor)


# --- moving -----------------------------------------------------------------------------------------------------


def _apply(carrier: Carrier, planned: Sequence[_Planned]) -> None:
    """Make the moves in the caller's transaction, with those of the same guides that are to be judged again.

    The manifests are locked first: nobody else can refuse or apply an event of these guides meanwhile.
    """
    lock_manifests(move.manifest_id for _event, move in planned)
    planned = [*planned, *_to_judge_again(planned)]
    advance_each([move for _event, move in planned], actor=carrier.actor)
    for event, move in planned:
        event.outcome = EventOutcome.REFUSED if move.refusal else EventOutcome.APPLIED
        event.error = move.refusal.code if move.refusal else ""
        if _contradicts(move):
            event.error = DELIVERED_AFTER_END
    store(carrier, [event for event, _move in planned])


def _contradicts(move: Move) -> bool:
    """Return whether the carrier delivered what ended here in another way: only a person can say which is right."""
    has_ended_otherwise = move.previous_status.kind is StatusKind.TERMINAL_EXCEPTION
    is_kept_aside = move.outcome is Outcome.HISTORY or isinstance(move.refusal, GuideAlreadyTerminal)
    return move.reported.status is GuideStatus.DELIVERED and has_ended_otherwise and is_kept_aside


def _to_judge_again(planned: Sequence[_Planned]) -> list[_Planned]:
    """Return the moves of events that were refused and may now be right."""
    by_guide: dict[int, list[_Planned]] = defaultdict(list)
    for event, move in planned:
        by_guide[move.guide_id].append((event, move))
    own = {event.pk for event, _move in planned if event.pk}
    refused = CarrierEvent.objects.filter(guide__in=by_guide, outcome=EventOutcome.REFUSED, error__in=JUDGED_AGAIN)
    others = [
        other
        for other in refused.exclude(pk__in=own).select_related("carrier").order_by("occurred_at", "id")
        if any(_is_before(event, other) for event, _move in by_guide[other.guide_id or 0])
    ]
    found = []
    for carrier in {other.carrier for other in others}:
        theirs = [other for other in others if other.carrier == carrier]
        codes = _codes(carrier, theirs)
        for other in theirs:
            code = codes.get(other.folded)
            if code is not None and code.action == Action.STATUS:
                _event, same = by_guide[other.guide_id or 0][0]
                found.append((other, move_of(carrier, other, code, GuideKey(same.guide_id, same.manifest_id))))
    return found


def _is_before(event: CarrierEvent, other: CarrierEvent) -> bool:
    return bool(event.occurred_at and other.occurred_at and event.occurred_at < other.occurred_at)
