"""What models cannot say. `make initial-migrations` leaves this file alone."""

from django.db import migrations

# A bucket is written by each limited request and worth nothing after a crash: no log, and room for the next version of
# a row on the same page.
TABLE = 'ALTER TABLE companies_ratebucket SET'


def run(*statements):
    def on_postgresql(apps, schema_editor):
        if schema_editor.connection.vendor == 'postgresql':
            for statement in statements:
                schema_editor.execute(statement)

    return on_postgresql


class Migration(migrations.Migration):

    dependencies = [('companies', '0001_initial')]

    operations = [
        migrations.RunPython(
            run(f'{TABLE} UNLOGGED', f'{TABLE} (fillfactor = 50)'),
            run(f'{TABLE} LOGGED', f'{TABLE} (fillfactor = 100)'),
        ),
    ]
