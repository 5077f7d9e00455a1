"""Recognising the constraint behind an IntegrityError, on both PostgreSQL and SQLite."""

from functools import cache

from django.apps import apps
from django.db import IntegrityError
from django.db.models import UniqueConstraint


def violated(exc: IntegrityError, name: str) -> bool:
    """Return whether `exc` was raised by the unique constraint `name` of this app.

    PostgreSQL reports the constraint's name, SQLite only its columns.
    """
    diagnosis = getattr(exc.__cause__, "diag", None)
    if diagnosis is not None:
        return bool(diagnosis.constraint_name == name)
    return str(exc) == f"UNIQUE constraint failed: {_columns(name)}"


@cache
def _columns(name: str) -> str:
    for model in apps.get_app_config("shipments").get_models():
        for constraint in model._meta.constraints:
            if isinstance(constraint, UniqueConstraint) and constraint.name == name:
                table, columns = (
                    model._meta.db_table,
                    {field.name: field.column for field in model._meta.concrete_fields},
                )
                return ", ".join(f"{table}.{columns[field]}" for field in constraint.fields)
    raise LookupError(name)
