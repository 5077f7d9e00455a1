"""One card for each column of a sample: what it serves, why it was guessed so, and what its field needs."""

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms
from django.utils.functional import Promise
from django.utils.translation import gettext, ngettext, pgettext_lazy
from django.utils.translation import gettext_lazy as _
from openpyxl.utils import get_column_letter
from unfold.widgets import UnfoldAdminSelectWidget, UnfoldAdminTextInputWidget, UnfoldBooleanWidget

from shipments.admin.field_labels import field_choices, field_label
from shipments.admin.formats.place_lines import ClockField
from shipments.manifests.cells import LONGEST_HEADING, Cell, text_of
from shipments.manifests.countries import rules_for
from shipments.manifests.mapped.guess import Guess
from shipments.manifests.mapped.sample import SampledHeading, has_two_orders, is_month_first, is_undecided, lacks_zone
from shipments.manifests.mapped.spec import (
    MOST_TEXTS,
    NUMBERS,
    TIMES,
    TRANSLATED,
    is_locked,
)
from shipments.manifests.sheets.columns import normal_value
from shipments.manifests.words.amounts import UNITS, decimal_mark, read_money, read_weight

CONFIDENCE: Mapping[str, tuple[str | Promise, str]] = {
    "sure": (_("Sure"), "pa-success"),
    "likely": (_("Likely"), "pa-info"),
    "doubtful": (_("Doubtful"), "pa-warning"),
    "none": (_("No suggestion"), "pa-muted"),
}
"""Confidence of a guess -> its word and colour."""

LEFT_EMPTY = "-"
"""The choice of a value that is left empty with a warning."""

_SHOWN_READINGS = 2
_KEPT = ("heading", "group", "right_of", "also")


class CardForm(forms.Form):
    """What one column serves. Controls that the chosen field does not need are hidden by style and ignored."""

    field = forms.ChoiceField(
        label=pgettext_lazy("a column, from now on", "Read as"), required=False, widget=UnfoldAdminSelectWidget
    )
    key = forms.CharField(
        label=_("Name of the extra data"), max_length=64, required=False, widget=UnfoldAdminTextInputWidget
    )
    unit = forms.ChoiceField(label=_("Unit"), required=False, widget=UnfoldAdminSelectWidget)
    decimals = forms.ChoiceField(label=_("Decimal mark"), required=False, widget=UnfoldAdminSelectWidget)
    order = forms.ChoiceField(
        label=_("Dates typed as text"),
        choices=[("", _("Choose the order")), ("day", _("day/month")), ("month", _("month/day"))],
        required=False,
        widget=UnfoldAdminSelectWidget,
    )
    zone = ClockField()
    empty = forms.CharField(
        label=_("Also empty"),
        help_text=_("Texts that mean nothing, separated by semicolons: - ; S/N"),
        max_length=500,
        required=False,
        widget=UnfoldAdminTextInputWidget,
    )
    is_required = forms.BooleanField(
        label=_("Refuse workbooks without this column"), required=False, widget=UnfoldBooleanWidget
    )

    def __init__(
        self,
        country: str,
        heading: SampledHeading,
        guess: Guess,
        column: Mapping[str, Any],
        values: Sequence[Cell],
        distinct: Sequence[str],
        data: Any = None,  # noqa: ANN401  # a form's data
    ) -> None:
        """Arguments: distinct: the different texts of a column with a table of values, else empty."""
        self.country, self.heading, self.guess, self.column = country, heading, guess, column
        self.values = values
        super().__init__(data, prefix=f"c{heading.column}", initial=_initial(column))
        fields: Any = self.fields
        fields["field"].choices = field_choices(country)
        fields["unit"].choices = [("", _("Choose the unit")), *((unit, unit) for unit in UNITS)]
        fields["decimals"].choices = _decimal_choices(values)
        if not any(map(has_two_orders, values)):
            del fields["order"]
        if any(map(lacks_zone, values)):
            fields["zone"].offer(column.get("zone", ""))
        else:
            del fields["zone"]
        self._add_values(distinct)

    def _add_values(self, distinct: Sequence[str]) -> None:
        """Ask what each text means. Those that are a meaning's own name are filled in."""
        name = self.column.get("field") or ""
        meanings = meanings_of(name, self.country)
        told = self.column.get("values") or {}
        self.texts = {f"value{number}": text for number, text in enumerate(distinct)} if name in TRANSLATED else {}
        for key, text in self.texts.items():
            usual = text if text in dict(meanings) else ""
            self.fields[key] = forms.ChoiceField(
                label=text,
                choices=[("", _("Choose")), (LEFT_EMPTY, _("Left empty, with a warning")), *meanings],
                required=False,
                initial=told.get(text, LEFT_EMPTY if told else usual),
                widget=UnfoldAdminSelectWidget,
            )

    # --- what the page shows ------------------------------------------------------------------------------------------

    @property
    def letter(self) -> str:
        return get_column_letter(self.heading.column + 1)

    @property
    def name(self) -> str:
        if not self.heading.heading:
            return gettext("No heading, right of “%s”") % self.heading.left
        group = self.heading.group
        return f"{group} / {self.heading.heading}" if group else self.heading.heading

    @property
    def word(self) -> tuple[str | Promise, str]:
        return CONFIDENCE[self.guess.confidence]

    @property
    def evidence(self) -> str:
        """Why it was guessed, in words."""
        guess = self.guess
        if guess.rivals and guess.field:
            rivals = ", ".join(f"“{text}”" for text in guess.rivals)
            return gettext("Also possible for %(field)s: %(columns)s.") % {
                "field": field_label(guess.field),
                "columns": rivals,
            }
        if guess.rivals:
            return gettext("The heading may mean: %s.") % ", ".join(map(field_label, guess.rivals))
        if not guess.field:
            return ""
        text = ngettext("%(fitting)d of %(filled)d value fits", "%(fitting)d of %(filled)d values fit", guess.filled)
        fits = f"{field_label(guess.field)}: {text % {'fitting': guess.fitting, 'filled': guess.filled}}"
        foreign = gettext("a document of another country")
        return f"{fits} · {foreign}" if guess.is_foreign else fits

    @property
    def has_more(self) -> bool:
        """Whether something was said about empty texts, or is wrong with it."""
        return bool(self.column.get("empty") or "empty" in self.errors)

    @property
    def value_fields(self) -> list[forms.BoundField]:
        return [self[key] for key in self.texts]

    # --- what was chosen ----------------------------------------------------------------------------------------------

    def clean(self) -> dict[str, Any]:
        """Check what the chosen field needs, where nothing may be guessed."""
        values: dict[str, Any] = self.cleaned_data
        name = values.get("field", "")
        if name == "extra_data" and not values.get("key"):
            self.add_error("key", gettext("Give it a short name, such as brand."))
        if name in NUMBERS and not values.get("decimals") and is_undecided(self.values):
            text = gettext("No number of this column shows which mark is the decimal one: choose it.")
            self.add_error("decimals", text)
        if name in TIMES and "order" in self.fields and not values.get("order"):
            self.add_error("order", gettext("The dates can be read in two ways: choose the order of day and month."))
        if name == self.column.get("field"):  # otherwise the table of values was not shown
            for key in self.texts:
                if not values.get(key):
                    self.add_error(key, gettext("Choose what it means."))
        empty = [text.strip() for text in values.get("empty", "").split(";") if text.strip()]
        if len(empty) > MOST_TEXTS or any(len(text) > LONGEST_HEADING for text in empty):
            self.add_error("empty", gettext("These are too many or too long."))
        values["empty_texts"] = empty
        return values

    def lacks_meanings(self) -> bool:
        """Whether a table of values has to be filled in that this page did not have yet."""
        name = self.cleaned_data.get("field", "")
        return name in TRANSLATED and name != self.column.get("field") and bool(self.values)

    def chosen(self) -> dict[str, Any]:
        """The column as a format's file has it. Values of fields in error are left out."""
        values = self.cleaned_data
        name = values.get("field", "")
        column = {key: self.column[key] for key in _KEPT if key in self.column} | {"field": name or None}
        if not name:
            return column
        if name == "weight_kg" and values.get("unit"):
            column["unit"] = values["unit"]
        if name == "extra_data":
            column["key"] = values.get("key", "")
        if name in NUMBERS and values.get("decimals"):
            column["decimals"] = values["decimals"]
        is_month = "order" not in self.fields and any(map(is_month_first, self.values))
        if name in TIMES and (is_month or values.get("order") == "month"):
            column["month_first"] = True
        if name in TIMES and values.get("zone"):
            column["zone"] = values["zone"]
        meant = {text: values.get(key, "") for key, text in self.texts.items()} if name in TRANSLATED else {}
        if any(meaning != text for text, meaning in meant.items()):
            column["values"] = {text: meaning for text, meaning in meant.items() if meaning not in {"", LEFT_EMPTY}}
        if values.get("empty_texts"):
            column["empty"] = values["empty_texts"]
        column["required"] = is_locked(self.country, name) or bool(values.get("is_required"))
        return column


