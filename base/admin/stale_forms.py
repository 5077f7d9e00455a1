"""A form that was opened before somebody else saved stores nothing: it says who saved, when, and the values of now."""

import json
import time
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

from auditlog.models import LogEntry as Change
from django import forms
from django.contrib.admin.models import ADDITION, LogEntry as Act
from django.contrib.contenttypes.models import ContentType
from django.db.models import Model
from django.utils.crypto import salted_hmac
from django.utils.text import Truncator
from django.utils.translation import gettext

from base.admin.activity import ActKind
from base.db.moments import in_list

SEEN = "seen"
_AT = "at"
_SLACK = 10
"""Seconds before the page was opened from which a save counts: it was read before its token was made."""
_LONGEST = 300


class SeenField(forms.CharField):
    """What the operator saw: a digest of each value, and when. A page that is shown again has the token of now."""

    widget = forms.HiddenInput

    def bound_data(self, data: Any, initial: Any) -> Any:  # noqa: ANN401, ARG002  # Django's signature
        return initial

    def has_changed(self, initial: Any, data: Any) -> bool:  # noqa: ANN401, ARG002  # as above
        return False


class StaleCheck(forms.BaseForm):
    """A form that shows stored values and writes them back. Comes first among the bases.

    instance: the row whose values they are, as a `ModelForm` has it; None if only its operator writes it.

    What the form does not change itself, such as the events of a busy guide, never makes it stale. A field that the
    operator left alone is shown with its value of now, and one that the operator changed as it was entered: whoever
    saves again knows both. A request without a token is from no page of ours, and is not checked.
    """

    instance: Model | None = None

    def __init__(self, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401  # a form's
        super().__init__(*args, **kwargs)
        self.fields[SEEN] = SeenField(required=False, initial=self._token)

    def full_clean(self) -> None:
        super().full_clean()
        if not self.is_bound:
            return
        self.cleaned_data.pop(SEEN, None)
        seen = self._read_token()
        now = self._digests()
        stale = {name: seen[name] for name in now if seen.get(name, now[name]) != now[name]}
        entered = {name: self._digest_entered(name) for name in stale}
        if all(entered[name] == now[name] for name in stale):  # nothing differs, or both mean the same
            return
        for name, digest in stale.items():
            field, value = self.fields[name], self._in_words(name)
            if entered[name] == digest:
                field.bound_data = lambda _data, initial: initial  # type: ignore[method-assign, assignment]  # of this form alone
                self.add_error(name, gettext("Changed meanwhile; this is the current value: %s") % value)
            elif entered[name] != now[name]:
                self.add_error(name, gettext("Changed meanwhile; the current value is: %s") % value)
        by = "; ".join(_savers(self.instance, seen[_AT])) if self.instance is not None else gettext("another window")
        text = gettext("Saved since you opened this page, by: %s. Your changes were not saved.")
        again = gettext("The fields below say what was changed. Check them and save again.")
        self.add_error(None, f"{text % (by or gettext('the API or a command'))} {again}")

    def _read_stored_values(self) -> Iterator[tuple[str, Any]]:
        """Yield each field that writes a stored value, with that value as its widget has it."""
        for name, field in self.fields.items():
            if name != SEEN and name in self.initial and not field.disabled:
                yield name, field.prepare_value(self.get_initial_for_field(field, name))

    def _digests(self) -> dict[str, str]:
        return {name: _digest(name, value) for name, value in self._read_stored_values()}

    def _token(self) -> str:
        return json.dumps({**self._digests(), _AT: int(time.time())}, separators=(",", ":"))

    def _read_token(self) -> Mapping[str, Any]:
        """Return what the page that was sent had; nothing if it had no token, or none of ours."""
        with suppress(ValueError):
            seen = json.loads(self.data.get(self.add_prefix(SEEN)) or "{}")
            if isinstance(seen, dict) and isinstance(seen.get(_AT), int) and 0 < seen[_AT] < time.time() + _SLACK:
                return seen
        return {}

    def _digest_entered(self, name: str) -> str:
        """Return the digest of what was sent; empty for what the field refuses."""
        field = self.fields[name]
        try:
            return _digest(name, field.prepare_value(field.clean(self[name].data)))
        except forms.ValidationError:
            return ""

    def _in_words(self, name: str) -> str:
        """Return the value of now as a person reads it."""
        field: Any = self.fields[name]
        value = dict(self._read_stored_values())[name]
        if isinstance(field, forms.BooleanField):
            return gettext("yes") if value else gettext("no")
        several = value if isinstance(value, list | tuple) else [value]
        if isinstance(field, forms.ModelChoiceField):
            rows: Any = field.queryset
            rows = rows.filter(pk__in=[key for key in several if key is not None])
            several = [field.label_from_instance(row) for row in rows]
        elif isinstance(field, forms.ChoiceField):
            choices: Any = field.choices
            labels = {str(key): label for key, label in choices}
            several = [labels.get(str(key), key) for key in several if key is not None]
        text = ", ".join(str(each) for each in several if each is not None)
        return Truncator(text).chars(_LONGEST) or gettext("(empty)")


def _digest(name: str, value: Any) -> str:  # noqa: ANN401  # of any field
    """Return a digest by which a value can be compared; the order of several does not count, and nothing is empty."""
    several = value if isinstance(value, Collection) and not isinstance(value, str) else [value]
    texts = sorted("" if each is None else str(each) for each in several)
    return salted_hmac(name, json.dumps([text for text in texts if text])).hexdigest()[:16]


def _savers(row: Model, opened_at: int) -> Iterator[str]:
    """Yield who has changed the row since, and when, the last one first."""
    since = datetime.fromtimestamp(opened_at - _SLACK, UTC)
    kinds = [ADDITION, ActKind.CONFIGURED, ActKind.CORRECTED]
    acts = Act.objects.filter(content_type=ContentType.objects.get_for_model(row), object_id=str(row.pk))
    found = acts.filter(action_time__gte=since, action_flag__in=kinds).select_related("user")
    entries = [(act.action_time, act.user.get_username()) for act in found]
    changes = Change.objects.get_for_object(row).filter(timestamp__gte=since, actor=None)  # type: ignore[no-untyped-call]  # auditlog ships no types
    entries += [(change.timestamp, gettext("the API or a command")) for change in changes]
    for moment, name in sorted(entries, reverse=True)[:5]:
        yield f"{name}, {in_list(moment)}"
