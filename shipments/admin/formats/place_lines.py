"""Where things are in a sample: the row of the headings, and a line each for what the waybill and the flight say."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from django import forms
from django.utils.functional import Promise
from django.utils.translation import gettext, pgettext
from django.utils.translation import gettext_lazy as _
from openpyxl.utils import get_column_letter
from unfold.widgets import UnfoldAdminSelectWidget, UnfoldAdminTextInputWidget

from companies.country_names import country_name
from shipments.admin.field_labels import field_label
from shipments.manifests.cells import LONGEST_HEADING, Workbook, text_of
from shipments.manifests.destinations import airport_country
from shipments.manifests.mapped.house.house_layouts import DESTINATION, LAYOUTS
from shipments.manifests.mapped.sample import (
    LABELLED_FIELDS,
    HeadingPlace,
    LabelledCell,
    SampledHeading,
    has_two_orders,
    is_month_first,
    labelled_cells,
    lacks_zone,
    sample_at,
)
from shipments.manifests.mapped.spec import ENDS, TIMES, heading_key, time_zones
from shipments.models import FormatDraft

LABEL, COLUMN, OTHER, ALWAYS, FORM, NONE = "label:", "column:", "other", "always", "form", "none"

SHOWN_ROWS, SHOWN_COLUMNS = 30, 60
MOST_SHEETS = 20
"""The most hidden sheets that are named."""
_SHOWN = 40
"""Characters of a cell."""


class ClockField(forms.CharField):
    """Whose clock the times show: empty for each airport's own, an end of the flight, or an IANA time zone."""

    def __init__(self) -> None:
        super().__init__(
            label=_("Clock of times typed as text"),
            help_text=_(
                "Empty: each airport's own. A time with its own offset, such as 14:30 -05:00, is read by that."
            ),
            required=False,
            widget=UnfoldAdminTextInputWidget(attrs={"list": "clocks"}),
        )

    def prepare_value(self, value: Any) -> Any:  # noqa: ANN401  # Django's signature
        """The end of a flight in words."""
        return _ENDS_IN_WORDS.get(value, value)

    def clean(self, value: Any) -> str:  # noqa: ANN401  # Django's signature
        """As the format has it."""
        text = str(super().clean(value)).strip()
        zone = next((end for end, words in _ENDS_IN_WORDS.items() if text == str(words)), text)
        if zone and zone not in ENDS | time_zones():
            raise forms.ValidationError(
                gettext("No time zone has this name. Choose one from the list, or enter one such as America/Lima.")
            )
        return zone


_ENDS_IN_WORDS: Mapping[str, str | Promise] = {"origin": _("Of the origin"), "destination": _("Of the destination")}

CLOCKS: Sequence[str | Promise] = (
    *_ENDS_IN_WORDS.values(),
    "America/Santiago", "America/Lima", "America/Argentina/Buenos_Aires", "America/Bogota", "America/Sao_Paulo",
    "America/Mexico_City", "America/New_York", "Europe/Madrid", "Asia/Shanghai", "UTC",
)  # fmt: skip
"""What is usual; any other time zone can be typed."""


class ClockedSelect(UnfoldAdminSelectWidget):
    """A drop-down whose options for times typed as text are marked, so that a style can bring up their clock."""

    clocked: Collection[str] = ()

    def create_option(self, *args: Any, **kwargs: Any) -> dict[str, Any]:  # noqa: ANN401  # Django's signature
        """As Django's, with the mark."""
        option: dict[str, Any] = super().create_option(*args, **kwargs)
        if str(option["value"]) in self.clocked:
            option["attrs"]["data-clock"] = True
        return option


class TimeForm(forms.Form):
    """How times are read, where they are texts."""

    order = forms.ChoiceField(
        label=_("Dates typed as text"),
        choices=[("", _("Choose the order")), ("day", _("day/month")), ("month", _("month/day"))],
        required=False,
        widget=UnfoldAdminSelectWidget,
    )
    zone = ClockField()


