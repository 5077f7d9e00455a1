"""What people say of a company's layouts: clients by the API, operators on a page, commands from files."""

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any

import structlog
from auditlog.models import LogEntry as Change
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import User
from django.contrib.contenttypes.models import ContentType
from django.db import transaction
from django.utils import timezone

from base.admin.activity import Act, Params, decode_params, encode_act
from base.errors import Translatable, ValidationFailed
from shipments.activity import LAYOUT_ANSWERED, LAYOUT_CONFIRMED
from shipments.errors import LayoutAnswered, LayoutConfirmed
from shipments.layouts.asked_values import Differences, differences
from shipments.layouts.forms import LayoutAnswers
from shipments.manifests.sheets.answer_rules import (
    CONSTANTS,
    JOINED_FIELDS,
    TOLD_FIELDS,
    answer_problems,
    constant_problem,
    zone_problem,
)
from shipments.manifests.sheets.answers import Answer, answer_key
from shipments.manifests.sheets.row_reader import ASKED
from shipments.manifests.sheets.surveys import normal_value
from shipments.manifests.words.spelling import spell
from shipments.models import AnswerKind, Layout, LayoutAnswer

log = structlog.get_logger(__name__)

_READ = frozenset({"sure", "likely", "told"})
_ALIASES = {"consignee_rut": "consignee_document", "extra_data": ""}
_RULE = "rows_without_hawb"
_OF_ANSWER = ("key", "unit", "currency", "decimals", "values", "month_first", "zone")
_OF_COLUMN = frozenset({"key", "unit", "currency", "decimals"})
_TOLD = ("heading", "group", "field", *_OF_ANSWER, "value")


def answer_layout(layout: Layout, body: object, by: User | None, *, seen: str = "", password_hint: str = "") -> Layout:
    """Replace what was said of a layout by `body`, as the API has it, and return the layout as it is now.

    by: the operator; None for the client itself. seen: `stamp_of` the layout when the operator's page was opened.
    password_hint: the beginning of the client's API password.

    Raises, and changes nothing: `LayoutConfirmed`, to a client; `LayoutAnswered`, if `seen` is not the stamp of now;
    `InvalidBody`; `ValidationFailed` with details by path, such as `answers[0].heading`.
    """
    with transaction.atomic():
        locked = lock(layout)
        if by is None and locked.confirmed_at:
            raise LayoutConfirmed
        if seen and seen != stamp_of(locked):
            raise LayoutAnswered
        before = told_body(locked)
        write_answers(locked, read_answers(locked, body), by)
        _record(locked, before, by, password_hint)
    return locked


def confirm(layout: Layout, by: User | None) -> Differences:
    """Say of every filled column what it is read as now, unless somebody has said it already, and confirm the layout.

    Returns which registered guides would differ now; `correct_guides` corrects them. by: the operator; None for a
    command. Raises `ValidationFailed` if no column is the HAWB.
    """
    with transaction.atomic():
        locked = lock(layout)
        before = told_body(locked)
        answers = [*locked.answers.all(), *_as_read(locked)]
        if not any(each.kind == AnswerKind.COLUMN and each.field == "hawb" for each in answers):
            raise ValidationFailed(details={"answers": [Translatable("Say which column is the HAWB.")]})
        write_answers(locked, answers, by)
        locked.confirmed_at, locked.confirmed_by = timezone.now(), by
        locked.save(update_fields=["confirmed_at", "confirmed_by"])
        if by:
            changed = {"before": before} if told_body(locked) != before else {}
            log_layout_act(locked, by, LAYOUT_CONFIRMED, changed)
    log.info("layout_confirmed", layout=str(locked.pk), company=locked.company.client_code)
    return differences(locked)


def lock(layout: Layout) -> Layout:
    """Return the layout as it is now, with its company, locked until the transaction ends."""
    return Layout.objects.select_for_update(of=("self",)).select_related("company").get(pk=layout.pk)


def restore(layout: Layout, entry: LogEntry, by: User) -> Layout:
    """Answer again what was said before an entry of the activity log. Headings that are gone since are left out."""
    before, headings = (decode_params(entry.change_message) or {}).get("before", {}), _Headings(layout)
    known = [each for each in before.get("answers", ()) if headings.find(each["heading"], each["group"])[0]]
    return answer_layout(layout, {**before, "answers": known}, by)


