"""Every migration lets the version before it serve on; the first ones were never under a version that served."""

from typing import Any

import pytest
from django.db import IntegrityError, connection, migrations, models, transaction
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.migration import Migration
from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ProjectState

from companies.gentle_migrations import AddConstraintGently, AddIndexGently, RemoveIndexGently, ValidateGently
from tests.additive import (
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

APPS = ("companies", "webhooks", "shipments")
ACCEPTED = {
    "shipments.0002_moving_guides": "before the first release",
    "shipments.0003_start_page": "before the first release: indexes on tables that no one fills yet",
    "shipments.0004_operators_searches": "before the first release: indexes on tables that no one fills yet",
    "shipments.0005_anonymised": "before the first release: indexes, and guides and manifests in one transaction, for "
    "which an upload occasionally gets a 503 (row 34 of the fault matrix)",
    "shipments.0026_superseded_tests": "only operators who test or activate a format write to both tables",
    "shipments.0028_notes": "foreign keys to guides and to manifests in one transaction, for which an upload "
    "occasionally gets a 503 (row 34 of the fault matrix)",
    "webhooks.0005_subscription_version": "the constraint that comes is weaker than the one that goes, and a few "
    "hundred subscriptions are looked through in a moment",
    "webhooks.0010_subscription_uuid": "before the first release",
}
"""Migrations that the check refuses but that are allowed, each with its reason."""


def refused() -> dict[str, list[str]]:
    """Migration -> why, of all ours that are refused."""
    loader = MigrationLoader(None)
    found = {}
    for app, name in sorted(loader.disk_migrations):
        if app in APPS:
            migration = loader.disk_migrations[app, name]
            found[f"{app}.{name}"] = refusals(migration, loader.project_state((app, name), at_end=False))
    return {name: said for name, said in found.items() if said}


def test_every_migration_lets_the_version_before_it_serve_on() -> None:
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
POSITIVE = models.CheckConstraint(condition=models.Q(weight__gt=0), name="parcel_weighs")


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
        (AddConstraintGently("parcel", POSITIVE), ""),
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
    assert refusals(migration(both[0]), state) == []


def test_a_new_table_with_foreign_keys_to_two_in_use_holds_both() -> None:
    state = before()
    migrations.CreateModel("Box", [("id", models.BigAutoField(primary_key=True))]).state_forwards("trade", state)
    keys = [(name, models.ForeignKey(f"trade.{name}", models.CASCADE)) for name in ("box", "parcel")]
    create = migrations.CreateModel("Label", [("id", models.BigAutoField(primary_key=True)), *keys])
    assert refusals(migration(create), state) == [f"trade.box, trade.parcel: {SEVERAL}"]
    assert refusals(migration(migrations.CreateModel("Label", create.fields[:2])), state) == []
    later = migrations.AddField("parcel", "box", models.ForeignKey("trade.box", models.CASCADE, null=True))
    assert refusals(migration(later), state) == [f"trade.box, trade.parcel: {SEVERAL}"]


def test_a_column_may_leave_the_code_before_it_leaves_the_table() -> None:
    leave = migrations.RemoveField("parcel", "note")
    assert refusals(migration(migrations.SeparateDatabaseAndState(state_operations=[leave])), before()) == []
    assert refusals(migration(migrations.SeparateDatabaseAndState(database_operations=[leave])), before()) == [
        f"RemoveField parcel: {DROPPED}"
    ]


@pytest.mark.django_db(transaction=True)
def test_the_gentle_operations_do_their_work_on_either_database_and_undo_it() -> None:
    create = migrations.CreateModel("Parcel", [("id", models.BigAutoField(primary_key=True)), *COLUMNS])
    steps = [create, AddIndexGently("parcel", INDEX), AddConstraintGently("parcel", POSITIVE)]
    states = [ProjectState()]
    for step in (*steps, ValidateGently("parcel", POSITIVE.name)):
        states.append(states[-1].clone())
        step.state_forwards("trade", states[-1])
        with connection.schema_editor(atomic=False) as editor:
            step.database_forwards("trade", editor, *states[-2:])
    try:
        assert {INDEX.name, POSITIVE.name} <= constraints()
        Parcel = states[-1].apps.get_model("trade", "Parcel")  # noqa: N806  # a class
        Parcel.objects.create(hawb="H1", weight=1)
        with pytest.raises(IntegrityError), transaction.atomic():
            Parcel.objects.create(hawb="H2", weight=-1)
        for step, after, before in zip(steps[:0:-1], states[-2:1:-1], states[-3:0:-1], strict=True):
            with connection.schema_editor(atomic=False) as editor:
                step.database_backwards("trade", editor, after, before)
        assert not {INDEX.name, POSITIVE.name} & constraints()
        with connection.schema_editor(atomic=False) as editor:
            AddIndexGently("parcel", INDEX).database_forwards("trade", editor, states[1], states[2])
            RemoveIndexGently("parcel", INDEX.name).database_forwards("trade", editor, states[2], states[1])
            assert INDEX.name not in constraints()
            RemoveIndexGently("parcel", INDEX.name).database_backwards("trade", editor, states[1], states[2])
        assert INDEX.name in constraints()
    finally:
        with connection.cursor() as cursor:
            cursor.execute("DROP TABLE trade_parcel")


@pytest.mark.skipif(connection.vendor != "postgresql", reason="only PostgreSQL leaves an invalid index")
@pytest.mark.django_db(transaction=True)
def test_an_index_whose_building_failed_is_built_when_the_migration_is_run_again() -> None:
    create = migrations.CreateModel("Parcel", [("id", models.BigAutoField(primary_key=True)), *COLUMNS])
    empty, made, indexed = ProjectState(), ProjectState(), ProjectState()
    for state in (made, indexed):
        create.state_forwards("trade", state)
    add = AddIndexGently("parcel", INDEX)
    add.state_forwards("trade", indexed)
    with connection.schema_editor(atomic=False) as editor:
        create.database_forwards("trade", editor, empty, made)
    try:
        with connection.cursor() as cursor:
            cursor.execute("INSERT INTO trade_parcel (hawb, weight) VALUES ('H1', 1), ('H1', 2)")
            with pytest.raises(IntegrityError):
                cursor.execute(f"CREATE UNIQUE INDEX CONCURRENTLY {INDEX.name} ON trade_parcel (hawb)")
            assert INDEX.name in constraints(), "the invalid one"
        with connection.schema_editor(atomic=False) as editor:
            add.database_forwards("trade", editor, made, indexed)
        with connection.cursor() as cursor:
            cursor.execute("SELECT indisvalid, indisunique FROM pg_index WHERE indexrelid = %s::regclass", [INDEX.name])
            assert cursor.fetchone() == (True, False)
    finally:
        with connection.cursor() as cursor:
            cursor.execute("DROP TABLE trade_parcel")


def constraints() -> set[str]:
    with connection.cursor() as cursor:
        return set(connection.introspection.get_constraints(cursor, "trade_parcel"))
