"""Migration operations for tables in use: they do not block on PostgreSQL, and are Django's ordinary ones on SQLite.

Django's own are only for PostgreSQL and fail on SQLite, where these migrations also run.
"""

from typing import Any

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db.migrations import AddIndex

# ruff: noqa: ANN401  # Django's types of schema editors and states are private to it


class AddIndexGently(AddIndexConcurrently):
    """Build an index without blocking writes. Needs `atomic = False`; if the migration fails, it can be run again."""

    def database_forwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        if schema_editor.connection.vendor != "postgresql":
            AddIndex.database_forwards(self, app_label, schema_editor, from_state, to_state)
            return
        self._ensure_not_in_transaction(schema_editor)
        # An attempt that failed leaves an invalid index, whose name would be taken.
        schema_editor.remove_index(to_state.apps.get_model(app_label, self.model_name), self.index, concurrently=True)
        super().database_forwards(app_label, schema_editor, from_state, to_state)

    def database_backwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        kind = AddIndexConcurrently if schema_editor.connection.vendor == "postgresql" else AddIndex
        kind.database_backwards(self, app_label, schema_editor, from_state, to_state)
