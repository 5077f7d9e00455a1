"""What carriers' codes mean: a table that operators edit. A changed meaning never rewrites past events."""

from collections.abc import Iterator

from django.utils.translation import gettext as _

from base.errors import ValidationFailed
from shipments.carriers.adapters import ADAPTERS
from shipments.carriers.guides import GuideKey, find_guides
from shipments.carriers.processing import move_of, settle
from shipments.carriers.reported import fits, fold_code
from shipments.models import Action, Carrier, CarrierCode, CarrierEvent, EventOutcome
from shipments.models.carriers import CODE_LENGTH, MOST_CODES
from shipments.statuses import GuideStatus
from shipments.tracking.advancing import advance_each
from shipments.tracking.moves import Move, text_problem

APPLIED_AT_ONCE = 1_000


def seed_codes(carrier: Carrier) -> None:
    """Give a new carrier the meanings that its adapter's documentation has."""
    CarrierCode.objects.bulk_create(
        CarrierCode(carrier=carrier, code=code, folded=fold_code(code), action=action, status=status)
        for code, (action, status) in ADAPTERS[carrier.adapter].SEEDS.items()
    )


def map_code(
    carrier: Carrier, code: str, action: Action, status: GuideStatus | None = None, *, client_note: str = "", by: str
) -> CarrierCode:
    """Say what a code means from now on. Raises `ValidationFailed`. Events that wait are applied by `apply_waiting`.

    status: with `Action.STATUS` alone. client_note: our own words for clients, sent with that status.
    """
    problems = {}
    code = " ".join(code.split())
    if not code or not fits(code) or text_problem(code):
        problems["code"] = [_("Enter a code of at most %d characters.") % CODE_LENGTH]
    if (action == Action.STATUS) is (status is None) or action == Action.UNKNOWN or status is GuideStatus.REGISTERED:
        problems["status"] = [_("Choose a status, or another meaning.")]
    if problem := text_problem(client_note):
        problems["client_note"] = [problem]
    if client_note and action != Action.STATUS:
        problems["client_note"] = [_("Only a status has a note to the client.")]
    theirs = CarrierCode.objects.filter(carrier=carrier)
    is_new = not theirs.filter(folded=fold_code(code)).exists()
    if not problems and is_new and theirs.count() >= MOST_CODES:
        problems["code"] = [_("A carrier has at most %d codes; delete unknown ones first.") % MOST_CODES]
    if problems:
        raise ValidationFailed(details=problems)
    meaning = {"action": action, "status": status or "", "client_note": client_note, "updated_by": by}
    meant, _made = CarrierCode.objects.update_or_create(
        carrier=carrier, folded=fold_code(code), defaults=meaning, create_defaults={**meaning, "code": code}
    )
    return meant


def preview(code: CarrierCode, status: GuideStatus) -> list[Move]:
    """Return what would happen to the guides of the events that wait, first come first, if the code meant a status.

    At most `APPLIED_AT_ONCE`; events without a guide are left out.
    """
    waiting = next(waiting_for(code), [])
    meant = CarrierCode(action=Action.STATUS, status=status.value)
    found = find_guides(code.carrier, waiting, binds=False)
    pairs = zip(waiting, found, strict=True)
    moves = [move_of(code.carrier, event, meant, guide) for event, guide in pairs if isinstance(guide, GuideKey)]
    return advance_each(moves, actor=code.carrier.actor, dry_run=True)


def waiting_for(code: CarrierCode) -> Iterator[list[CarrierEvent]]:
    """Yield the events that wait for the meaning of a code, some at a time."""
    waiting = CarrierEvent.objects.filter(
        carrier_id=code.carrier_id, outcome=EventOutcome.UNMAPPED, folded=code.folded
    ).order_by("id")
    last = 0
    while some := list(waiting.filter(id__gt=last).select_related("carrier")[:APPLIED_AT_ONCE]):
        last = some[-1].pk
        yield some


def apply_waiting(code: CarrierCode) -> int:
    """Apply the events that waited for the meaning of a code, at their own times. Returns how many there were."""
    applied = 0
    for some in waiting_for(code):
        settle(code.carrier, some)
        applied += len(some)
    return applied
