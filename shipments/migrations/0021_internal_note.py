from django.db import migrations, models


class Migration(migrations.Migration):
    """The column of the database keeps its name, which the previous version reads and writes."""

    dependencies = [
        ('shipments', '0020_refused_requests'),
    ]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.RenameField(model_name='guideevent', old_name='reason', new_name='internal_note'),
                migrations.AlterField(
                    model_name='guideevent',
                    name='internal_note',
                    field=models.CharField(blank=True, db_column='reason', max_length=255, verbose_name='internal note'),
                ),
            ],
        ),
    ]
