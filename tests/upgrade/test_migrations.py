"""A released migration never changes, and a new one lets the version before it serve on."""

import json
from typing import Any

import pytest
from django.db import IntegrityError, connection, migrations, models
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.migration import Migration
from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ProjectState

from base.gentle_migrations import AddIndexGently
from tests.upgrade.additive import (
    BLOCKING,
    BOUND,
    DROPPED,
    EMPTY,
    FILLED,
    NARROWED,
    ONE_WAY,
    RENAMED,
    RETYPED,
    SEVERAL,
    refusals,
)
from tools.released_databases import APPS, FROZEN, digests

ACCEPTED: dict[str, str] = {}
"""Migrations that the rule refuses and that may be released, each with its reason: what an earlier release stopped
using is dropped, or a constraint holds that no version breaks any more.
"""


def released() -> dict[str, str]:
    """Path -> digest of the migrations of the last release."""
    found: dict[str, str] = json.loads(FROZEN.read_text(encoding="utf-8"))
    return found


def test_a_released_migration_never_changes() -> None:
    now = digests()
    assert {path: now.get(path) for path in released()} == released()


def refused() -> dict[str, list[str]]:
    """Migration -> why, of all new ones that are refused."""
    loader = MigrationLoader(None)
    found = {}
    for app, name in sorted(loader.disk_migrations):
        if app in APPS and f"{app}/migrations/{name}.py" not in released():
            migration = loader.disk_migrations[app, name]
            found[f"{app}.{name}"] = refusals(migration, loader.project_state((app, name), at_end=False))
    return {name: said for name, said in found.items() if said}


def test_a_new_migration_lets_the_version_before_it_serve_on() -> None:
    assert {name: said for name, said in refused().items() if name not in ACCEPTED} == {}


def test_no_exception_outlives_its_migration() -> None:
    assert ACCEPTED.keys() <= refused().keys()


COLUMNS: "list[tuple[str, models.Field[Any, Any]]]" = [
    ("hawb", models.CharField(max_length=50)),
    ("weight", models.DecimalField(max_digits=10, decimal_places=3)),
]


def before() -> ProjectState:
    state = ProjectState()
    note = ("note", models.CharField(max_length=50, null=True))  # what is to become NOT NULL
    fields = [("id", models.BigAutoField(primary_key=True)), *COLUMNS, note]
    migrations.CreateModel("Parcel", fields).state_forwards("trade", state)
    return state


def migration(*operations: Operation, atomic: bool = True) -> Migration:
    kind: type[Migration] = type("Next", (Migration,), {"operations": list(operations), "atomic": atomic})
    return kind("0002_next", "trade")


INDEX = models.Index(fields=["hawb"], name="parcel_by_hawb")
UNIQUE = models.UniqueConstraint(fields=["hawb"], name="parcel_once")


@pytest.mark.parametrize(
    ("operation", "why"),
    [
        (migrations.AddField("parcel", "box", models.IntegerField(default=0)), EMPTY),
        (migrations.AddField("parcel", "box", models.IntegerField(default=0, db_default=0)), ""),
        (migrations.AddField("parcel", "box", models.IntegerField(null=True)), ""),
        (migrations.RemoveField("parcel", "note"), DROPPED),
        (migrations.DeleteModel("Parcel"), DROPPED),
        (migrations.RenameField("parcel", "note", "remark"), RENAMED),
        (migrations.RenameModel("Parcel", "Box"), RENAMED),
        (migrations.AlterModelTable("parcel", "boxes"), RENAMED),
        (migrations.AlterField("parcel", "note", models.CharField(max_length=50)), FILLED),
        (migrations.AlterField("parcel", "hawb", models.CharField(max_length=40)), NARROWED),
        (migrations.AlterField("parcel", "hawb", models.CharField(max_length=50, unique=True)), NARROWED),
        (migrations.AlterField("parcel", "hawb", models.CharField(max_length=60, null=True)), ""),
        (migrations.AlterField("parcel", "weight", models.FloatField()), RETYPED),
        (migrations.AlterField("parcel", "weight", models.DecimalField(max_digits=10, decimal_places=2)), NARROWED),
        (migrations.AddIndex("parcel", INDEX), BLOCKING),
        (migrations.AddConstraint("parcel", UNIQUE), BOUND),
        (migrations.AlterUniqueTogether("parcel", {("hawb", "note")}), BOUND),
        (migrations.RunSQL("DROP INDEX parcel_by_hawb"), ONE_WAY),
        (migrations.RunSQL("DROP INDEX parcel_by_hawb", migrations.RunSQL.noop), ""),
        (migrations.RunPython(migrations.RunPython.noop), ONE_WAY),
    ],
)
def test_what_a_migration_may_do_at_once(operation: Operation, why: str) -> None:
    said = refusals(migration(operation), before())
    assert [each.partition(": ")[2] for each in said] == ([why] if why else [])


