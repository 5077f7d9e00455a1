from django.db import migrations, models


class Migration(migrations.Migration):
    """The sequence of each event, which `fill_sequences` fills in parts, and the note to the client."""

    dependencies = [
        ('shipments', '0015_guide_sequence'),
    ]

    operations = [
        migrations.AddField(
            model_name='guideevent',
            name='sequence',
            field=models.IntegerField(editable=False, null=True, verbose_name='sequence'),
        ),
        migrations.AddField(
            model_name='guideevent',
            name='client_note',
            field=models.CharField(blank=True, max_length=255, null=True, verbose_name='note to the client'),
        ),
    ]
