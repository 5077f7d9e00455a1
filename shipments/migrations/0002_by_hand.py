"""What models cannot say."""

from django.db import migrations

# What the admin's log says of one row: for `anonymise`, `personal_data` and each history page. Django has no index.
LOG_OF_A_ROW = 'CREATE INDEX admin_log_of_a_row ON django_admin_log (content_type_id, object_id)'

# Statement -> its reverse, for PostgreSQL only.
ON_POSTGRESQL = {
    # What `shipments/admin/guide_search.py` asks for. SQLite reads the table.
    'CREATE INDEX guide_by_consignee_words ON shipments_guide'
    " USING gin (array_to_tsvector(string_to_array(consignee_words, ' ')))":
    'DROP INDEX guide_by_consignee_words',
    'CREATE INDEX guide_by_hawb_end ON shipments_guide (REVERSE(hawb) text_pattern_ops)':
    'DROP INDEX guide_by_hawb_end',
    # GET mawbs?updated_since=. Without them PostgreSQL takes a third of all manifests for changed, and reads them in
    # the order of their age instead of the few that the index `manifest_by_change` finds. Autovacuum fills them.
    'CREATE STATISTICS manifest_changes ON (COALESCE(changed_at, created_at)) FROM shipments_manifest':
    'DROP STATISTICS manifest_changes',
}


def run(statements):
    def on_postgresql(apps, schema_editor):
        if schema_editor.connection.vendor == 'postgresql':
            for statement in statements:
                schema_editor.execute(statement)

    return on_postgresql


class Migration(migrations.Migration):

    dependencies = [
        ('admin', '0003_logentry_add_action_flag_choices'),
        ('shipments', '0001_initial'),
    ]

    operations = [
        migrations.RunSQL(LOG_OF_A_ROW, 'DROP INDEX admin_log_of_a_row'),
        migrations.RunPython(run(ON_POSTGRESQL), run(ON_POSTGRESQL.values())),
    ]
