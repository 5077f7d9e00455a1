from django.db import migrations, models


class Migration(migrations.Migration):
    """Columns that `fill_sequences` fills in parts. No positive integers: their check would read the whole table."""

    dependencies = [
        ('shipments', '0014_manifest_version'),
    ]

    operations = [
        migrations.AddField(
            model_name='guide',
            name='sequence',
            field=models.IntegerField(editable=False, null=True, verbose_name='sequence'),
        ),
        migrations.AddField(
            model_name='guide',
            name='updated_at',
            field=models.DateTimeField(editable=False, null=True, verbose_name='changed at'),
        ),
    ]
