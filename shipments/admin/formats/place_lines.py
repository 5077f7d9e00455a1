"""Where things are in a sample: a line each for what the waybill and the flight say."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext, pgettext
from django.utils.translation import gettext_lazy as _
from unfold.widgets import UnfoldAdminSelectWidget, UnfoldAdminTextInputWidget, UnfoldBooleanWidget

from companies.country_names import country_name
from shipments.admin.field_labels import field_label
from shipments.admin.formats.forms import Asked
from shipments.formats.drafting import Look
from shipments.manifests.cells import LONGEST_HEADING, Cell, text_of
from shipments.manifests.destinations import airport_country, place_country
from shipments.manifests.mapped.house.house_layouts import DESTINATION, LAYOUTS
from shipments.manifests.mapped.sample import (
    LABELLED_FIELDS,
    HeadingPlace,
    LabelledCell,
    has_two_orders,
    is_month_first,
    lacks_zone,
)
from shipments.manifests.mapped.spec import TIMES, heading_key, time_zones
from shipments.models import FormatDraft
from shipments.wording.rendering import quoted

LABEL, COLUMN, OTHER, ALWAYS, FORM, NONE = "label:", "column", "other", "always", "form", "none"
_OF_THE_MANIFEST = ("mawb", "destination")
"""What a format must find; the others are of the flight."""
MOST_COLUMNS = 120
"""The most columns that the pages show, within the most fields that a form may have."""

_SHOWN = 40
"""Characters of a cell."""

_USUAL_CLOCKS = (
    "America/Santiago", "America/Lima", "America/Argentina/Buenos_Aires", "America/Bogota", "America/Sao_Paulo",
    "America/Mexico_City", "America/New_York", "Europe/Madrid", "Asia/Shanghai", "UTC",
)  # fmt: skip


def _clocks() -> list[tuple[Any, object]]:
    """Whose clock times can show: those that are usual, then any other."""
    usual, others = ([(zone, zone) for zone in zones] for zones in (_USUAL_CLOCKS, sorted(time_zones())))
    ends = [("", _("Each airport's own")), ("origin", _("Of the origin")), ("destination", _("Of the destination"))]
    return [*ends, *usual, (_("All time zones"), others)]


class TimeForm(forms.Form):
    """How times are read, where they are texts."""

    order = forms.ChoiceField(
        label=_("Dates typed as text"),
        choices=[("", _("Choose the order")), ("day", _("day/month")), ("month", _("month/day"))],
        required=False,
        widget=UnfoldAdminSelectWidget,
    )
    zone = forms.ChoiceField(
        label=_("Clock of times typed as text"),
        help_text=_("A time with its own offset, such as 14:30 -05:00, is read by that."),
        choices=_clocks,
        required=False,
        widget=UnfoldAdminSelectWidget,
    )


class LineForm(TimeForm):
    """One line: where a value is. The MAWB and the destination must be chosen; a flight may be absent."""

    where = forms.ChoiceField(widget=UnfoldAdminSelectWidget, required=False)
    other = forms.CharField(
        label=_("Other label"), max_length=LONGEST_HEADING, required=False, widget=UnfoldAdminTextInputWidget
    )
    airport = forms.CharField(label=_("Airport"), max_length=3, required=False, widget=UnfoldAdminTextInputWidget)
    field_order = ("where", "other", "airport")  # Django's

    def __init__(self, *args: Any, name: str, country: str, labels: Sequence[LabelledCell], **options: Any) -> None:  # noqa: ANN401  # a form's
        """Arguments: labels: of the sample, with values that the field can have."""
        super().__init__(*args, **options)
        self.name, self.country, self.title = name, country, field_label(name)
        self.labels = {f"{LABEL}{each.label}": each for each in labels}
        fields: Any = self.fields
        fields["where"].label = self.title
        fields["where"].choices = [*_choices(name, labels)]
        values = [each.value for each in labels]
        if name != "destination":
            del fields["airport"]
        if name not in TIMES or (labels and not any(map(has_two_orders, values))):
            del fields["order"]
        if name not in TIMES or (labels and not any(map(lacks_zone, values))):
            del fields["zone"]

    def clean(self) -> dict[str, Any]:
        """Check what the choice needs."""
        values: dict[str, Any] = self.cleaned_data
        where = values.get("where", "")
        value = self.labels[where].value if where in self.labels else None
        if not where and self.name in _OF_THE_MANIFEST and "where" not in self.errors:
            self.add_error("where", gettext("Choose where it is."))
        if where == OTHER and not values.get("other"):
            self.add_error("other", gettext("Enter the label as the sheet has it."))
        if where == ALWAYS and airport_country(values.get("airport", "")) != self.country:
            text = gettext("Enter the three letters of an airport in %(country)s.")
            self.add_error("airport", text % {"country": country_name(self.country)})
        if "order" in self.fields and not values.get("order") and has_two_orders(value):
            self.add_error("order", gettext("The date can be read in two ways: choose the order of day and month."))
        if not values.get("order") and is_month_first(value):
            values["order"] = "month"
        if value is not None and not lacks_zone(value):
            values["zone"] = ""  # not shown
        return values

    def answer(self) -> dict[str, Any]:
        """The place as a format's file has it; empty for a column and for nowhere."""
        values = self.cleaned_data
        where = values.get("where", "")
        if where == ALWAYS:
            return {"always": values["airport"].upper()}
        if where == FORM:
            return {"form": True}
        if where in {"", COLUMN, NONE}:
            return {}
        month = {"month_first": True} if values.get("order") == "month" else {}
        zone = {"zone": values["zone"]} if values.get("zone") else {}
        return {"label": values["other"] if where == OTHER else where.removeprefix(LABEL), **month, **zone}


