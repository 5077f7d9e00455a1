"""What a migration may do while the version before it still serves, and what it must leave to a later release.

The rules are those of CONTRIBUTING.md, "A migration". What RunSQL and RunPython do, people judge.
"""

from collections.abc import Iterator

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations
from django.db.migrations.migration import Migration
from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ProjectState
from django.db.migrations.utils import resolve_relation
from django.db.models import Field, ForeignKey, ManyToManyField
from django.db.models.fields import NOT_PROVIDED

DROPPED = "the version before still reads it: take it out of the state now, drop it in a later release"
RENAMED = "the version before knows the old name alone: add a new one, write both, drop the old one later"
RETYPED = "the version before writes the old type: add a new column"
NARROWED = "the version before may write more than fits"
EMPTY = "the version before leaves it empty: nullable, or a db_default"
FILLED = "the version before may write NULL: only once all rows have it and no version leaves it out"
BLOCKING = "writers wait while the index is built: AddIndexGently in a migration with atomic = False"
BOUND = "the version before may break it, and writers wait for the check: only once no version breaks it"
SEVERAL = "a request that takes these tables in another order and the migration wait for each other: one for each"
ONE_WAY = "not reversible: give it a reverse operation, at least a noop"

_WRITTEN_ALONE = {"companies.company", "auth.user"}
"""No transaction that serves a client writes to these and to another table."""


def refusals(migration: Migration, before: ProjectState) -> list[str]:
    """Why each operation of `migration` that may not be released is refused, "Operation: reason"; empty: it may be.

    before: the models as they are when it begins.
    """
    state, said = before.clone(), []
    born: set[str] = set()  # nobody uses a table that comes with this very migration
    locked: set[str] = set()
    for operation in migration.operations:
        for each, at in _in_the_database(operation, migration.app_label, state):
            model = str(getattr(each, "model_name", "")).lower()
            locked |= _referenced(each, migration.app_label)
            if isinstance(each, migrations.CreateModel):
                born.add(each.name.lower())
            elif model not in born:
                locked |= {f"{migration.app_label}.{model}"} if model else set()
                if why := _why_not(each, migration, at):
                    said.append(f"{type(each).__name__} {model}: {why}")
        operation.state_forwards(migration.app_label, state)
    locked -= {f"{migration.app_label}.{model}" for model in born}
    if migration.atomic and len(locked) > 1:
        said.append(f"{', '.join(sorted(locked))}: {SEVERAL}")
    return said


def _referenced(operation: Operation, app: str) -> set[str]:
    """The tables to which `operation` adds foreign keys: nobody may write to them until the transaction ends."""
    match operation:
        case migrations.CreateModel(fields=fields):
            added = [field for _name, field in fields]
        case migrations.AddField(field=field):
            added = [field]
        case _:
            added = []
    models = [field.remote_field.model for field in added if isinstance(field, ForeignKey)]
    return {".".join(resolve_relation(model, app)) for model in models} - _WRITTEN_ALONE


def _in_the_database(operation: Operation, app: str, state: ProjectState) -> Iterator[tuple[Operation, ProjectState]]:
    """The operations that touch tables, each with the state that it finds."""
    if not isinstance(operation, migrations.SeparateDatabaseAndState):
        yield operation, state
        return
    at = state.clone()
    for each in operation.database_operations:
        yield each, at
        each.state_forwards(app, at)


def _why_not(operation: Operation, migration: Migration, state: ProjectState) -> str:
    match operation:
        case migrations.AddField(field=field):
            return "" if _may_be_left_out(field) else EMPTY
        case migrations.AlterField(model_name=model, name=name, field=field):
            old = state.models[migration.app_label, model.lower()].fields[name]
            return _why_not_altered(old, field)
        case migrations.RemoveField() | migrations.DeleteModel():
            return DROPPED
        case migrations.AddIndex():
            return "" if isinstance(operation, AddIndexConcurrently) and not migration.atomic else BLOCKING
        case migrations.AddConstraint() | migrations.AlterUniqueTogether():
            return BOUND
        case migrations.RunPython() | migrations.RunSQL() if not operation.reversible:
            return ONE_WAY
        case migrations.RenameField() | migrations.RenameModel() | migrations.AlterModelTable():
            return RENAMED
    return ""


def _may_be_left_out(field: "Field[object, object]") -> bool:
    return field.null or field.db_default is not NOT_PROVIDED or isinstance(field, ManyToManyField)


def _why_not_altered(old: "Field[object, object]", new: "Field[object, object]") -> str:
    if old.get_internal_type() != new.get_internal_type():
        return RETYPED
    if old.null and not new.null:
        return FILLED
    is_narrower = any(
        getattr(new, size, None) is not None and (getattr(old, size, None) or 0) > getattr(new, size)
        for size in ("max_length", "max_digits", "decimal_places")
    )
    return NARROWED if is_narrower or (new.unique and not old.unique) else ""
