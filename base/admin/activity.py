"""What operators do, as the activity log keeps it: in Django's log entries, as a kind, a code and parameters.

The kind is the entry's `action_flag`; code and parameters are its `change_message`, which is put into words when it is
shown, in the reader's language. Codes and names of parameters are stored: never rename one without a migration.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, cast

from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.contenttypes.models import ContentType
from django.db import connection
from django.db.models import IntegerChoices, Model
from django.http import HttpRequest
from django.utils import timezone
from django.utils.formats import number_format
from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy as _

Params = Mapping[str, Any]
"""Text, numbers, and lists or mappings of these."""

_STORED = '[{"act": '
_NAMED = 10


class ActKind(IntegerChoices):
    """What kind of thing an operator did, as stored in `action_flag`.

    Django's own flags, for rows that are added, changed and deleted in forms, all count as `CONFIGURED`.
    """

    OPENED = 11, _("Opened")
    EXPORTED = 12, _("Exported")
    MOVED = 13, _("Moved")
    CORRECTED = 14, _("Corrected")
    UPLOADED = 15, _("Uploaded")
    NOTED = 16, _("Noted or taken")
    SENT = 17, _("Sent again")
    CONFIGURED = CHANGE, _("Configured")

    @classmethod
    def of(cls, entry: LogEntry) -> "ActKind":
        return cls(entry.action_flag) if entry.action_flag in cls.values else cls.CONFIGURED


@dataclass(frozen=True, slots=True)
class Act:
    """One thing that operators do. in_words: turns the stored parameters into those of the sentence."""

    code: str
    kind: ActKind
    sentence: str | Promise
    in_words: Callable[[Params], Params] = dict

    def describe(self, params: Params) -> str:
        together = {name: params[name] for name in ("together",) if name in params}
        shown = {
            name: number_format(value, use_l10n=True, force_grouping=True) if isinstance(value, int) else value
            for name, value in {**self.in_words(params), **together}.items()
        }
        said = str(self.sentence) % shown
        if not together:
            return said
        return gettext("%(said)s Rows: %(count)s.") % {"said": said, "count": shown["together"]}


_ACTS: dict[str, Act] = {}


def act(code: str, kind: ActKind, sentence: str | Promise, in_words: Callable[[Params], Params] = dict) -> Act:
    """Declare an act, at the top level of a module of an admin. sentence: lazily translated."""
    if code in _ACTS:
        msg = f"the act {code} is declared twice"
        raise ValueError(msg)
    _ACTS[code] = Act(code, kind, sentence, in_words)
    return _ACTS[code]


def log_act(request: HttpRequest, subject: Model, done: Act, **params: Any) -> LogEntry:  # noqa: ANN401  # see Params
    """Record what the operator did to `subject`, under its `logged_as` if it has one: `str` may be a person's name."""
    named = str(getattr(subject, "logged_as", subject))[:200]
    return _log(request, subject, done, params, object_id=str(subject.pk), object_repr=named)


def _log(request: HttpRequest, model: type[Model] | Model, done: Act, params: Params, **subject: str) -> LogEntry:
    return LogEntry.objects.create(
        user_id=operator_id(request),
        content_type=ContentType.objects.get_for_model(model),
        action_flag=done.kind,
        change_message=encode_act(done, params),
        **subject,
    )


def log_each(request: HttpRequest, model: type[Model], done: Act, entries: Iterable[tuple[int, str, Params]]) -> None:
    """Record one act on many objects of a model. entries: (id, name, parameters).

    In SQL: creating 200 entries with the ORM took half as long as moving 200 guides.
    """
    at = connection.ops.adapt_datetimefield_value(timezone.now())  # SQLite stores text
    content_type = ContentType.objects.get_for_model(model).pk
    head = [at, operator_id(request), content_type, int(done.kind)]
    rows = ([*head, str(key), name[:200], encode_act(done, params)] for key, name, params in entries)
    with connection.cursor() as cursor:
        while some := list(islice(rows, _INSERTED)):
            values = ", ".join(["(%s, %s, %s, %s, %s, %s, %s)"] * len(some))
            cursor.execute(f"{_INSERT} {values}", [value for row in some for value in row])


_INSERTED = 500
_INSERT = (
    f"INSERT INTO {LogEntry._meta.db_table} "  # Django's own name
    "(action_time, user_id, content_type_id, action_flag, object_id, object_repr, change_message) VALUES"
)


def log_act_on(request: HttpRequest, model: type[Model], title: str, done: Act, **params: Any) -> LogEntry:  # noqa: ANN401  # as above
    """Record what the operator did to something without a page of its own, such as a list. title: in English."""
    return _log(request, model, done, params, object_repr=title[:200])


def log_acts(request: HttpRequest, done: Act, rows: Sequence[Model], params: Params) -> None:
    """Record what the operator did to rows, in one entry: on the row if it is one, else with their number and names."""
    if len(rows) == 1:
        log_act(request, rows[0], done, **params)
    elif rows:
        names = ", ".join(map(str, rows[:_NAMED]))
        log_act_on(request, type(rows[0]), names, done, **params, together=len(rows))


def operator_id(request: HttpRequest) -> int:
    """Return the id of the operator. The admin only accepts logged-in users."""
    return cast("int", request.user.pk)


def encode_act(done: Act, params: Params) -> str:
    """Return the `change_message` of an entry."""
    return json.dumps([{"act": done.code, "params": params}], ensure_ascii=False)


def decode_params(message: str) -> Params | None:
    """Return the parameters in a `change_message`; None if it is Django's own."""
    return cast("Params", json.loads(message)[0]["params"]) if message.startswith(_STORED) else None


def with_params(message: str, params: Params) -> str:
    return json.dumps([{**json.loads(message)[0], "params": params}], ensure_ascii=False)


def act_in_words(entry: LogEntry) -> str:
    """Return what an entry says, in the active language; the code itself if this version does not know it."""
    params = decode_params(entry.change_message)
    if params is None:
        return str(entry.get_change_message())
    code = json.loads(entry.change_message)[0]["act"]
    return _ACTS[code].describe(params) if code in _ACTS else code