class Lines(Asked):
    """The lines of a sample, as posted or as the draft has them."""

    def __init__(self, draft: FormatDraft, look: Look, posted: Any = None) -> None:  # noqa: ANN401  # a form's data
        self._content, self._columns = look.content, look.columns
        parts = {}
        for name in LABELLED_FIELDS:
            labels = [each for each in look.labels if each.field == name]
            options = {"name": name, "country": draft.country, "labels": labels}
            parts[name] = options, _proposal(name, draft, look.content, labels)
        super().__init__(parts, posted)

    def clean(self) -> None:
        """Check the headings."""
        if not self._columns:
            raise forms.ValidationError(gettext("Choose the row of the headings: it needs at least one text."))
        if len(self._columns) > MOST_COLUMNS:
            text = gettext("The sheet has more than %(most)d columns. Delete those without use.")
            raise forms.ValidationError(text % {"most": MOST_COLUMNS})

    def is_found(self) -> bool:
        """Whether all lines can be taken as they are, from the sample or from an earlier version."""
        told = self._content.get("destination")
        return self.is_valid() and (bool(told) or self.forms[1].cleaned_data["where"] != ALWAYS)

    def content(self) -> dict[str, Any]:
        """The draft's content with the choices of the valid lines."""
        content = {key: value for key, value in self._content.items() if key not in {*_OF_THE_MANIFEST, "flight"}}
        answers = {line.name: line.answer() for line in self.forms if line.is_valid()}
        elsewhere = [line.name for line in self.forms if line.cleaned_data.get("where") != COLUMN]
        content["columns"] = [
            {**{key: column[key] for key in column if key not in {"month_first", "zone"}}, "field": None}
            if column.get("field") in elsewhere
            else column
            for column in content["columns"]
        ]
        content |= {name: answers.pop(name) for name in _OF_THE_MANIFEST if answers.get(name)}
        flight = {name: answer for name, answer in answers.items() if answer}
        return content | {"flight": flight}


LINES: Any = forms.formset_factory(LineForm, formset=Lines)


