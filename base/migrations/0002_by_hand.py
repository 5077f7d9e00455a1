"""What models cannot say."""

from django.db import migrations


# A bucket is written by each limited request and worth nothing after a crash: no log, and room for the next version of
# a row on the same page.
def run(*changes):
    def on_postgresql(apps, schema_editor):
        if schema_editor.connection.vendor == 'postgresql':
            for change in changes:
                schema_editor.execute(f'ALTER TABLE base_bucket SET {change}')

    return on_postgresql


class Migration(migrations.Migration):

    dependencies = [('base', '0001_initial')]

    operations = [
        migrations.RunPython(
            run('UNLOGGED', '(fillfactor = 50)'),
            run('LOGGED', '(fillfactor = 100)'),
        ),
    ]
