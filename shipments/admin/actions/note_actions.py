"""Notes of operators on a guide or a manifest, which clients never see."""

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms
from django.contrib import messages
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from unfold.decorators import action
from unfold.widgets import UnfoldAdminTextareaWidget

from companies.admin_base.activity import log_act
from companies.admin_base.confirmation import RUN, STEP, Question, ask, is_confirmed
from shipments.activity import NOTED
from shipments.admin.read_only_admin import ReadOnlyAdmin
from shipments.models import LONGEST_NOTE, Guide, Manifest, Note

NOTING = Question(title=_("Add a note"), button=_("Add the note"))


class NoteForm(forms.Form):
    """A note."""

    text = forms.CharField(
        label=_("Note"),
        max_length=LONGEST_NOTE,
        widget=UnfoldAdminTextareaWidget({"rows": 2}),
        help_text=_("Only operators see it. It is erased together with the consignee's data."),
    )


class NoteActions(ReadOnlyAdmin):
    """The action, for the admins of guides and manifests."""

    @action(description=_("Add a note"), url_path="note", permissions=["operate"], icon="add_comment")
    def add_note(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Write a note. Nothing is kept about what was anonymised."""
        subject: Guide | Manifest | None = self.get_object(request, object_id)
        if subject is None:
            raise Http404
        page = reverse(f"admin:shipments_{self.opts.model_name}_change", args=[subject.pk])
        form = NoteForm(request.POST if is_confirmed(request) else None)
        if not form.is_valid():
            return ask(self, request, NOTING, way_back=page, subject=subject, form=form)
        with transaction.atomic():
            is_kept = _write(subject, form.cleaned_data["text"], request.user.get_username())
            if is_kept:
                log_act(request, subject, NOTED)
        if not is_kept:
            messages.warning(request, gettext("The personal data was erased, so no notes are kept."))
        return HttpResponseRedirect(page)

    def notes_of(self, request: HttpRequest, subject: Guide | Manifest) -> Mapping[str, Any]:
        """Return the context of `notes.html`."""
        may_note = self.has_operate_permission(request) and subject.anonymised_at is None
        address = reverse(f"admin:shipments_{self.opts.model_name}_add_note", args=[subject.pk])
        return {
            "notes": _notes(subject),
            "note_form": NoteForm() if may_note else None,
            "note_address": address,
            "step_field": STEP,
            "step": RUN,
        }


def _write(subject: Guide | Manifest, text: str, operator: str) -> bool:
    """Store the note, under the lock that anonymising takes. Returns False if it has erased the subject."""
    guide = subject if isinstance(subject, Guide) else None
    key = subject.manifest_id if isinstance(subject, Guide) else subject.pk
    manifest = Manifest.objects.without_findings().select_for_update(no_key=True).get(pk=key)
    if guide:
        guide.refresh_from_db(fields=["anonymised_at"])
    if (guide or manifest).anonymised_at is not None:
        return False
    Note.objects.create(manifest=manifest, guide=guide, text=text, written_by=operator)
    return True


def _notes(subject: Guide | Manifest) -> Sequence[Note]:
    """Return the notes on the guide, or those on the manifest as a whole."""
    notes = subject.notes if isinstance(subject, Guide) else subject.notes.filter(guide=None)
    return list(notes.order_by("id"))
