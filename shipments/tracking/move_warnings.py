"""What the preview of a move warns of: steps that are skipped, and flights that are still in the air."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from django.utils.translation import gettext

from companies.clocks import in_words
from companies.countries import SERVED
from shipments.labels import STATUS_LABELS
from shipments.models import GuideEvent, Manifest
from shipments.statuses import GuideStatus
from shipments.tracking.batches import Result

_BEFORE_CUSTOMS = {GuideStatus.REGISTERED, GuideStatus.IN_TRANSIT, GuideStatus.ON_HOLD}
_AT_THE_DOOR = {GuideStatus.OUT_FOR_DELIVERY, GuideStatus.DELIVERED, GuideStatus.DELIVERY_FAILED}
_OF_CUSTOMS = [status for status in GuideStatus if status.value.startswith("customs_")]


def warnings_of(results: Sequence[Result]) -> Mapping[int, Sequence[str]]:
    """Return the position of each result that deserves a look -> why, in the active language.

    A parcel does not leave for its consignee without customs, nor before its flight has landed. A guide in transit may
    have left customs before: then one of its events says so.
    """
    late = [
        (position, result)
        for position, result in enumerate(results)
        if result.outcome.is_move and result.move.reported.status in _AT_THE_DOOR
    ]
    warnings: dict[int, list[str]] = defaultdict(list)
    ids = {result.move.guide_id for _position, result in late}
    known = GuideEvent.objects.valid().filter(guide__in=ids, status__in=_OF_CUSTOMS)
    through = {*known.values_list("guide", flat=True)} if ids else set()
    for position, result in late:
        if result.previous_status in _BEFORE_CUSTOMS and result.move.guide_id not in through:
            names = {"previous": STATUS_LABELS[result.previous_status]}
            names["status"] = STATUS_LABELS[result.move.reported.status]
            warnings[position].append(gettext("from %(previous)s to %(status)s without customs") % names)
    manifests = {result.manifest.pk for _position, result in late}
    arrivals = dict(Manifest.objects.filter(pk__in=manifests).values_list("pk", "eta")) if manifests else {}
    for position, result in late:
        eta = arrivals.get(result.manifest.pk)
        if eta and eta > result.occurred_at:
            local = eta.astimezone(SERVED[result.manifest.country].clock)
            shown = f"{in_words(local)} {local.isoformat()[-6:].removesuffix(':00')}"
            warnings[position].append(gettext("the flight arrives on %s") % shown)
    return warnings
