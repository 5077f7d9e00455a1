"""One card for each column of a sample: what it serves, why it was guessed so, and what its field needs."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from django import forms
from django.utils.formats import number_format
from django.utils.functional import Promise
from django.utils.translation import gettext, ngettext, pgettext_lazy
from django.utils.translation import gettext_lazy as _
from openpyxl.utils import get_column_letter
from unfold.widgets import UnfoldAdminSelectWidget, UnfoldAdminTextInputWidget, UnfoldBooleanWidget

from shipments.admin.field_labels import field_choices, field_label
from shipments.admin.formats.forms import Asked
from shipments.admin.formats.place_lines import TimeForm
from shipments.errors import FormatInvalid
from shipments.formats.drafting import Look, SampleColumn, needs
from shipments.manifests.cells import LONGEST_HEADING, Cell, text_of
from shipments.manifests.countries import rules_for
from shipments.manifests.mapped.sample import SampledHeading, has_two_orders, is_month_first, is_undecided, lacks_zone
from shipments.manifests.mapped.spec import (
    MOST_TEXTS,
    NUMBERS,
    SHARED_FIELDS,
    TIMES,
    TRANSLATED,
    from_json,
    is_locked,
    meanings_of,
)
from shipments.manifests.words.amounts import UNITS, decimal_mark, read_money, read_weight
from shipments.manifests.words.spelling import fold
from shipments.models import FormatDraft
from shipments.wording.rendering import quoted

CONFIDENCE: Mapping[str, tuple[str | Promise, str]] = {
    "sure": (_("Sure"), "pa-success"),
    "likely": (_("Likely"), "pa-info"),
    "doubtful": (_("Check it"), "pa-warning"),
    "none": (_("No suggestion"), "pa-muted"),
}
"""Confidence of a guess -> its word and colour."""

LEFT_EMPTY = "-"
"""The choice of a value that is left empty with a warning."""

_SHOWN_READINGS = 2
_LONGEST_KEY = 64
_KEPT = ("heading", "group", "right_of", "also")


class CardForm(TimeForm):
    """What one column serves. Controls that the chosen field does not need are hidden by style and ignored."""

    field = forms.ChoiceField(
        label=pgettext_lazy("a column, from now on", "Read as"), required=False, widget=UnfoldAdminSelectWidget
    )
    key = forms.CharField(
        label=_("Name of the data"), max_length=_LONGEST_KEY, required=False, widget=UnfoldAdminTextInputWidget
    )
    unit = forms.ChoiceField(label=_("Unit"), required=False, widget=UnfoldAdminSelectWidget)
    decimals = forms.ChoiceField(
        label=_("Decimal mark"),
        choices=[
            ("", _("Each column's cells decide")),
            ("comma", _("Comma")),
            ("point", _("Point")),
            ("numeric", _("Numeric cells only; texts are not read")),
        ],
        required=False,
        widget=UnfoldAdminSelectWidget,
    )
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

    def __init__(self, *args: Any, country: str, column: SampleColumn, **options: Any) -> None:  # noqa: ANN401  # a form's
        super().__init__(*args, **options)
        self.country, self.heading, self.guess = country, column.heading, column.guess
        self.told, self.values = column.told, column.values
        self.texts = {f"value{number}": text for number, text in enumerate(column.texts)}
        fields: Any = self.fields
        fields["field"].choices = field_choices(country)
        fields["unit"].choices = [("", _("Choose the unit")), *((unit, unit) for unit in UNITS)]
        if readings := _two_readings(self.values):
            fields["decimals"].help_text = readings
        else:
            del fields["decimals"]  # all marks read the same
        if not any(map(has_two_orders, self.values)):
            del fields["order"]
        if not any(map(lacks_zone, self.values)):
            del fields["zone"]
        meanings = [(each, each) for each in meanings_of(self.told["field"], country)] if self.texts else []
        codes = rules_for(country).document_codes if self.told.get("field") == "consignee_document_type" else {}
        for key, text in self.texts.items():
            fields[key] = forms.ChoiceField(
                label=text,
                help_text=gettext("Customs' own code: check that the client means it.") if text in codes else "",
                choices=[("", _("Choose")), (LEFT_EMPTY, _("Left empty, with a warning")), *meanings],
                required=False,
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
            rivals = ", ".join(map(quoted, guess.rivals))
            return gettext("Also possible for %(field)s: %(columns)s.") % {
                "field": field_label(guess.field),
                "columns": rivals,
            }
        if guess.rivals:
            return gettext("The heading may mean: %s.") % ", ".join(map(field_label, guess.rivals))
        if not guess.field:
            return ""
        text = ngettext("%(fitting)d of %(filled)d value fits", "%(fitting)d of %(filled)d values fit", guess.filled)
        label = field_label(f"+{guess.key}" if guess.key else guess.field)
        fits = f"{label}: {text % {'fitting': guess.fitting, 'filled': guess.filled}}"
        foreign = gettext("a document of another country")
        return f"{fits} · {foreign}" if guess.is_foreign else fits

    @property
    def has_more(self) -> bool:
        """Whether something was said about empty texts, or is wrong with it."""
        return bool(self.told.get("empty") or "empty" in self.errors)

    @property
    def value_fields(self) -> list[forms.BoundField]:
        return [self[key] for key in self.texts]

    # --- what was chosen ----------------------------------------------------------------------------------------------

    def clean(self) -> dict[str, Any]:
        """Check what the chosen field needs, where nothing may be guessed."""
        values: dict[str, Any] = self.cleaned_data
        name = values.get("field", "")
        if name == "extra_data" and not (values.get("key") or _key_of(self.heading)):
            self.add_error("key", gettext("Give it a short name, such as brand."))
        if name in NUMBERS and "decimals" in self.fields and not values.get("decimals") and is_undecided(self.values):
            text = gettext("No number of this column shows which mark is the decimal one: choose it.")
            self.add_error("decimals", text)
        if name in TIMES and "order" in self.fields and not values.get("order"):
            self.add_error("order", gettext("The dates can be read in two ways: choose the order of day and month."))
        if name == self.told.get("field"):  # otherwise the table of values was not shown
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
        return name in TRANSLATED and name != self.told.get("field") and bool(self.values)

    def chosen(self) -> dict[str, Any]:
        """The column as a format's file has it. Values of fields in error are left out."""
        values = self.cleaned_data
        name = values.get("field", "")
        column = {key: self.told[key] for key in _KEPT if key in self.told} | {"field": name or None}
        if not name:
            return column
        is_time, is_month = name in TIMES, "order" not in self.fields and any(map(is_month_first, self.values))
        meant = {text: values.get(key, "") for key, text in self.texts.items()} if name in TRANSLATED else {}
        is_translated = any(meaning != text for text, meaning in meant.items())
        customs, key = name.removeprefix("+"), values.get("key") or _key_of(self.heading)
        answers = {
            "field": "extra_data" if customs != name else name,
            "key": customs if customs != name else name == "extra_data" and key,
            "unit": name == "weight_kg" and values.get("unit"),
            "decimals": name in NUMBERS and values.get("decimals", self.told.get("decimals")),
            "month_first": is_time and (is_month or values.get("order") == "month"),
            "zone": is_time and values.get("zone"),
            "values": is_translated and {text: each for text, each in meant.items() if each not in {"", LEFT_EMPTY}},
            "empty": values.get("empty_texts"),
        }
        required = is_locked(self.country, name) or bool(values.get("is_required"))
        return column | {key: answer for key, answer in answers.items() if answer} | {"required": required}