class LineForm(TimeForm):
    """One line: where a value is. The MAWB and the destination must be chosen; a flight may be absent."""

    where = forms.ChoiceField(widget=ClockedSelect, required=False)
    other = forms.CharField(
        label=_("Other label"), max_length=LONGEST_HEADING, required=False, widget=UnfoldAdminTextInputWidget
    )
    airport = forms.CharField(label=_("Airport"), max_length=3, required=False, widget=UnfoldAdminTextInputWidget)
    field_order = ("where", "other", "airport")  # Django's

    def __init__(
        self,
        name: str,
        country: str,
        labels: Sequence[LabelledCell],
        headings: Sequence[SampledHeading],
        values: Mapping[int, Sequence[Any]],
        data: Any,  # noqa: ANN401  # a form's data
        initial: Mapping[str, Any],
    ) -> None:
        super().__init__(data, prefix=name, initial=dict(initial))
        self.name, self.country, self.title = name, country, field_label(name)
        self._labels = {f"{LABEL}{each.label}": each for each in labels if each.field == name}
        self._values = values
        fields: Any = self.fields
        fields["where"].choices = [*_choices(name, self._labels.values(), headings)]
        fields["where"].label = self.title
        if name != "destination":
            del fields["airport"]
        elif country in LAYOUTS:  # the airport that nearly always is meant
            self.initial.setdefault("airport", LAYOUTS[country].labels[DESTINATION])
        if name not in TIMES:
            del fields["order"], fields["zone"]
            return
        places = [*self._labels, *(f"{COLUMN}{each.column}" for each in headings)]
        fields["where"].widget.clocked = {place for place in places if any(map(lacks_zone, self._cells(place)))}

    def clean(self) -> dict[str, Any]:
        """Check what the choice needs."""
        values: dict[str, Any] = self.cleaned_data
        where = values.get("where", "")
        if not where and self.name in {"mawb", "destination"} and "where" not in self.errors:
            self.add_error("where", gettext("Choose where it is."))
        if where == OTHER and not values.get("other"):
            self.add_error("other", gettext("Enter the label as the sheet has it."))
        if where == ALWAYS and airport_country(values.get("airport", "")) != self.country:
            text = gettext("Enter the three letters of an airport in %(country)s.")
            self.add_error("airport", text % {"country": country_name(self.country)})
        if "order" in self.fields and not values.get("order") and any(map(has_two_orders, self._cells(where))):
            self.add_error("order", gettext("The date can be read in two ways: choose the order of day and month."))
        if not values.get("order") and any(map(is_month_first, self._cells(where))):
            values["order"] = "month"
        if where != OTHER and not any(map(lacks_zone, self._cells(where))):
            values["zone"] = ""  # not shown
        return values

    def _cells(self, where: str) -> Sequence[Any]:
        """The values that the sample has there."""
        if where in self._labels:
            return [self._labels[where].value]
        return self._values.get(int(where.removeprefix(COLUMN)), ()) if where.startswith(COLUMN) else ()


def _choices(
    name: str, labels: Iterable[LabelledCell], headings: Sequence[SampledHeading]
) -> Iterator[tuple[str, object]]:
    """The choices of a line's drop-down."""
    if name in {"mawb", "destination"}:
        yield "", pgettext("where a value is", "Choose")
    else:
        yield NONE, _("Nowhere, or beside a label we know")
    if name == "destination":
        yield ALWAYS, _("Always the same airport")
        yield FORM, _("Only what the upload says")
    beside = [
        (
            f"{LABEL}{each.label}",
            gettext("%(value)s · beside “%(label)s” (%(place)s)")
            % {"value": text_of(each.value)[:_SHOWN], "label": each.label, "place": each.place},
        )
        for each in labels
    ]
    if beside:
        yield gettext("Beside a label"), beside
    columns = [
        (f"{COLUMN}{each.column}", f"{get_column_letter(each.column + 1)} · “{each.heading}”")
        for each in headings
        if each.heading
    ]
    yield gettext("In a column"), columns
    yield OTHER, _("Another label")


def initial_line(
    name: str, content: Mapping[str, Any], labels: Sequence[LabelledCell], headings: Sequence[SampledHeading]
) -> dict[str, Any]:
    """What a line shows at first: what the draft has, else the label that we know. Never a guessed destination."""
    at = {(each.heading, each.group): each.column for each in headings if each.heading}
    for column in content.get("columns", ()):
        place = at.get((column["heading"], column.get("group", "")))
        if column.get("field") == name and place is not None:
            order = "month" if column.get("month_first") else ""
            return {"where": f"{COLUMN}{place}", "order": order, "zone": column.get("zone", "")}
    answer = content.get(name) or (content.get("flight") or {}).get(name) or {}
    if label := answer.get("label", ""):
        order = "month" if answer.get("month_first") else "day"
        found = next((each for each in labels if heading_key(each.label) == heading_key(label)), None)
        where = {"where": f"{LABEL}{found.label}"} if found else {"where": OTHER, "other": label}
        return {**where, "order": order, "zone": answer.get("zone", "")}
    if answer.get("always"):
        return {"where": ALWAYS, "airport": answer["always"]}
    if answer.get("form"):
        return {"where": FORM}
    if name == "destination":
        return {}
    known = next((each for each in labels if each.field == name and each.is_known), None)
    return {"where": f"{LABEL}{known.label}"} if known else {}


