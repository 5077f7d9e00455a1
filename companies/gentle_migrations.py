"""Operations for tables in use: on PostgreSQL nobody waits for them; on SQLite they are the ordinary ones.

Django's own are PostgreSQL's alone and fail on SQLite, where our migrations run too.
"""

from typing import Any

from django.contrib.postgres.operations import AddConstraintNotValid, AddIndexConcurrently, ValidateConstraint
from django.db.migrations import AddConstraint, AddIndex

# ruff: noqa: ANN401  # Django's types of schema editors and states are private to it


class AddIndexGently(AddIndexConcurrently):
    """Build an index while others write. Its migration needs `atomic = False`."""

    def database_forwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        kind = AddIndexConcurrently if _is_postgresql(schema_editor) else AddIndex
        kind.database_forwards(self, app_label, schema_editor, from_state, to_state)

    def database_backwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        kind = AddIndexConcurrently if _is_postgresql(schema_editor) else AddIndex
        kind.database_backwards(self, app_label, schema_editor, from_state, to_state)


class AddConstraintGently(AddConstraintNotValid):
    """Hold new rows to a check; the rows that are there are looked at by `ValidateGently` in a later migration."""

    def database_forwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        kind = AddConstraintNotValid if _is_postgresql(schema_editor) else AddConstraint
        kind.database_forwards(self, app_label, schema_editor, from_state, to_state)


class ValidateGently(ValidateConstraint):
    """Look at the rows that were there; SQLite has done so when the constraint was added."""

    def database_forwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        if _is_postgresql(schema_editor):
            super().database_forwards(app_label, schema_editor, from_state, to_state)


def _is_postgresql(schema_editor: Any) -> bool:
    return bool(schema_editor.connection.vendor == "postgresql")