def _proposal(column: SampleColumn, country: str) -> dict[str, Any]:
    """What a card shows at first. Texts that are a meaning's own name, or customs' code for it, have that meaning."""
    told, rules, texts = column.told, rules_for(country), column.texts
    key, name, meant = told.get("key", ""), told.get("field") or "", told.get("values") or {}
    is_customs = key in rules.extra_keys()
    names = {each: each for each in meanings_of(name, country)} if texts else {}
    usual = {**(rules.document_codes if name == "consignee_document_type" else {}), **names}
    return {
        "field": f"+{key}" if is_customs else name,
        "key": "" if is_customs else key or _key_of(column.heading),
        "unit": told.get("unit"),
        "decimals": told.get("decimals"),
        "order": "month" if told.get("month_first") else "",
        "zone": told.get("zone"),
        "empty": " ; ".join(told.get("empty", ())),
        "is_required": told.get("required"),
        **{
            f"value{number}": meant.get(text, LEFT_EMPTY) if meant else usual.get(text, "")
            for number, text in enumerate(texts)
        },
    }


def _key_of(heading: SampledHeading) -> str:
    """The name of extra data after its heading."""
    return "_".join(fold(heading.heading))[:_LONGEST_KEY]


def _two_readings(values: Sequence[Cell]) -> str:
    """The first texts that the decimal marks read differently, with both readings; empty without such texts."""
    typed = dict.fromkeys(text_of(value) for value in values if isinstance(value, str) and decimal_mark(value))
    readings = ((text, _read(text, ","), _read(text, ".")) for text in typed)
    differing = islice(((text, comma, point) for text, comma, point in readings if comma != point), _SHOWN_READINGS)
    sentence = gettext("“%(text)s” is %(comma)s with a comma, %(point)s with a point.")
    return " ".join(sentence % {"text": text, "comma": comma, "point": point} for text, comma, point in differing)