def _as_read(layout: Layout) -> Sequence[LayoutAnswer]:
    """Return the answers about the filled columns that nobody has answered, as they were read last; others are kept."""
    known = list(layout.answers.filter(kind=AnswerKind.COLUMN))
    names, told = {each.name for each in known}, {each.field for each in known}
    answers = []
    for column in layout.columns:
        name, key = column["field"], column["key"]
        is_read = column["strength"] in _READ and (name in JOINED_FIELDS or name not in told) and name in TOLD_FIELDS
        if column["name"] in names or not (is_read or column["shape"]):
            continue
        what = {each: column[each] for each in ("unit", "currency", "decimals")} if is_read else {}
        answer = Answer(name if is_read else "", "" if is_read or key.startswith(ASKED) else key, **what)
        sound = _OF_COLUMN - answer_problems(answer, layout.country).keys()
        said = {each: getattr(answer, each) for each in ("field", *sound)}
        answers.append(LayoutAnswer(name=column["name"], heading=column["heading"], group=column["group"], **said))
    return answers


# --- reading what was sent --------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Reading:
    """Answers about a layout as they are read, and the problems by path."""

    layout: Layout
    answers: list[LayoutAnswer] = field(default_factory=list)
    problems: dict[str, list[str]] = field(default_factory=dict)

    def refuse(self, path: str, problem: str) -> None:
        self.problems.setdefault(path, []).append(problem)


def read_answers(layout: Layout, body: object) -> Sequence[LayoutAnswer]:
    """Return the answers in `body`, not saved. Raises `InvalidBody`, `ValidationFailed` with details by path."""
    sent = LayoutAnswers.parse(body)
    reading = _Reading(layout)
    headings = _Headings(layout)
    for position, each in enumerate(sent["answers"]):
        _read_column(reading, f"answers[{position}]", each, headings)
    _refuse_repeated(reading)
    for position, each in enumerate(sent["labels"]):
        _read_label(reading, f"labels[{position}]", each)
    if sent[_RULE]:
        reading.answers.append(LayoutAnswer(kind=AnswerKind.RULE, name=_RULE, value=sent[_RULE]))
    if reading.problems:
        raise ValidationFailed(details=reading.problems)
    return reading.answers


def _read_column(reading: _Reading, path: str, sent: Mapping[str, Any], headings: "_Headings") -> None:
    column, problem = headings.find(sent["heading"], sent.get("group", ""))
    if column is None:
        reading.refuse(f"{path}.heading", problem)
    name = sent.get("field", "")
    told = Answer(
        field=_ALIASES.get(name, name),
        values={normal_value(text): meaning for text, meaning in sent.get("values", {}).items()},
        **{each: sent[each] for each in _OF_ANSWER if each in sent and each != "values"},
    )
    for each, problem in answer_problems(told, reading.layout.country).items():
        reading.refuse(f"{path}.{each}", problem)
    place = column or {"name": path, "heading": sent["heading"], "group": ""}
    where = {each: place[each] for each in ("name", "heading", "group")}
    what = {each: getattr(told, each) for each in ("field", *_OF_ANSWER)}
    reading.answers.append(LayoutAnswer(**where, **what))


def _refuse_repeated(reading: _Reading) -> None:
    """Refuse a column that was sent twice, a field for more columns than it has, and a key of two columns."""
    answers = reading.answers
    names = Counter(answer.name for answer in answers)
    fields = Counter(answer.field for answer in answers if answer.field and answer.field not in JOINED_FIELDS)
    keys = Counter(answer.key for answer in answers if answer.key)
    units = [answer.unit for answer in answers if answer.field == "weight_kg"]
    if len(units) == 2 and all(units) and units[0] != units[1]:
        del fields["weight_kg"]
    for position, answer in enumerate(answers):
        path = f"answers[{position}]"
        if names[answer.name] > 1:
            reading.refuse(f"{path}.heading", Translatable("Send only one answer for each column."))
        if fields[answer.field] > 1:
            problem = Translatable("Only one column can be this field.")
            if answer.field == "weight_kg":
                problem = Translatable("Two columns can be the weight if their units differ; the weights are added.")
            reading.refuse(f"{path}.field", problem)
        if keys[answer.key] > 1:
            reading.refuse(f"{path}.key", Translatable("Give each column a different key."))


