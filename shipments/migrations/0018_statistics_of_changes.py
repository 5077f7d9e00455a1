from django.db import migrations

# GET mawbs?updated_since=. Without them PostgreSQL takes a third of all manifests for changed, and reads them in the
# order of their age instead of the few that the index `manifest_by_change` finds. `ANALYZE`, and so autovacuum, fills
# them.
NAME = 'manifest_changes'


def create(apps, schema_editor):
    if schema_editor.connection.vendor == 'postgresql':
        schema_editor.execute(
            f'CREATE STATISTICS IF NOT EXISTS {NAME} ON (COALESCE(changed_at, created_at)) FROM shipments_manifest'
        )


def drop(apps, schema_editor):
    if schema_editor.connection.vendor == 'postgresql':
        schema_editor.execute(f'DROP STATISTICS IF EXISTS {NAME}')


class Migration(migrations.Migration):

    dependencies = [
        ('shipments', '0017_manifest_changes'),
    ]

    operations = [migrations.RunPython(create, drop)]
