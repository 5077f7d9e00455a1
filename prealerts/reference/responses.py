"""What the API answers, as DRF serializers: the document is made of them, the answers are not.

`shipments/v1/answers.py` builds the answers by hand, for speed. The tests send requests to every endpoint and hold
each answer against these classes: a field more or less, or another type, is a failure.
"""

from collections.abc import Iterable

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from shipments.manifests.findings import MAX_REPORTED
from shipments.statuses import GuideStatus, Source

KNOWN_WORDS = "x-extensible-enum"
"""Where the words that are in use today stand: more may come, so a closed `enum` would break careful clients."""


def described(schema: dict[str, object], **options: object) -> serializers.Field:  # type: ignore[type-arg]  # it has no value
    """A field that the document shows as exactly this JSON schema."""
    field = type("DescribedField", (serializers.Field,), {})
    return extend_schema_field(schema)(field)(**options)  # type: ignore[no-any-return]  # the decorator gives the class back


def word(description: str, known: Iterable[str]) -> serializers.Field:  # type: ignore[type-arg]  # as above
    """A word of a list that may grow."""
    return described({"type": "string", "description": description, KNOWN_WORDS: list(known)})


def _guide_status() -> serializers.Field:  # type: ignore[type-arg]  # as above
    return word("Where the guide stands. More statuses may come: tell them by `status_code`.", GuideStatus)


def _status_code() -> serializers.IntegerField:
    return serializers.IntegerField(
        min_value=1, help_text="The status as a number: from 21 an exception, from 91 the way has ended badly."
    )


def _kilograms(help_text: str, *, allow_null: bool = False) -> serializers.FloatField:
    return serializers.FloatField(min_value=0, allow_null=allow_null, help_text=help_text)


class GuideCode(serializers.Serializer[object]):
    """A guide that was created."""

    hawb = serializers.CharField(help_text="The house air waybill, trimmed and in capitals.")
    tracking_code = serializers.CharField(help_text="Issued by the service. Keep it: it is the way to the guide.")


class RowWarning(serializers.Serializer[object]):
    """Something in a row that could not be taken as it stood."""

    row_index = serializers.IntegerField(
        min_value=0, help_text="Workbook: the row as the spreadsheet numbers it, from 1. JSON: the position, from 0."
    )
    hawb = serializers.CharField(allow_blank=True, help_text="The row's HAWB; empty when it has none.")
    field = serializers.CharField(help_text="The field concerned, such as `consignee_rut`.")
    error_code = serializers.CharField(help_text="What is wrong, such as `rut_invalid_format`. More may come.")
    severity = serializers.CharField(help_text="`warning`.")
    message = serializers.CharField(help_text="For a person.")


class Notice(serializers.Serializer[object]):
    """An observation on content that was taken as it is; `row_index` and `hawb` are null when it is of no row."""

    code = serializers.CharField(help_text="What was noticed, such as `mawb_check_digit_mismatch`. More may come.")
    message = serializers.CharField(help_text="For a person.")
    row_index = serializers.IntegerField(min_value=0, allow_null=True)
    hawb = serializers.CharField(allow_null=True)


class UploadResult(serializers.Serializer[object]):
    """A pre-alert that was taken in."""

    success = described({"type": "boolean", "const": True})
    manifest_id = serializers.UUIDField(help_text="The manifest that was created.")
    flight_id = serializers.UUIDField(help_text="Its flight.")
    mawb = described({"type": "string", "pattern": r"^[0-9]{3}-[0-9]{8}$", "description": "In its normal form."})
    eta = serializers.DateTimeField(
        allow_null=True, help_text="Scheduled arrival, in the offset it came in; null when nobody told it."
    )
    guides_created = serializers.IntegerField(min_value=1)
    guides = GuideCode(many=True, help_text="One for each guide, in the manifest's order.")
    rut_invalid_count = serializers.IntegerField(
        min_value=0, help_text="Guides whose RUT is missing or wrong; always 0 for JSON, which refuses them."
    )
    warnings = RowWarning(many=True, help_text=f"The first {MAX_REPORTED:,} by row; a notice counts the others.")
    notices = Notice(many=True, help_text=f"At most {MAX_REPORTED:,}: those of the whole manifest first, then by row.")


class JsonResult(UploadResult):
    """A canonical JSON pre-alert that was taken in."""

    country = serializers.ChoiceField(["CL", "PE", "AR"], help_text="The country that the destination told.")


class MawbHead(serializers.Serializer[object]):
    """What list and detail both say of a MAWB."""

    manifest_id = serializers.UUIDField()
    mawb = described({"type": "string", "pattern": r"^[0-9]{3}-[0-9]{8}$", "description": "In its normal form."})
    status = word(
        "The least advanced progress status among guides that are neither at their end nor in an exception. When there "
        "is none: `exception`, `delivered` or `closed`.",
        ["registered", "customs_processing", "customs_released", "in_transit", "out_for_delivery", "delivered",
         "exception", "closed"],
    )  # fmt: skip
    eta = serializers.DateTimeField(allow_null=True, help_text="Scheduled arrival, in the offset it came in.")
    total_guides = serializers.IntegerField(min_value=0)
    total_weight_kg = _kilograms("What is known, added up.")
    total_pieces = serializers.IntegerField(min_value=0)
    total_fob_usd = serializers.FloatField(min_value=0, help_text="What is known, added up; US dollars.")
    guides_by_status = serializers.DictField(
        child=serializers.IntegerField(min_value=1), help_text="Only statuses that some guide has."
    )


class MawbSummary(MawbHead):
    """A MAWB in the list."""

    created_at = serializers.DateTimeField(help_text="When the manifest was taken in; UTC.")


class MawbList(serializers.Serializer[object]):
    """The newest MAWBs, newest first; empty when there is none."""

    mawbs = serializers.ListField(child=MawbSummary(), max_length=50)


class GuideSummary(GuideCode):
    """A guide of a MAWB."""

    status = _guide_status()
    status_code = _status_code()


class MawbDetail(MawbHead):
    """A MAWB with its guides."""

    guides = GuideSummary(many=True)


class GuideEvent(serializers.Serializer[object]):
    """An entry of the timeline."""

    status = _guide_status()
    status_code = _status_code()
    timestamp = serializers.DateTimeField(help_text="When it happened; UTC.")
    source = word("Who told us. More may come.", Source)  # type: ignore[assignment]  # DRF's Field has one of its own


class Guide(serializers.Serializer[object]):
    """A guide with its timeline. Numbers that the manifest did not tell are null."""

    hawb = serializers.CharField()
    tracking_code = serializers.CharField()
    mawb = described({"type": "string", "pattern": r"^[0-9]{3}-[0-9]{8}$", "description": "In its normal form."})
    status = _guide_status()
    status_code = _status_code()
    consignee_name = serializers.CharField(allow_blank=True, help_text="Personal data: treat it so.")
    weight_kg = _kilograms("Of the whole guide.", allow_null=True)
    packages_count = serializers.IntegerField(min_value=1)
    description_original = serializers.CharField(allow_blank=True)
    fob_usd = serializers.FloatField(min_value=0, allow_null=True, help_text="US dollars.")
    events = GuideEvent(many=True, help_text="The timeline, oldest first.")


class Liveness(serializers.Serializer[object]):
    """The process lives."""

    status = described({"type": "string", "const": "ok"})
