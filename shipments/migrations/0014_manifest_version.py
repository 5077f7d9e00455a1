from django.db import migrations, models


class Migration(migrations.Migration):
    """The version and the status of a manifest. `fill_sequences` fills the status of older ones."""

    dependencies = [
        ('shipments', '0013_searched_by_words'),
    ]

    operations = [
        migrations.AddField(
            model_name='manifest',
            name='changed_at',
            field=models.DateTimeField(editable=False, null=True, verbose_name='changed at'),
        ),
        migrations.AddField(
            model_name='manifest',
            name='status',
            field=models.CharField(editable=False, max_length=32, null=True, verbose_name='status'),
        ),
        migrations.AddField(
            model_name='manifest',
            name='version',
            field=models.BigIntegerField(db_default=1, default=1, editable=False, verbose_name='version'),
        ),
    ]
