from django.db import migrations, models


class Migration(migrations.Migration):
    """Columns that may be empty, in the largest table: adding them rewrites nothing on PostgreSQL."""

    dependencies = [
        ('shipments', '0023_entered_by'),
    ]

    operations = [
        migrations.AddField(
            model_name='guideevent',
            name='withdrawn_at',
            field=models.DateTimeField(editable=False, null=True, verbose_name='taken back at'),
        ),
        migrations.AddField(
            model_name='guideevent',
            name='withdrawn_by',
            field=models.CharField(editable=False, max_length=150, null=True, verbose_name='taken back by'),
        ),
        migrations.AddField(
            model_name='guideevent',
            name='withdrawn_reason',
            field=models.CharField(editable=False, max_length=255, null=True, verbose_name='reason for taking back'),
        ),
    ]