def _choices(name: str, labels: Iterable[LabelledCell]) -> Iterator[tuple[str, object]]:
    """The choices of a line's drop-down."""
    if name in _OF_THE_MANIFEST:
        yield "", pgettext("where a value is", "Choose")
    else:
        yield NONE, _("Nowhere, or beside a label we know")
    text = gettext("%(value)s · beside “%(label)s” (%(place)s)")
    for each in labels:
        told = {"value": text_of(each.value)[:_SHOWN], "label": each.label, "place": each.place}
        yield f"{LABEL}{each.label}", text % told
    if name == "destination":
        yield ALWAYS, _("Always the same airport")
        yield FORM, _("Only what the upload says")
    yield COLUMN, _("In a column, chosen on the next page")
    yield OTHER, _("Beside another label")


def _proposal(
    name: str, draft: FormatDraft, content: Mapping[str, Any], labels: Sequence[LabelledCell]
) -> dict[str, Any]:
    """What a line shows at first: what the draft has, else the label that we know, if the value is one of the country.

    Of a company of one country, the destination is proposed to be the airport that nearly always is meant.
    """
    usual = {"airport": LAYOUTS[draft.country].labels[DESTINATION] if draft.country in LAYOUTS else ""}
    known = next((each for each in labels if each.is_known), None)
    told = content.get(name) or (content.get("flight") or {}).get(name) or {}
    if label := told.get("label", ""):
        order = "month" if told.get("month_first") else "day"
        found = next((each for each in labels if heading_key(each.label) == heading_key(label)), None)
        where = {"where": f"{LABEL}{found.label}"} if found else {"where": OTHER, "other": label}
        return {**usual, **where, "order": order, "zone": told.get("zone", "")}
    if told:
        return {"where": ALWAYS, "airport": told["always"]} if "always" in told else {**usual, "where": FORM}
    if any(column.get("field") == name for column in content["columns"]):
        return {**usual, "where": COLUMN}
    if known and (name != "destination" or place_country(text_of(known.value)) == draft.country):
        return {**usual, "where": f"{LABEL}{known.label}"}
    if name not in _OF_THE_MANIFEST:
        return {"where": NONE}
    is_always = name == "destination" and usual["airport"] and draft.company.allowed_countries == [draft.country]
    return {**usual, "where": ALWAYS if is_always else ""}


class HeadingForm(forms.Form):
    """Where the headings are, as posted and as the lines were shown for."""

    sheet = forms.CharField()
    row = forms.IntegerField(min_value=1)
    is_two_rows = forms.BooleanField(
        label=_("Two-row heading: this row and the one above it"), required=False, widget=UnfoldBooleanWidget
    )
    shown = forms.CharField(required=False)

    def place(self) -> HeadingPlace | None:
        """The place; None if the form is incomplete."""
        if not self.is_valid():
            return None
        values = self.cleaned_data
        return HeadingPlace(values["sheet"], values["row"], 2 if values["is_two_rows"] else 1)


def shown_cells(cells: Sequence[Cell], width: int) -> list[str]:
    """The cells of a row as texts, `width` of them."""
    return [text_of(cell)[:_SHOWN] for cell in (*cells[:width], *(None,) * (width - len(cells)))]


def places_of(look: Look) -> Iterator[tuple[str, str]]:
    """Where the draft says that things are, in words: what, and where."""
    if look.place:
        place = {"row": look.place.row, "sheet": look.place.sheet}
        yield gettext("Headings"), gettext("row %(row)s of “%(sheet)s”") % place
    values = {(each.field, heading_key(each.label)): text_of(each.value)[:_SHOWN] for each in look.labels}
    for name, told in {**look.content, **look.content.get("flight", {})}.items():
        if name in LABELLED_FIELDS and (label := told.get("label", "")):
            value = values.get((name, heading_key(label)), "")
            yield field_label(name), f"{value} ({quoted(label)})" if value else quoted(label)
        elif name in LABELLED_FIELDS:
            yield field_label(name), told.get("always") or gettext("only what the upload says")
