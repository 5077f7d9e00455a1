"""The rows of one batch of guides: read under locks, and written with the events that change them.

The SQL is written by hand and needs few round trips: for a single guide the ORM took several times as long to compose
its statements as the database to answer them. PostgreSQL and SQLite differ only in row locks, which SQLite does not
need: a write transaction there has exclusive access to the database.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import chain, islice
from typing import Any, NamedTuple
from uuid import UUID

from django.db import connection
from django.utils import timezone

from base.db.moments import aware
from base.db.rows import RowReader
from shipments.models import Guide, GuideEvent, Manifest
from shipments.statuses import IN_CUSTOMS, GuideStatus, Source, mawb_status
from shipments.tracking.changes import UNCHANGED, Mark, raise_version
from shipments.tracking.moves import Move, Verdict

_MANIFESTS, _GUIDES, _EVENTS = Manifest._meta.db_table, Guide._meta.db_table, GuideEvent._meta.db_table
_MANIFEST_ID, _COUNTS = Manifest._meta.get_field("id"), Manifest._meta.get_field("guides_by_status")

_MANIFEST_READER = RowReader(
    Manifest, "id", "company", "mawb", "country", "guides_by_status", "version", "changed_at", "created_at"
)

_SELECT_MANIFESTS = f"SELECT {_MANIFEST_READER.columns} FROM {_MANIFESTS}"  # noqa: S608  # our own tables' names
_SELECT_GUIDES = f"""
    SELECT {_GUIDES}.id, hawb, tracking_code, {_GUIDES}.status, retention_required, anonymised_at,
           {_GUIDES}.sequence, {_GUIDES}.updated_at, event.status, event.occurred_at,
           event.withdrawn_at IS NOT NULL,
           CASE WHEN event.status <> %s THEN FALSE WHEN event.source = %s THEN TRUE
           WHEN event.source = %s THEN NOT EXISTS (
               SELECT 1 FROM {_EVENTS} earlier WHERE earlier.guide_id = event.guide_id AND earlier.id < event.id
           ) ELSE FALSE END
    FROM {_GUIDES} LEFT JOIN {_EVENTS} event ON event.guide_id = {_GUIDES}.id AND event.occurred_at >= %s
"""  # noqa: S608  # as above

_CUSTOMS = ", ".join(f"'{status.value}'" for status in IN_CUSTOMS)
_STAY_BEGAN = f"""
    SELECT MIN(stay.occurred_at) FROM {_EVENTS} stay
    WHERE stay.guide_id = {_GUIDES}.id AND stay.withdrawn_at IS NULL AND stay.status IN ({_CUSTOMS})
        AND NOT EXISTS (
            SELECT 1 FROM {_EVENTS} later
            WHERE later.guide_id = stay.guide_id AND later.withdrawn_at IS NULL
                AND later.status NOT IN ('{GuideStatus.REGISTERED.value}', {_CUSTOMS})
                AND (later.occurred_at, later.id) > (stay.occurred_at, stay.id)
        )
"""  # noqa: S608  # our own tables' names and statuses
"""The SQL for when the last stay in customs of a guide began: with the first report from customs after the last event
that was none. Null if that event is the newest.

A guide that goes from one customs status to another stays in customs; any other status is a break. By when things
happened, not by when they were reported: a guide may be registered after customs received it.
"""


class Overtaken(Exception):
    """A guide's status changed between reading and writing."""


_INSERTED = 1_000
"""Events written by one statement."""

_EVENT_COLUMNS = (
    "guide_id", "status", "occurred_at", "recorded_at", "source", "internal_note", "client_note", "actor", "sequence",
)  # fmt: skip

_Parameter = str | int | datetime | UUID | None
_Statement = tuple[str, list[_Parameter]]


class Scan(NamedTuple):
    """The columns of an event that the rules need.

    is_first: it is the `registered` event written by `ingest`, or by a withdrawal that left no other event.
    """

    status: GuideStatus
    occurred_at: datetime
    is_withdrawn: bool
    is_first: bool


class LockedGuide(NamedTuple):
    """The columns of a guide that moving it needs. scans: its events since a given time, unordered.

    is_anonymised: no free text may be stored for it.
    """

    id: int
    hawb: str
    tracking_code: str
    status: str
    retention_required: bool
    is_anonymised: bool
    mark: Mark
    scans: list[Scan]


class Change(NamedTuple):
    """What a batch does to a guide: steps is the number of times that its status changed, which may be 0."""

    previous: str
    status: GuideStatus
    steps: int
    updated_at: datetime


