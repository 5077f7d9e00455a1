"""The bodies and queries of inbound batches. Unknown keys of a body are refused."""

from uuid import UUID

from django.core.validators import RegexValidator
from django.utils.translation import gettext_lazy as _
from rest_framework import serializers

from base.http.bodies import Flag, Moment, RequestBody, Text
from companies.countries import SERVED
from shipments.models import ScanOutcome
from shipments.models.inbound import LONGEST_BATCH_NOTE, ON_SCAN, BatchState
from shipments.v1.queries import Query

MOST_MAWBS = 50
MOST_SCANS = 200
MOST_PACKAGES = 100_000
LONGEST_CODE = 100
LONGEST_FACILITY = 32
FACILITY = RegexValidator(r"^[A-Za-z0-9][A-Za-z0-9._-]*\Z", _("Letters, digits, dots, hyphens and _."))


class NewBatch(RequestBody):
    """A receiving to open."""

    facility = Text(
        max_length=LONGEST_FACILITY,
        validators=[FACILITY],
        help_text="The place, such as `SCL-01`.",
    )
    country = serializers.ChoiceField([*SERVED])
    mawbs = serializers.ListField(
        child=Text(max_length=32), allow_empty=False, max_length=MOST_MAWBS, help_text="Whose guides are expected."
    )
    on_scan = serializers.ChoiceField(
        [status.value for status in ON_SCAN],
        required=False,
        allow_null=True,
        default=None,
        help_text="The status that a guide's first match reports; none if left out.",
    )
    note = Text(required=False, allow_blank=True, default="", max_length=LONGEST_BATCH_NOTE)


class Packages(serializers.IntegerField):
    """A whole number; not a text, which DRF would turn into one."""

    def to_internal_value(self, data: object) -> int:
        if isinstance(data, bool) or not isinstance(data, int):
            self.fail("invalid")
        return int(super().to_internal_value(data))


class ScanId(serializers.UUIDField):
    """A UUID as text; DRF would take a number, too."""

    def to_internal_value(self, data: object) -> UUID:
        if not isinstance(data, str):
            self.fail("invalid", value=data)
        return UUID(str(super().to_internal_value(data)))


class SentScan(RequestBody):
    """One scan. `scan_id`: yours, a UUID; sent again it counts once."""

    scan_id = ScanId()
    code = Text(max_length=LONGEST_CODE, help_text="A tracking code, or a HAWB.")
    scanned_at = Moment()
    packages = Packages(min_value=1, max_value=MOST_PACKAGES, default=1)
    is_damaged = Flag(default=False)
    note = Text(required=False, allow_blank=True, default="", max_length=LONGEST_BATCH_NOTE)


class Scans(RequestBody):
    """Scans, in their order."""

    scans = serializers.ListField(child=SentScan(), allow_empty=False, max_length=MOST_SCANS)


class ReceivedBag(RequestBody):
    """A bag to look into, or to receive."""

    bag = Text(max_length=LONGEST_CODE, help_text="Its code, as it was sent or in capitals.")
    dry_run = Flag(default=False, help_text="List its parcels, and receive none.")


class BatchesQuery(Query):
    """`GET inbound-batches`."""

    state = serializers.ChoiceField(BatchState.values, required=False)
    facility = serializers.CharField(required=False, max_length=32)
    mawb = serializers.CharField(required=False, max_length=32)
    created_from = Moment(required=False)


class ScansQuery(Query):
    """`GET inbound-batches/<id>/scans`."""

    outcome = serializers.ChoiceField(ScanOutcome.values, required=False)