def _read_label(reading: _Reading, path: str, sent: Mapping[str, Any]) -> None:
    """Read where a value outside the table stands, or what it always is."""
    name, label, value, zone = (sent.get(each, "") for each in ("field", "label", "value", "zone"))
    if bool(label) == bool(value):
        reading.refuse(path, Translatable("Send either label or value."))
        return
    if value:
        value = value if name == "zone" else value.upper()
        problem = constant_problem(name, value, reading.layout.country) if name in CONSTANTS else _NO_CONSTANT
        if problem:
            reading.refuse(f"{path}.value", problem)
        if zone:
            reading.refuse(f"{path}.zone", Translatable("Only with label."))
        answer = LayoutAnswer(kind=AnswerKind.CONSTANT, name=name, field=name, value=value)
    else:
        if name == "zone":
            reading.refuse(f"{path}.field", Translatable("Send the zone as value."))
        if problem := zone_problem(zone, name):
            reading.refuse(f"{path}.zone", problem)
        answer = LayoutAnswer(kind=AnswerKind.LABEL, name=answer_key(label), heading=label, field=name, zone=zone)
    if any((each.kind, each.name) == (answer.kind, answer.name) for each in reading.answers) or any(
        each.field == name for each in reading.answers if each.kind != AnswerKind.COLUMN
    ):
        reading.refuse(f"{path}.field", Translatable("Send only one entry for each field."))
    reading.answers.append(answer)


_NO_CONSTANT: str = Translatable("Only destination, origin and zone can be the same in every workbook.")


class _Headings:
    """The headings of a layout, as people and programs name them."""

    def __init__(self, layout: Layout) -> None:
        self._places = [(_same(place["shown"]), _same(place["group"]), place) for place in _places(layout)]

    def find(self, heading: str, group: str) -> tuple[Mapping[str, Any] | None, str]:
        """Return the column with this heading, or None and why there is none. Digits count as one another."""
        wanted, above = _same(heading), _same(group)
        found = [place for own, over, place in self._places if own == wanted and (over == above or not group)]
        if not found:
            text, number = _split_number(heading)
            name = answer_key(f"{group} {text}".strip()) + number
            found = [place for _own, _over, place in self._places if place["name"] == name]
        if len(found) == 1:
            return found[0], ""
        if found:
            return None, Translatable("Several columns have this heading; send the group above it.")
        return None, Translatable("The layout has no column with this heading.")


def _split_number(heading: str) -> tuple[str, str]:
    """Split `Valor#2` into the heading and its number."""
    text, sign, number = heading.rpartition("#")
    return (text, f"#{number}") if sign and text and number.isdigit() else (heading, "")


def _same(heading: str) -> str:
    """The form in which headings as written are compared: whatever their case, accents and punctuation."""
    text, number = _split_number(heading)
    return (" ".join(spell(text)) or text.strip().casefold()) + number


def _places(layout: Layout) -> Sequence[Mapping[str, Any]]:
    """Return name, heading, group and `shown`, the heading by which it is told apart, of each column.

    Those of the last workbook, in the sheet's order; those that the last refused one had besides; and those that
    somebody has answered and that both lack.
    """
    rows: list[Mapping[str, Any]] = [*layout.columns]
    names = {column["name"] for column in rows}
    rows += [column for column in layout.changed_columns if column["name"] not in names]
    names |= {column["name"] for column in rows}
    rows += [
        {"name": each.name, "heading": each.heading, "group": each.group}
        for each in layout.answers.all()
        if each.kind == AnswerKind.COLUMN and each.name not in names
    ]
    seen: Counter[tuple[str, str]] = Counter()
    places, left = [], ""
    for row in rows:
        left = row["heading"] or left
        heading = row["heading"] or f"{left} +{row['name'].rpartition(' +')[2]}".strip()
        seen[same := (_same(heading), _same(row["group"]))] += 1
        shown = heading if seen[same] == 1 else f"{heading}#{seen[same]}"
        places.append({"name": row["name"], "heading": row["heading"], "group": row["group"], "shown": shown})
    return places


# --- writing ----------------------------------------------------------------------------------------------------------


def write_answers(layout: Layout, answers: Iterable[LayoutAnswer], by: User | None) -> None:
    """Let `answers` be all that is said of a layout, which the caller has locked. Equal ones stay as they are.

    Questions that are answered go, and so do the figures if a column is told otherwise: they were of another column.
    """
    wanted = {(each.kind, each.name): each for each in answers}
    known = {(each.kind, each.name): each for each in layout.answers.all()}
    gone = [each.pk for key, each in known.items() if key not in wanted]
    changed = {
        key: each for key, each in wanted.items() if key not in known or _get_told(each) != _get_told(known[key])
    }
    LayoutAnswer.objects.filter(layout=layout, pk__in=gone).delete()
    for key, each in changed.items():
        each.layout, each.answered_by = layout, by
        each.pk = known[key].pk if key in known else None
        each.save()
    was_told = {key for key, each in known.items() if each.field}
    if any(key in was_told for key in changed) or was_told - wanted.keys():
        layout.figures = {}
    told = {each.field for each in wanted.values() if each.field}
    answered = {column["column"] for column in layout.columns if (AnswerKind.COLUMN, column["name"]) in wanted}
    layout.questions = [
        each
        for each in layout.questions
        if _ALIASES.get(each["field"], each["field"]) not in told
        and not (each["columns"] and {column["column"] for column in each["columns"]} <= answered)
    ]
    layout.save(update_fields=["figures", "questions"])