def meanings_of(name: str, country: str) -> list[tuple[str, str]]:
    """What a value of a translated field can mean in a country."""
    if name == "category":
        return [(number, number) for number in "1234"]
    return [(kind.name, kind.name) for kind in rules_for(country).documents]


def distinct_texts(texts: Sequence[str], most: int) -> list[str]:
    """The different texts of a column in the form in which cells are compared, at most `most`."""
    return sorted(dict.fromkeys(normal_value(text) for text in texts))[:most]


def _initial(column: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "field": column.get("field") or "",
        "key": column.get("key", ""),
        "unit": column.get("unit", ""),
        "decimals": column.get("decimals", ""),
        "order": "month" if column.get("month_first") else "",
        "zone": column.get("zone", ""),
        "empty": " ; ".join(column.get("empty", ())),
        "is_required": column.get("required", False),
    }


def _decimal_choices(values: Sequence[Cell]) -> list[tuple[str, object]]:
    """The decimal marks, each with how it reads the first numbers that were typed as text."""
    typed = [text_of(value) for value in values if isinstance(value, str) and decimal_mark(value)][:_SHOWN_READINGS]

    def told(label: str | Promise, mark: str) -> str:
        shown = "; ".join(f"{text} → {_read(text, mark)}" for text in typed)
        return f"{label}: {shown}" if shown else str(label)

    return [
        ("", _("Each column's cells decide")),
        ("comma", told(_("Comma"), ",")),
        ("point", told(_("Point"), ".")),
        ("numeric", _("Numeric cells only; texts are not read")),
    ]


def _read(text: str, mark: str) -> str:
    amount = read_weight(text, mark=mark)
    read = amount if amount.value is not None else read_money(text, mark)
    return "?" if read.value is None else str(read.value)