@dataclass(slots=True)
class LockedRows:
    """The manifests and guides of one batch, as they were read. marks: each guide's, raised with every new event."""

    manifests: Mapping[UUID, Manifest]
    guides: Mapping[int, LockedGuide]
    marks: dict[int, Mark]
    now: datetime

    @classmethod
    def read(
        cls, manifest_ids: Collection[UUID], guide_ids: Collection[int], *, since: datetime, is_locked: bool
    ) -> "LockedRows":
        """Read manifests, with what moving their guides needs, and guides with events since `since`.

        With locking, manifests are locked before guides, each in the order of their ids. The lock on the manifest's row
        prevents new events. is_locked: False for dry runs.
        """
        # NO KEY: rows that refer to the locked ones can still be written.
        lock = "FOR NO KEY UPDATE OF {}" if is_locked and connection.features.has_select_for_update else ""
        manifests_sql = f"{_SELECT_MANIFESTS} WHERE id IN ({_placeholders(manifest_ids)}) ORDER BY id"
        guides_sql = f"{_SELECT_GUIDES} WHERE {_GUIDES}.id IN ({_placeholders(guide_ids)}) ORDER BY {_GUIDES}.id"
        beginnings = [GuideStatus.REGISTERED.value, Source.OPERATOR.value, Source.PRE_ALERT.value]
        (_count, manifests), (_count, rows) = _run(
            [
                (f"{manifests_sql} {lock.format(_MANIFESTS)}", [_id(each) for each in manifest_ids]),
                (f"{guides_sql} {lock.format(_GUIDES)}", [*beginnings, _moment(since), *guide_ids]),
            ]
        )
        found = [_MANIFEST_READER.instance(row, connection) for row in manifests]
        guides = _collect_guides(rows)
        marks = {guide.id: guide.mark for guide in guides.values()}
        # The time is read after locking, so that rows written by others are not later.
        return cls({manifest.pk: manifest for manifest in found}, guides, marks, timezone.now())

    def complete(self, move: Move, previous: GuideStatus, verdict: Verdict, *, actor: str) -> None:
        """Set what a move does, with its event if it is recorded, which is not saved yet."""
        guide = self.guides[move.guide_id]
        move.manifest, move.hawb, move.tracking_code = self.manifests[move.manifest_id], guide.hawb, guide.tracking_code
        move.previous_status, move.verdict, move.event = previous, verdict, None
        if not verdict.outcome.is_recorded:
            return
        reported, is_move = move.reported, verdict.outcome.is_move
        mark = self.marks[guide.id] = self.marks[guide.id].next(self.now, is_moved=is_move)
        move.event = GuideEvent(
            guide_id=guide.id,
            status=reported.status,
            occurred_at=verdict.occurred_at,
            recorded_at=mark.updated_at,
            source=reported.source,
            # Free text may name the anonymised person.
            internal_note="" if guide.is_anonymised else reported.internal_note,
            client_note="" if guide.is_anonymised else reported.client_note,
            actor=move.actor or actor,
            sequence=mark.sequence if is_move else UNCHANGED,
        )

    def write(self, moves: Sequence[Move], statuses: Mapping[int, GuideStatus]) -> None:
        """Write the events of `moves`, the guides' statuses, and the counts, version and time of their manifests.

        The events' ids are set. statuses: guide id -> its status after all moves. Since when customs has a guide
        follows from all its events, so those that are taken back must be marked before. Raises `Overtaken` if a guide
        is no longer in the status in which it was read.
        """
        events = [move.event for move in moves if move.event]
        changes = self._changes(events, statuses)
        inserts = [*_insert_events(events)]
        updates = [_update_guides(ids, change) for change, ids in changes.items()]
        written = _run([*inserts, *updates, *map(_update_manifest, self._recount_manifests(moves))])
        event_ids = [event_id for _count, rows in written[: len(inserts)] for (event_id,) in rows]
        for event, event_id in zip(events, event_ids, strict=True):
            event.pk = event_id
        changed = sum(count for count, _rows in written[len(inserts) : len(inserts) + len(updates)])
        if changed != sum(map(len, changes.values())):
            raise Overtaken

    def _changes(
        self, events: Iterable[GuideEvent], statuses: Mapping[int, GuideStatus]
    ) -> Mapping[Change, Sequence[int]]:
        steps: dict[int, int] = defaultdict(int)
        for event in events:
            steps[event.guide_id] += event.sequence != UNCHANGED
        by_change: dict[Change, list[int]] = defaultdict(list)
        for guide_id, taken in steps.items():
            change = Change(self.guides[guide_id].status, statuses[guide_id], taken, self.marks[guide_id].updated_at)
            by_change[change].append(guide_id)
        return by_change

    def _recount_manifests(self, moves: Iterable[Move]) -> list[Manifest]:
        """Return the manifests of guides with new events, with updated counts, version and time."""
        changes: dict[UUID, Counter[str]] = defaultdict(Counter)
        changed_at: dict[UUID, datetime] = {}
        for move in moves:
            if move.event:
                moment = changed_at.get(move.manifest_id, self.now)
                changed_at[move.manifest_id] = max(moment, move.event.recorded_at)
                if move.outcome.is_move:
                    changes[move.manifest_id][move.previous_status] -= 1
                    changes[move.manifest_id][move.reported.status] += 1
        for manifest_id, moment in changed_at.items():
            manifest = self.manifests[manifest_id]
            counts = Counter(manifest.guides_by_status)
            counts.update(changes[manifest_id])
            manifest.guides_by_status = {status.value: counts[status] for status in GuideStatus if counts[status] > 0}
            raise_version(manifest, moment)
        return [self.manifests[manifest_id] for manifest_id in changed_at]


