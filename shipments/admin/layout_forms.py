"""The form with which operators answer for a layout: a row for each column, a line for each label, and a rule."""

from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Any

from django import forms
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from unfold.widgets import (
    UnfoldAdminFileFieldWidget,
    UnfoldAdminSelect2Widget,
    UnfoldAdminSelectWidget,
    UnfoldAdminTextInputWidget,
)

from base.admin.pages import UploadField
from base.errors import ValidationFailed
from companies.country_names import choices_within
from companies.models import Company
from companies.scope import Viewer, scope_of
from shipments.admin.field_labels import field_choices, field_label
from shipments.admin.filters import company_select
from shipments.layouts.answering import describe_layout, told_body
from shipments.layouts.changes import missing_columns, new_columns
from shipments.layouts.forms import ROWS_WITHOUT_HAWB
from shipments.manifests.sheets.answer_rules import KNOWN_CURRENCIES, LABEL_FIELDS, WEIGHT_UNITS
from shipments.models import Layout

_RULE = "rows_without_hawb"
_MONEY = ("fob_usd", "product_value")
_ALWAYS = ("destination", "origin")
_ROWS: Mapping[str, str | Promise] = {
    "": _("The rows decide"),
    "products": _("Further products of the guide above"),
    "left_out": _("Left out"),
}


def _select(label: Any, choices: Sequence[tuple[Any, Any]], widget: Any = UnfoldAdminSelectWidget) -> Any:  # noqa: ANN401  # a widget, a field
    return forms.ChoiceField(label=label, choices=choices, required=False, widget=widget)


class ColumnForm(forms.Form):
    """What one column is. column: as `GET layouts` has it. told: the answer about it, or nothing."""

    unit = _select(_("unit"), [("", _("unit as read")), *((each, each) for each in WEIGHT_UNITS)])
    currency = _select(_("currency"), [("", _("currency as read")), *((each, each) for each in KNOWN_CURRENCIES)])

    def __init__(self, name: str, column: Mapping[str, Any], told: Mapping[str, Any], choices: Any, data: Any) -> None:  # noqa: ANN401  # a form's
        self.name, self.column, self.told = name, column, told
        self.id = sha256(name.encode()).hexdigest()[:10]
        chosen = told.get("field") or (f"+{told['key']}" if told.get("key") else "keep") if told else ""
        if chosen.startswith("+") and chosen not in {key for _title, group in choices for key, _label in group}:
            chosen = "keep"
        initial = {"field": chosen, "unit": told.get("unit"), "currency": told.get("currency")}
        super().__init__(data, prefix=self.id, initial=initial)
        own = [("", _("As it is read")), ("keep", _("Only keep it")), *choices]
        self.fields["field"] = _select(_("What it is"), own, UnfoldAdminSelect2Widget)
        self.order_fields(["field"])

    def answer(self) -> Mapping[str, Any] | None:
        """Return what is said of the column; None if nothing is. What the page does not ask stays as it was."""
        chosen = self.cleaned_data["field"]
        if not chosen:
            return None
        where = {"heading": self.column["heading"], "group": self.column["group"]}
        if chosen == "keep" or chosen.startswith("+"):
            key = chosen[1:] if chosen != "keep" else "" if self.told.get("field") else self.told.get("key", "")
            return {**where, "field": None, "key": key}
        before = self.told if self.told.get("field") == chosen else {}
        unit = self.cleaned_data["unit"] if chosen == "weight_kg" else ""
        currency = self.cleaned_data["currency"] if chosen in _MONEY else ""
        return {**before, **where, "field": chosen, "unit": unit, "currency": currency}


class LabelForm(forms.Form):
    """Where a value outside the table stands, or what it always is."""

    label = forms.CharField(
        label=_("Next to the label"), max_length=128, required=False, widget=UnfoldAdminTextInputWidget
    )
    value = forms.CharField(
        label=_("Is always"),
        max_length=3,
        required=False,
        widget=UnfoldAdminTextInputWidget(attrs={"placeholder": "LIM"}),
    )

    def __init__(self, name: str, told: Mapping[str, Any], data: Any) -> None:  # noqa: ANN401  # a form's
        self.name, self.told, self.title = name, told, field_label(name)
        super().__init__(data, prefix=f"label-{name}", initial=dict(told))
        if name not in _ALWAYS:
            del self.fields["value"]

    def answer(self) -> Mapping[str, Any] | None:
        said = {name: value for name, value in self.cleaned_data.items() if value}
        if not said:
            return None
        zone = {"zone": self.told.get("zone", "")} if "label" in said else {}
        return {**said, **zone, "field": self.name}


class RuleForm(forms.Form):
    rows_without_hawb = _select(_("Rows without a HAWB"), [(each, _ROWS[each]) for each in ("", *ROWS_WITHOUT_HAWB)])


