"""The forms of a format's pages: a company and a file, what is compared with the waybill, what is saved, and a set of
forms that ask at once."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from django import forms
from django.utils.formats import number_format
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _
from unfold.widgets import (
    UnfoldAdminCheckboxSelectMultipleWidget,
    UnfoldAdminRadioSelectWidget,
    UnfoldAdminTextInputWidget,
    UnfoldBooleanWidget,
)

from companies.errors import DomainError
from shipments.errors import HeadingsDiffer, KeptTestsDiffer
from shipments.manifests.mapped.spec import LONGEST_NAME
from shipments.models import FormatDraft, WorkbookFormat

NOW, LATER = "now", "later"

_OVERRULED: Mapping[type[DomainError], str] = {KeptTestsDiffer: "despite_tests", HeadingsDiffer: "despite_headings"}
"""A refusal that a person may overrule -> the field that does."""


class PublishingForm(forms.Form):
    """A form that asks, after a refusal that a person may overrule, whether to go on all the same."""

    despite_tests = forms.BooleanField(
        label=_("Use it although it reads these tests differently"),
        help_text=_("They are not run again until a version passes them."),
        required=False,
        widget=UnfoldBooleanWidget,
    )
    despite_headings = forms.BooleanField(
        label=_("Save it although it is another layout"),
        help_text=_("A layout that the client uses beside the other one should be a format of its own."),
        required=False,
        widget=UnfoldBooleanWidget,
    )

    def __init__(self, *args: Any, **options: Any) -> None:  # noqa: ANN401  # a form's
        super().__init__(*args, **options)
        for name in _OVERRULED.values():
            field = self.fields.pop(name)
            if name in self.data:
                self.fields[name] = field  # at the end, as it was asked

    def blame(self, refused: DomainError) -> bool:
        """Report a refusal that a person may overrule, and ask whether to go on; return whether it is one."""
        name = _OVERRULED.get(type(refused))
        if name is None:
            return False
        self.fields[name] = self.base_fields[name]
        self.add_error(None, refused.message)
        return True

    def is_despite(self, kind: type[DomainError]) -> bool:
        """Whether the operator goes on all the same."""
        return bool(self.cleaned_data.get(_OVERRULED[kind]))


class SavingForm(PublishingForm):
    """What a person has compared with the waybill, and how the format is saved.

    Each total is a choice by its number: if the reading changes meanwhile, it has to be compared again.
    """

    compared = forms.MultipleChoiceField(
        label=_("Does it match the waybill?"),
        help_text=_(
            "Compare with the paper waybill or the client's own totals and tick each. Nothing else finds grams taken "
            "for kilograms, pesos for dollars, or CIF for FOB."
        ),
        error_messages=dict.fromkeys(("required", "invalid_choice"), _("Compare each with the waybill, then tick it.")),
        widget=UnfoldAdminCheckboxSelectMultipleWidget,
    )
    name = forms.CharField(label=_("Name"), max_length=LONGEST_NAME, widget=UnfoldAdminTextInputWidget)
    note = forms.CharField(
        label=_("Note"),
        max_length=255,
        required=False,
        widget=UnfoldAdminTextInputWidget,
        help_text=_("Why this version exists. Do not name people."),
    )
    use = forms.ChoiceField(
        label=_("Use"),
        choices=[(NOW, _("Use from now on")), (LATER, _("Save without using"))],
        initial=NOW,
        widget=UnfoldAdminRadioSelectWidget,
    )

    def __init__(self, *args: Any, draft: FormatDraft, totals: tuple[int, Decimal, Decimal], **options: Any) -> None:  # noqa: ANN401  # a form's
        super().__init__(*args, **options)
        self._draft = draft
        if draft.format:
            del self.fields["name"]
        guides, weight, fob = (number_format(each, force_grouping=True) for each in totals)
        count = ngettext("%(count)s shipment", "%(count)s shipments", totals[0])
        texts = (count % {"count": guides}, gettext("total weight %s kg") % weight, gettext("FOB total US$ %s") % fob)
        compared: Any = self.fields["compared"]
        compared.choices = [(f"{number}={total}", texts[number]) for number, total in enumerate(totals)]

    def clean_compared(self) -> list[str]:
        """Check that nothing was left out."""
        ticked: list[str] = self.cleaned_data["compared"]
        field: Any = self.fields["compared"]
        if len(ticked) < len(field.choices):
            raise forms.ValidationError(field.error_messages["required"])
        return ticked

    def clean_name(self) -> str:
        """The name, if it is free."""
        name: str = self.cleaned_data["name"]
        if WorkbookFormat.objects.of(self._draft.company).filter(name=name).exists():
            raise forms.ValidationError(
                gettext("The company has a format of this name. Choose another, or start a new sample from its page.")
            )
        return name


class Asked(forms.BaseFormSet):  # type: ignore[type-arg]  # generic in the stubs alone
    """A form for each part of a sample, bound from the start: to what was posted, else to what is proposed. So what has
    to be answered is asked when the page is opened, and a page where all is proposed can be skipped.
    """

    def __init__(self, parts: Mapping[str, tuple[dict[str, Any], Mapping[str, Any]]], posted: Any = None) -> None:  # noqa: ANN401  # a form's data
        """Arguments: parts: prefix -> what its form is made with, and its proposal, field -> value."""
        self._parts: list[tuple[str, dict[str, Any]]] = [
            (prefix, options) for prefix, (options, _proposal) in parts.items()
        ]
        proposed = {
            f"{prefix}-{name}": value
            for prefix, (_options, proposal) in parts.items()
            for name, value in proposal.items()
            if value not in {None, "", False}
        }
        counts = {
            "form-TOTAL_FORMS": len(parts),
            "form-INITIAL_FORMS": len(parts),
        }  # the sample has them, not the browser
        super().__init__((proposed if posted is None else posted.dict()) | counts)

    def add_prefix(self, index: Any) -> str:  # noqa: ANN401  # Django's signature
        return str(self._parts[index][0])

    def get_form_kwargs(self, index: Any) -> dict[str, Any]:  # noqa: ANN401  # Django's signature
        return dict(self._parts[index][1])
