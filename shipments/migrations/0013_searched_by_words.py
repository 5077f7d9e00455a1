from django.db import migrations

# What `shipments/admin/search/guide_search.py` and `guide_search.py` ask for. SQLite has no such indexes and reads the table.
INDEXES = {
    'guide_by_consignee_words': "USING gin (array_to_tsvector(string_to_array(consignee_words, ' ')))",
    'guide_by_hawb_end': '(REVERSE(hawb) text_pattern_ops)',
}


def index(apps, schema_editor):
    if schema_editor.connection.vendor == 'postgresql':
        for name, expression in INDEXES.items():
            # An index that was interrupted is invalid; it is built again.
            schema_editor.execute(f'DROP INDEX CONCURRENTLY IF EXISTS {name}')
            schema_editor.execute(f'CREATE INDEX CONCURRENTLY {name} ON shipments_guide {expression}')


def forget(apps, schema_editor):
    if schema_editor.connection.vendor == 'postgresql':
        for name in INDEXES:
            schema_editor.execute(f'DROP INDEX CONCURRENTLY IF EXISTS {name}')


class Migration(migrations.Migration):

    atomic = False  # the indexes are built without blocking writes

    dependencies = [
        ('shipments', '0012_consignee_words'),
    ]

    operations = [migrations.RunPython(index, forget, atomic=False)]