def apply_lines(content: dict[str, Any], lines: Sequence[LineForm], headings: Sequence[SampledHeading]) -> None:
    """Write the lines' choices into the draft's content. headings: of the draft's columns, in their order."""
    flight: dict[str, Any] = {}
    for name in ("mawb", "destination"):
        content.pop(name, None)
    for column in content["columns"]:
        if column.get("field") in LABELLED_FIELDS:
            column["field"] = None
            column.pop("month_first", None)
            column.pop("zone", None)
    by_place = {each.column: column for each, column in zip(headings, content["columns"], strict=True)}
    for line in lines:
        values = line.cleaned_data
        where = values.get("where", "")
        answer = {"month_first": True} if values.get("order") == "month" else {}
        answer |= {"zone": values["zone"]} if values.get("zone") else {}
        label = values.get("other", "") if where == OTHER else where.removeprefix(LABEL)
        if where.startswith(COLUMN):
            column = by_place[int(where.removeprefix(COLUMN))]
            _reset(column, line.name, answer)
        elif where == ALWAYS:
            content["destination"] = {"always": values["airport"].upper()}
        elif where == FORM:
            content["destination"] = {"form": True}
        elif where in {"", NONE}:
            continue
        elif line.name in {"mawb", "destination"}:
            content[line.name] = {"label": label}
        else:
            flight[line.name] = {"label": label, **answer}
    content["flight"] = flight


def _reset(column: dict[str, Any], name: str, answer: Mapping[str, Any]) -> None:
    """Let the column serve `name` and nothing else. answer: how its cells are read."""
    for key in [*column]:
        if key not in {"heading", "group", "right_of", "also"}:
            del column[key]
    column |= {"field": name, **answer}


class HeadingForm(forms.Form):
    """Where the headings are, as posted and as the lines were shown for."""

    sheet = forms.CharField()
    row = forms.IntegerField(min_value=1)
    is_two_rows = forms.BooleanField(required=False)
    shown = forms.CharField(required=False)

    def place(self) -> HeadingPlace | None:
        """The place; None if the form is incomplete."""
        if not self.is_valid():
            return None
        values = self.cleaned_data
        return HeadingPlace(values["sheet"], values["row"], 2 if values["is_two_rows"] else 1)


class Look:
    """What the page shows of the sample: its sheets, and of one of them what is seen of the headings at `place`.

    grid: the first rows of the sheet, each with its number.
    """

    def __init__(self, book: Workbook, place: HeadingPlace | None, sheet: str | None = None) -> None:
        """sheet: without a place, the one to show; by default the first."""
        self.sheets = [each.name for each in book.sheets]
        self.hidden = book.hidden[:MOST_SHEETS]
        self.place = place
        self.sheet = place.sheet if place else sheet if sheet in self.sheets else next(iter(self.sheets), "")
        self.sample = sample_at(book, place) if place else None
        self.labels = labelled_cells(book, place) if place else []
        found = next((each for each in book.sheets if each.name == self.sheet), None)
        rows = list(islice(found.rows, 2 * SHOWN_ROWS)) if found else []
        last = max(SHOWN_ROWS, sum(number <= place.row for number, _cells in rows) if place else 0)
        width = min(max((len(cells) for _number, cells in rows[:last]), default=0), SHOWN_COLUMNS)
        self.letters = [get_column_letter(number) for number in range(1, width + 1)]
        self.grid = [
            (number, [text_of(cell)[:_SHOWN] for cell in (*cells[:width], *(None,) * (width - len(cells)))])
            for number, cells in rows[:last]
        ]


def lines_of(draft: FormatDraft, look: Look, data: Any = None) -> list[LineForm]:  # noqa: ANN401  # a form's data
    """The lines of the page, as posted or as the draft has them; empty without headings."""
    if look.sample is None:
        return []
    headings = look.sample.headings
    values = {each.column: look.sample.values(each.column) for each in headings}
    version = draft.format.in_use if draft.format else None
    content = version.spec if version and not draft.header_row else draft.content
    return [
        LineForm(
            name, draft.country, look.labels, headings, values, data,
            initial_line(name, content, look.labels, headings),
        )
        for name in LABELLED_FIELDS
    ]  # fmt: skip
