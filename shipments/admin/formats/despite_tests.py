"""Publishing a version although it reads kept tests differently: asked once that has shown."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _
from unfold.widgets import UnfoldBooleanWidget

from shipments.errors import KeptTestsDiffer

_NAME = "despite_tests"


class PublishingForm(forms.Form):
    """A form whose last field, to publish despite kept tests, is there only after `ask_despite_tests`."""

    def __init__(self, *args: Any, **options: Any) -> None:  # noqa: ANN401  # a form's
        super().__init__(*args, **options)
        if _NAME in self.data:
            self._add_field()

    def ask_despite_tests(self, refused: KeptTestsDiffer) -> None:
        """Report which tests differ, and ask whether to publish all the same."""
        self._add_field()
        self.add_error(None, refused.message)

    @property
    def is_despite_tests(self) -> bool:
        """Whether the operator publishes all the same."""
        return bool(self.cleaned_data.get(_NAME))

    def _add_field(self) -> None:
        self.fields[_NAME] = forms.BooleanField(
            label=_("Use it although it reads these tests differently"),
            help_text=_("They are not run again until a version passes them."),
            required=False,
            widget=UnfoldBooleanWidget,
        )