def _collect_guides(rows: Iterable[tuple[Any, ...]]) -> Mapping[int, LockedGuide]:
    found: dict[int, LockedGuide] = {}
    for *guide, anonymised_at, sequence, updated_at, status, at, is_withdrawn, is_first in rows:
        guide_id = guide[0]
        if guide_id not in found:
            mark = Mark(sequence, aware(updated_at))
            found[guide_id] = LockedGuide._make((*guide, anonymised_at is not None, mark, []))
        if at:
            scan = Scan(GuideStatus(status), aware(at), bool(is_withdrawn), bool(is_first))
            found[guide_id].scans.append(scan)
    return found


def _insert_events(events: Sequence[GuideEvent]) -> Iterator[_Statement]:
    rest, row = iter(events), f"({_placeholders(_EVENT_COLUMNS)})"
    while some := list(islice(rest, _INSERTED)):
        rows = ", ".join([row] * len(some))
        query = f"INSERT INTO {_EVENTS} ({', '.join(_EVENT_COLUMNS)}) VALUES {rows} RETURNING id"  # noqa: S608  # our own table's name
        values: list[_Parameter] = []
        for event in some:  # in the order of `_EVENT_COLUMNS`
            moments = _moment(event.occurred_at), _moment(event.recorded_at)
            texts = event.source, event.internal_note, event.client_note, event.actor
            values += [event.guide_id, event.status, *moments, *texts, event.sequence]
        yield query, values


def _update_guides(ids: Sequence[int], change: Change) -> _Statement:
    customs_since = f"({_STAY_BEGAN})" if change.status in IN_CUSTOMS else "NULL"
    query = f"""
        UPDATE {_GUIDES}
        SET status = %s, customs_since = {customs_since}, sequence = sequence + %s, updated_at = %s
        WHERE id IN ({_placeholders(ids)}) AND status = %s
    """  # noqa: S608  # as above
    return query, [change.status.value, change.steps, _moment(change.updated_at), *ids, change.previous]


def _update_manifest(manifest: Manifest) -> _Statement:
    query = f"""
        UPDATE {_MANIFESTS} SET guides_by_status = %s, status = %s, version = %s, changed_at = %s WHERE id = %s
    """  # noqa: S608  # as above
    counts = _COUNTS.get_db_prep_value(manifest.guides_by_status, connection)
    status = mawb_status(manifest.guides_by_status)
    return query, [counts, status, manifest.version, _moment(manifest.updated_at), _id(manifest.pk)]


def _run(statements: Sequence[_Statement]) -> list[tuple[int, list[tuple[Any, ...]]]]:
    """Return (affected rows, returned rows) of each statement. PostgreSQL needs a single round trip."""
    is_one_trip = connection.vendor == "postgresql" and bool(statements)
    results = []
    with connection.cursor() as cursor:
        if is_one_trip:
            queries, values = zip(*statements, strict=True)
            cursor.execute("; ".join(queries), [*chain.from_iterable(values)])
        for number, (query, parameters) in enumerate(statements):
            if not is_one_trip:
                cursor.execute(query, parameters)
            elif number:
                cursor.nextset()
            results.append((cursor.rowcount, cursor.fetchall() if cursor.description else []))
    return results


def _placeholders(values: Collection[object]) -> str:
    return ", ".join(["%s"] * len(values))


def _moment(moment: datetime) -> str | datetime | None:
    """Adapt the value to the database: SQLite stores text."""
    return connection.ops.adapt_datetimefield_value(moment)


def _id(manifest_id: UUID) -> str | UUID:
    value: str | UUID = _MANIFEST_ID.get_db_prep_value(manifest_id, connection)
    return value
