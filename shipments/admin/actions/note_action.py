"""Notes of operators on a guide or a manifest, which clients never see."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django import forms
from django.contrib import messages
from django.utils.translation import gettext, gettext_lazy as _
from unfold.widgets import UnfoldAdminTextareaWidget

from base.admin.confirmed_action import ConfirmedAction, Question
from shipments.activity import NOTED
from shipments.models import LONGEST_NOTE, Guide, Manifest, Note


class NoteForm(forms.Form):
    text = forms.CharField(
        label=_("Note"),
        max_length=LONGEST_NOTE,
        widget=UnfoldAdminTextareaWidget({"rows": 2}),
        help_text=_("Only operators see it. It is erased together with the consignee's data."),
    )


def notes_of(subject: Guide | Manifest, address: str, *, may_note: bool) -> Mapping[str, Any]:
    """Return the context of `notes.html`: the notes on the guide, or those on the manifest as a whole."""
    notes = subject.notes if isinstance(subject, Guide) else subject.notes.filter(guide=None)
    is_open = may_note and subject.anonymised_at is None
    return {
        "notes": list(notes.order_by("id")),
        "note_form": NoteForm() if is_open else None,
        "note_address": address,
    }


def write_notes(guides: Iterable[Guide], text: str, operator: str) -> None:
    """Write one text on each of `guides` whose data is not erased. The rows are locked."""
    kept = [guide for guide in guides if text and guide.anonymised_at is None]
    Note.objects.bulk_create(
        [Note(manifest_id=guide.manifest_id, guide=guide, text=text, written_by=operator) for guide in kept]
    )


class AddNote(ConfirmedAction[Any]):
    name, path = "add_note", "note"
    label, icon = _("Add a note"), "add_comment"
    in_bar = False
    question = Question(_("Add a note"), button=_("Add the note"))
    form_class = NoteForm
    logged = NOTED

    def confirm(self, form: NoteForm) -> Sequence[Guide | Manifest]:
        """Store the note, under the lock that anonymising takes."""
        subject: Guide | Manifest = self.row
        guide = subject if isinstance(subject, Guide) else None
        key = subject.manifest_id if isinstance(subject, Guide) else subject.pk
        manifest = Manifest.objects.without_findings().select_for_update(no_key=True).get(pk=key)
        if guide:
            guide.refresh_from_db(fields=["anonymised_at"])
        if (guide or manifest).anonymised_at is not None:
            messages.warning(self.request, gettext("The personal data was erased, so no notes are kept."))
            return []
        text = form.cleaned_data["text"]
        Note.objects.create(manifest=manifest, guide=guide, text=text, written_by=self.actor)
        return [subject]
