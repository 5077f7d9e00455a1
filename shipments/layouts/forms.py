"""What a person says of a layout, in the form in which the API, files and the operators' page give it."""

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from django.utils.translation import gettext_lazy as _
from rest_framework import serializers

from base.errors import InvalidBody, ValidationFailed
from base.http.bodies import Flag, RequestBody, Text
from shipments.manifests.sheets.answer_rules import (
    CONSTANTS,
    DECIMAL_MARKS,
    KNOWN_CURRENCIES,
    LABEL_FIELDS,
    TOLD_FIELDS,
    WEIGHT_UNITS,
)

MOST_ANSWERS, MOST_LABELS, MOST_VALUES, LONGEST_TEXT = 256, 32, 200, 128
ROWS_WITHOUT_HAWB = ("products", "left_out")


class _Choice(Text):
    """One of some words; in the document a text, for more may come. null and "" are nothing."""

    default_error_messages = {"invalid_choice": serializers.ChoiceField.default_error_messages["invalid_choice"]}

    def __init__(self, words: Collection[str], note: str, *, required: bool = False, empty: bool = True) -> None:
        self._words = words
        listed = ", ".join(f"`{word}`" for word in words)
        super().__init__(required=required, allow_null=empty, allow_blank=empty, help_text=f"{note}: {listed}.")

    def to_internal_value(self, data: Any) -> str:  # noqa: ANN401  # any JSON
        word = super().to_internal_value(data)
        if word not in self._words:
            self.fail("invalid_choice", input=word[:LONGEST_TEXT])
        return word


def _text(most: int, note: str) -> Text:
    return Text(max_length=most, required=False, allow_blank=True, allow_null=True, help_text=note)


class _Values(serializers.DictField):
    """Text in the sheet -> its meaning."""

    def to_internal_value(self, data: Any) -> dict[str, str]:  # noqa: ANN401  # any JSON
        if not isinstance(data, Mapping):
            self.fail("not_a_dict", input_type=type(data).__name__)
        if len(data) > MOST_VALUES:
            raise serializers.ValidationError([_("Send at most %d.") % MOST_VALUES])
        text = Text(max_length=LONGEST_TEXT)
        return {text.run_validation(key): text.run_validation(value) for key, value in data.items()}


class ColumnAnswer(RequestBody):
    """What one column is."""

    heading = Text(max_length=256, help_text="As `GET layouts` has it.")
    group = _text(256, "The heading above it, where two columns have the same heading.")
    field = _Choice(
        [*TOLD_FIELDS, "consignee_rut", "extra_data"], "null if its values are only kept, else one of", required=True
    )
    key = _text(64, "The key in `extra_data`, for a column that is kept; without it, one of its heading.")
    unit = _Choice(WEIGHT_UNITS, "Of `weight_kg`")
    currency = _Choice(KNOWN_CURRENCIES, "Of `fob_usd` and `product_value`; only `USD` is read")
    decimals = _Choice(DECIMAL_MARKS, "The decimal mark of numbers in text; with `numeric` texts are not read")
    values = _Values(
        child=serializers.CharField(),
        required=False,
        allow_null=True,
        help_text=f"Of document types and categories: text in the sheet -> its meaning; at most {MOST_VALUES}.",
    )
    month_first = Flag(required=False, allow_null=True, help_text="Dates in text have the month before the day.")
    zone = _text(64, "Whose clock its times show: `origin`, `destination` or an IANA time zone.")


class LabelAnswer(RequestBody):
    """Where a value outside the table is, by `label`; or what it always is, by `value`."""

    field = _Choice([*LABEL_FIELDS, "zone"], "What it is", required=True, empty=False)
    label = _text(LONGEST_TEXT, "The text of the label beside the value.")  # type: ignore[assignment]  # a field's own attribute
    value = _text(64, f"For {', '.join(CONSTANTS)}: what it is in every workbook; the upload's form wins over it.")
    zone = _text(64, "With `label`: whose clock its times show.")


class LayoutAnswers(RequestBody):
    """All that is said of a layout. It replaces what was said before."""

    answers: Any = serializers.ListSerializer(child=ColumnAnswer(), required=False, max_length=MOST_ANSWERS)
    labels: Any = serializers.ListSerializer(child=LabelAnswer(), required=False, max_length=MOST_LABELS)
    rows_without_hawb = _Choice(
        ROWS_WITHOUT_HAWB, "Whether they are products of the guide above. Left out, the rows decide"
    )

    @classmethod
    def parse(cls, body: object) -> dict[str, Any]:
        """Return what was sent, without nulls. Raises `InvalidBody`, `ValidationFailed` with details by path."""
        if not isinstance(body, Mapping):
            raise InvalidBody
        reading = cls(data=body)
        if not reading.is_valid():
            raise ValidationFailed(details=dict(_by_path(reading.errors)))
        sent = reading.validated_data
        return {
            "answers": [_drop_empty(each) for each in sent.get("answers", ())],
            "labels": [_drop_empty(each) for each in sent.get("labels", ())],
            "rows_without_hawb": sent.get("rows_without_hawb") or "",
        }


def _drop_empty(sent: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in sent.items() if value not in (None, "", {}, False)}


def _by_path(found: Any, path: str = "") -> Iterator[tuple[str, list[str]]]:  # noqa: ANN401  # DRF's nested errors
    """Flatten DRF's errors: `answers[1].heading`."""
    if isinstance(found, Mapping):
        for name, each in found.items():
            below = f"{path}[{name}]" if isinstance(name, int) else f"{path}.{name}" if path else str(name)
            yield from _by_path(each, path if name == "non_field_errors" else below)
    else:
        yield path or "answers", [str(each) for each in found]