def test_an_index_beside_writers_needs_a_migration_without_a_transaction() -> None:
    operation = AddIndexGently("parcel", INDEX)
    assert refusals(migration(operation, atomic=False), before()) == []
    assert refusals(migration(operation), before()) == [f"AddIndexGently parcel: {BLOCKING}"]


def test_what_is_done_to_a_table_that_comes_with_it_concerns_nobody() -> None:
    create = migrations.CreateModel("Box", [("id", models.BigAutoField(primary_key=True))])
    add = migrations.AddField("box", "size", models.IntegerField(default=0))
    assert refusals(migration(create, add), before()) == []


def test_two_tables_in_use_are_not_held_at_once() -> None:
    state = before()
    migrations.CreateModel("Box", [("id", models.BigAutoField(primary_key=True))]).state_forwards("trade", state)
    both = [migrations.AddField(model, "size", models.IntegerField(null=True)) for model in ("parcel", "box")]
    assert refusals(migration(*both), state) == [f"trade.box, trade.parcel: {SEVERAL}"]
    assert refusals(migration(*both, atomic=False), state) == []
    keys = [(name, models.ForeignKey(f"trade.{name}", models.CASCADE)) for name in ("box", "parcel")]
    create = migrations.CreateModel("Label", [("id", models.BigAutoField(primary_key=True)), *keys])
    assert refusals(migration(create), state) == [f"trade.box, trade.parcel: {SEVERAL}"]


def test_a_column_may_leave_the_code_before_it_leaves_the_table() -> None:
    leave = migrations.RemoveField("parcel", "note")
    assert refusals(migration(migrations.SeparateDatabaseAndState(state_operations=[leave])), before()) == []
    assert refusals(migration(migrations.SeparateDatabaseAndState(database_operations=[leave])), before()) == [
        f"RemoveField parcel: {DROPPED}"
    ]


@pytest.mark.django_db(transaction=True)
def test_an_index_is_built_on_either_database_also_after_an_attempt_that_failed() -> None:
    create = migrations.CreateModel("Parcel", [("id", models.BigAutoField(primary_key=True)), *COLUMNS])
    add = AddIndexGently("parcel", INDEX)
    empty, made, indexed = ProjectState(), ProjectState(), ProjectState()
    for state in (made, indexed):
        create.state_forwards("trade", state)
    add.state_forwards("trade", indexed)
    with connection.schema_editor(atomic=False) as editor:
        create.database_forwards("trade", editor, empty, made)
    try:
        if connection.vendor == "postgresql":
            with connection.cursor() as cursor:
                cursor.execute("INSERT INTO trade_parcel (hawb, weight) VALUES ('H1', 1), ('H1', 2)")
                with pytest.raises(IntegrityError):  # and an invalid index is left
                    cursor.execute(f"CREATE UNIQUE INDEX CONCURRENTLY {INDEX.name} ON trade_parcel (hawb)")
        with connection.schema_editor(atomic=False) as editor:
            add.database_forwards("trade", editor, made, indexed)
        assert INDEX.name in constraints()
        with connection.schema_editor(atomic=False) as editor:
            add.database_backwards("trade", editor, indexed, made)
        assert INDEX.name not in constraints()
    finally:
        with connection.cursor() as cursor:
            cursor.execute("DROP TABLE trade_parcel")


def constraints() -> set[str]:
    with connection.cursor() as cursor:
        return set(connection.introspection.get_constraints(cursor, "trade_parcel"))
