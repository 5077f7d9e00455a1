"""What models cannot say. `make initial-migrations` leaves this file alone."""

from django.db import migrations

# A bucket is written by each limited request and worth nothing after a crash: no log, and room for the next version of
# a row on the same page.
TABLES = ('companies_ratebucket', 'companies_operatorbucket', 'companies_attemptbucket')


def run(*statements):
    def on_postgresql(apps, schema_editor):
        if schema_editor.connection.vendor == 'postgresql':
            for table in TABLES:
                for statement in statements:
                    schema_editor.execute(f'ALTER TABLE {table} SET {statement}')

    return on_postgresql


class Migration(migrations.Migration):

    dependencies = [('companies', '0001_initial')]

    operations = [
        migrations.RunPython(
            run('UNLOGGED', '(fillfactor = 50)'),
            run('LOGGED', '(fillfactor = 100)'),
        ),
    ]
