from django.db import migrations, models


class Migration(migrations.Migration):
    """Since when customs has a guide, which `fill_sequences` fills in parts."""

    dependencies = [
        ('shipments', '0028_notes'),
    ]

    operations = [
        migrations.AddField(
            model_name='guide',
            name='customs_since',
            field=models.DateTimeField(editable=False, null=True, verbose_name='in customs since'),
        ),
    ]
