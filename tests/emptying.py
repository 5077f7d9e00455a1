"""Empty the database after a test that committed, without the seconds that Django's `flush` takes on PostgreSQL.

TRUNCATE makes new files for each table and index and flushes them to the disk; the tables of a test hold a few rows.
What `migrate` wrote (content types, permissions, roles) stays, so nothing has to be written anew for the next test.
"""

from django.apps import apps
from django.contrib.auth.models import Group, Permission
from django.contrib.contenttypes.models import ContentType
from django.db import connections, transaction
from django.test import TransactionTestCase

_KEPT = {
    "django_migrations",
    *(model._meta.db_table for model in (ContentType, Permission, Group, Group.permissions.through)),
}


def delete_everything(test: TransactionTestCase) -> None:
    """Delete all rows of the databases of `test`. Constraints are checked at the commit, so no order is needed."""
    for name in test._databases_names(include_mirrors=False):  # type: ignore[attr-defined]  # Django's own loop
        connection = connections[name]
        managed = {model._meta.db_table for model in apps.get_models(include_auto_created=True)}
        with transaction.atomic(using=name), connection.cursor() as cursor:
            for table in sorted(managed.intersection(connection.introspection.table_names(cursor)) - _KEPT):
                cursor.execute(f"DELETE FROM {connection.ops.quote_name(table)}")  # noqa: S608  # our own tables


def use_deletion() -> None:
    """Let every test that commits end this way."""
    TransactionTestCase._fixture_teardown = delete_everything  # type: ignore[attr-defined]