def _get_told(answer: LayoutAnswer) -> Sequence[Any]:
    return [getattr(answer, name) for name in _TOLD]


def _record(layout: Layout, before: Mapping[str, Any], by: User | None, password_hint: str) -> None:
    """Record who answered: an operator in the activity log, with what was said before; a client in the audit log."""
    after = told_body(layout)
    if after == before:
        return
    code = layout.company.client_code
    log.info("layout_answered", layout=str(layout.pk), company=code, answers=len(after["answers"]))
    if by:
        log_layout_act(layout, by, LAYOUT_ANSWERED, {"before": before})
        return
    Change.objects.log_create(
        layout,
        force_log=True,
        action=Change.Action.UPDATE,
        changes={"answers": [_fields_told(before), _fields_told(after)]},
        additional_data={"actor": f"client:{code}", "password_hint": password_hint},
    )


def _fields_told(body: Mapping[str, Any]) -> str:
    """The fields that were told, without any text of the client's."""
    return ", ".join(sorted(each["field"] or "–" for each in (*body["answers"], *body["labels"]))) or "–"


def log_layout_act(layout: Layout, by: User, done: Act, params: Params) -> None:
    """Record in the activity log what an operator did to a layout, without a request."""
    LogEntry.objects.create(
        user=by,
        content_type=ContentType.objects.get_for_model(Layout),
        object_id=str(layout.pk),
        object_repr=str(layout)[:200],
        action_flag=done.kind,
        change_message=encode_act(done, params),
    )


# --- showing ----------------------------------------------------------------------------------------------------------


def stamp_of(layout: Layout) -> str:
    """Return a digest of what is said of a layout now, to find out whether somebody has said more in between."""
    said = json.dumps([told_body(layout), str(layout.confirmed_at)], sort_keys=True)
    return hashlib.sha256(said.encode()).hexdigest()[:32]


def told_body(layout: Layout) -> dict[str, Any]:
    """Return what is said of a layout in the form in which `answer_layout` takes it: answered again, it is the same."""
    answers = sorted(layout.answers.all(), key=attrgetter("pk"))
    shown = {place["name"]: place["shown"] for place in _places(layout)}
    columns = [
        {
            "heading": shown[each.name],
            "group": each.group,
            "field": each.field or None,
            **{name: getattr(each, name) for name in _OF_ANSWER},
        }
        for each in answers
        if each.kind == AnswerKind.COLUMN
    ]
    labels = [
        {"label": each.heading, "field": each.field, "zone": each.zone}
        if each.kind == AnswerKind.LABEL
        else {"field": each.field, "value": each.value}
        for each in answers
        if each.kind in {AnswerKind.LABEL, AnswerKind.CONSTANT}
    ]
    rule = next((each.value for each in answers if each.kind == AnswerKind.RULE and each.name == _RULE), "")
    return {"answers": columns, "labels": labels, _RULE: rule or None}


def describe_layout(layout: Layout) -> dict[str, Any]:
    """Return a layout as the API answers it: its columns with what was told, its open questions, and what was said."""
    told = {each.name: each for each in layout.answers.all() if each.kind == AnswerKind.COLUMN}
    shown = {place["name"]: place["shown"] for place in _places(layout)}
    columns = []
    for column in layout.columns:
        answer = told.get(column["name"])
        source = {name: getattr(answer, name) for name in ("field", *_OF_COLUMN)} if answer else column
        columns.append(
            {
                "column": column["column"],
                "heading": shown[column["name"]],
                "group": column["group"] or "",
                "strength": "told" if answer else column["strength"] or "",
                "field": source["field"] or None,
                **{name: source[name].removeprefix("?") for name in sorted(_OF_COLUMN)},
            }
        )
    return {
        "id": str(layout.pk),
        "country": layout.country,
        "confirmed_at": layout.confirmed_at,
        "first_seen_at": layout.first_seen_at,
        "last_seen_at": layout.last_seen_at,
        "columns": columns,
        "questions": layout.questions,
        **told_body(layout),
    }
