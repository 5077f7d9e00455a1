"""The bodies of operators' requests about guides. Unknown keys are refused."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.core.validators import RegexValidator
from django.utils import timezone
from django.utils.translation import gettext as _, gettext_lazy
from rest_framework import serializers

from base.http.bodies import Flag, Moment, RequestBody, Text
from companies.countries import SERVED
from shipments.manifests.guide_fields import CONSIGNEE_FIELDS, LONGEST
from shipments.statuses import GuideStatus, Source
from shipments.tracking.moves import CLOCK_TOLERANCE, REASON_LENGTH

MOST_IDS = 200
LONGEST_ID = 100

CUSTOMS_STATUSES: Mapping[str, GuideStatus] = {
    "processing": GuideStatus.CUSTOMS_PROCESSING,
    "released": GuideStatus.CUSTOMS_RELEASED,
    "held": GuideStatus.CUSTOMS_HELD,
    "documents_required": GuideStatus.CUSTOMS_DOCUMENTS_REQUIRED,
    "duties_pending": GuideStatus.CUSTOMS_DUTIES_PENDING,
    "rejected": GuideStatus.CUSTOMS_REJECTED,
}
CHANNELS = ("green", "orange", "red")
"""The channels of customs: no inspection, of the documents, of the goods."""
_DECLARATION = r"^[A-Z0-9./ -]{1,64}\Z"


class PastMoment(Moment):
    """A time that is not ahead of ours, but for the difference of two clocks."""

    default_error_messages = {"future": gettext_lazy("Must not be more than five minutes in the future.")}

    def to_internal_value(self, data: object) -> datetime:
        moment = super().to_internal_value(data)
        if moment - timezone.now() > CLOCK_TOLERANCE:
            self.fail("future")
        return moment


class _Moves(RequestBody):
    """What both calls have. `dry_run`: the same answer, and nothing is written."""

    ids = serializers.ListField(
        child=Text(max_length=LONGEST_ID),
        allow_empty=False,
        max_length=MOST_IDS,
        help_text="Tracking codes, or `MAWB/HAWB`; each guide once.",
    )
    occurred_at = PastMoment(required=False, help_text="When it happened; now if left out.")
    client_note = Text(required=False, allow_blank=True, max_length=REASON_LENGTH, help_text="Sent to the client.")
    dry_run = Flag(default=False)


class Advance(_Moves):
    """`POST guides/bulk-advance-status`."""

    status = serializers.ChoiceField([each.value for each in GuideStatus if each is not GuideStatus.REGISTERED])
    source = serializers.ChoiceField(  # type: ignore[assignment]  # a field's own attribute
        [Source.OPERATOR.value, Source.CARRIER.value, Source.COURIER_SCAN.value], default=Source.OPERATOR.value
    )
    internal_note = Text(
        required=False, allow_blank=True, max_length=REASON_LENGTH, help_text="For operators; no client sees it."
    )
    country = serializers.ChoiceField([*SERVED], required=False, help_text="The country that all ids must be of.")


class Customs(_Moves):
    """`POST guides/bulk-customs-status`."""

    country = serializers.ChoiceField([*SERVED], help_text="The country that all ids must be of.")
    customs_status = serializers.ChoiceField([*CUSTOMS_STATUSES])
    declaration = Text(
        required=False,
        validators=[RegexValidator(_DECLARATION, "1 to 64 capital letters, digits, spaces, - . or /.")],
        help_text="Its number, such as `DIN 3670045-1`.",
    )
    channel = serializers.ChoiceField(CHANNELS, required=False)


class Consignee(RequestBody):
    """`PATCH guides/<tracking_code>/consignee`: the fields to change; the others stay."""

    def get_fields(self) -> dict[str, Any]:
        return {name: Text(required=False, allow_blank=True, max_length=LONGEST[name]) for name in CONSIGNEE_FIELDS}

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if not attrs:
            raise serializers.ValidationError({"consignee_name": [_("Send at least one field of the consignee.")]})
        return attrs


class Refresh(RequestBody):
    """Nothing."""
