"""`python -m faults.versions.next_migration`: what the migration of a next version might do to a database in use.

Additive, following our rules for migrations: columns with a database default, and an index.
"""

import os

import django
from django.db import migrations, models


def apply() -> None:
    """Change the tables of manifests and guides; the running code does not know the new columns."""
    from django.db import connection  # noqa: PLC0415  # once Django is set up
    from django.db.migrations.loader import MigrationLoader  # noqa: PLC0415  # as above

    state = MigrationLoader(connection).project_state()
    index = models.Index(fields=["hawb"], name="guide_next_by_hawb")
    operations = [
        migrations.AddField("manifest", "next_word", models.CharField(max_length=20, default="", db_default="")),
        migrations.AddField("guide", "next_number", models.IntegerField(default=0, db_default=0)),
        migrations.AddField("guideevent", "next_moment", models.DateTimeField(null=True)),
        migrations.AddIndex("guide", index),
    ]
    for operation in operations:
        after = state.clone()
        operation.state_forwards("shipments", after)
        with connection.schema_editor() as editor:
            operation.database_forwards("shipments", editor, state, after)
        state = after


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "prealerts.settings")
    django.setup()
    apply()