def _read(text: str, mark: str) -> str:
    """A number as the operator writes it."""
    amount = read_weight(text, "kg", mark)
    read = amount if amount.value is not None else read_money(text, mark)
    return "?" if read.value is None else number_format(read.value.normalize(), force_grouping=True)


class Cards(Asked):
    """A card for each column of a draft, as posted or as the draft has it."""

    def __init__(self, draft: FormatDraft, look: Look, posted: Any = None) -> None:  # noqa: ANN401  # a form's data
        self._content = look.content
        parts = {
            f"c{column.heading.column}": (
                {"country": draft.country, "column": column},
                _proposal(column, draft.country),
            )
            for column in look.columns
        }
        super().__init__(parts, posted)

    def content(self) -> dict[str, Any]:
        """The draft's content with what was chosen, of an invalid set also."""
        self.is_valid()
        return {**self._content, "columns": self._columns}

    def lacks_meanings(self) -> bool:
        """Whether a table of values has to be filled in that the page did not have yet."""
        return any(card.lacks_meanings() for card in self.forms)

    def clean(self) -> None:
        """Check what the columns lack together; mark the cards of a field that is served twice."""
        self._columns = [card.chosen() for card in self.forms]  # before a field in error is taken away
        by_field: dict[str, list[CardForm]] = {}
        for card, column in zip(self.forms, self._columns, strict=True):
            by_field.setdefault(column["field"] or "", []).append(card)
        for name, serving in by_field.items():
            if name and len(serving) > 1 and name not in SHARED_FIELDS:
                for card in serving:
                    text = gettext("Several columns are read as %s. Choose one.") % field_label(name)
                    card.add_error("field", text)
        for card in by_field.get("weight_kg", ()):
            if "weight_unit" not in by_field and not card.cleaned_data.get("unit"):
                card.add_error("unit", gettext("Choose the unit; the heading does not name one."))
        if problems := [*self._problems({**self._content, "columns": self._columns})]:
            raise forms.ValidationError(problems)

    def _problems(self, content: Mapping[str, Any]) -> Iterator[str]:
        if lacking := [field_label(name) for name, headings in needs(content).items() if not headings]:
            yield gettext("No column yet for: %s.") % ", ".join(lacking)
        if any(card.errors for card in self.forms):
            yield gettext("Some columns need an answer; they are marked.")
        elif not lacking:
            try:
                from_json(content)
            except FormatInvalid as refused:
                yield gettext("The format is not complete: %s") % refused.message


CARDS: Any = forms.formset_factory(CardForm, formset=Cards)