class LayoutForm:
    """All that is said of a layout. data: what was posted, if anything was."""

    def __init__(self, layout: Layout, data: Any = None) -> None:  # noqa: ANN401  # a form's
        self._before = told_body(layout)
        told = {_place(each): each for each in self._before["answers"]}
        choices = field_choices(layout.country)
        self.columns = [
            ColumnForm(row["name"], column, told.get(_place(column), {}), choices, data)
            for row, column in zip(layout.columns, describe_layout(layout)["columns"], strict=True)
            if row["shape"] or _place(column) in told
        ]
        labels = {each["field"]: each for each in self._before["labels"]}
        self.labels = [LabelForm(name, labels.get(name, {}), data) for name in LABEL_FIELDS]
        self.rule = RuleForm(data, initial={_RULE: self._before[_RULE]})
        self._sent: list[ColumnForm | None] = []
        self._sent_labels: list[LabelForm | None] = []

    @property
    def has_labels(self) -> bool:
        """Whether anything is said of what stands outside the table."""
        return bool(self._before["labels"] or self._before[_RULE])

    @property
    def media(self) -> forms.Media:
        return self.columns[0].media if self.columns else forms.Media()

    def _forms(self) -> Iterator[forms.Form]:
        yield from (*self.columns, *self.labels, self.rule)

    def is_valid(self) -> bool:
        return all([each.is_valid() for each in self._forms()])  # noqa: C419  # each of them says what is wrong

    def body(self) -> dict[str, Any]:
        """Return the answers as the API has them. Those about columns that the last workbook lacked stay."""
        shown = {_place(each.column) for each in self.columns}
        said: list[tuple[ColumnForm | None, Any]] = [(form, form.answer()) for form in self.columns]
        said += [(None, each) for each in self._before["answers"] if _place(each) not in shown]
        labels: list[tuple[LabelForm | None, Any]] = [(form, form.answer()) for form in self.labels]
        labels += [(None, each) for each in self._before["labels"] if each["field"] not in LABEL_FIELDS]
        self._sent = [form for form, answer in said if answer]
        self._sent_labels = [form for form, answer in labels if answer]
        return {
            "answers": [answer for _form, answer in said if answer],
            "labels": [answer for _form, answer in labels if answer],
            _RULE: self.rule.cleaned_data[_RULE],
        }

    def problems(self) -> list[str]:
        """Return what is wrong with what was posted, in words."""
        posted = [each for each in self._forms() if each.is_bound]
        return [str(text) for each in posted for errors in each.errors.values() for text in errors]

    def blame(self, refused: ValidationFailed) -> None:
        """Show each problem where it is. Its paths are those of `body`."""
        for path, problems in refused.details.items():
            part, _dot, name = path.partition(".")
            kind, _bracket, number = part.rstrip("]").partition("[")
            sent: Sequence[forms.Form | None] = self._sent if kind == "answers" else self._sent_labels
            form = sent[int(number)] if number.isdigit() and int(number) < len(sent) else None
            for problem in problems:
                (form or self.rule).add_error(name if form and name in form.fields else None, str(problem))


def _place(column: Mapping[str, Any]) -> tuple[str, str]:
    return column["heading"], column["group"]


class ChangedForm(forms.Form):
    """Which column of a refused workbook each missing one is now."""

    def __init__(self, layout: Layout, data: Any = None) -> None:  # noqa: ANN401  # a form's
        super().__init__(data, prefix="changed")
        new = [(each["name"], f"{each['column']} · {each['heading']}") for each in new_columns(layout)]
        for answer in missing_columns(layout):
            label = f"{answer.heading or answer.name} · {field_label(answer.field)}"
            choices = new if len(new) == 1 else [("", _("Choose…")), *new]
            self.fields[answer.name] = forms.ChoiceField(label=label, choices=choices, widget=UnfoldAdminSelectWidget)

    def clean(self) -> dict[str, Any]:
        found: dict[str, Any] = super().clean() or {}
        if len({*found.values()}) < len(found):
            raise forms.ValidationError(_("Choose a different column for each."))
        return found


class SampleForm(forms.Form):
    """A workbook of the client's, to look at."""

    manifest_file = UploadField(label=_("Workbook"), widget=UnfoldAdminFileFieldWidget(attrs={"accept": ".xlsx"}))


class NewLayoutForm(SampleForm):
    """Whose workbook it is, and where it goes."""

    company = forms.ModelChoiceField(
        label=_("Client"), queryset=Company.objects.none(), to_field_name="client_code",
        widget=company_select(Layout, _("Choose…")),
    )  # fmt: skip
    country = forms.ChoiceField(label=_("Country"), widget=UnfoldAdminSelectWidget)
    field_order = ("company", "country", "manifest_file")

    def __init__(self, user: Viewer, *arguments: Any, **named: Any) -> None:  # noqa: ANN401  # Django's signature
        super().__init__(*arguments, **named)
        companies: Any = self.fields["company"]
        companies.queryset = Company.objects.visible_to(user).clients().order_by("name")
        countries: Any = self.fields["country"]
        countries.choices = choices_within(scope_of(user))

    def clean(self) -> dict[str, Any]:
        found: dict[str, Any] = super().clean() or {}
        company, country = found.get("company"), found.get("country")
        if company and country and country not in company.allowed_countries:
            self.add_error("country", _("The company does not ship to this country."))
        return found
