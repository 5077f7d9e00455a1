import django.db.models.functions.comparison
from django.db import migrations, models

from companies.gentle_migrations import AddIndexGently


class Migration(migrations.Migration):
    """For lists by status and by the time of the last change."""

    atomic = False

    dependencies = [
        ('shipments', '0016_event_sequence'),
    ]

    operations = [
        AddIndexGently(
            model_name='manifest',
            index=models.Index(condition=models.Q(('voided_at', None)), fields=['company', 'status', '-created_at', '-id'], name='manifest_by_status'),
        ),
        AddIndexGently(
            model_name='manifest',
            index=models.Index(models.F('company'), django.db.models.functions.comparison.Coalesce('changed_at', 'created_at'), condition=models.Q(('voided_at', None)), name='manifest_by_change'),
        ),
    ]
