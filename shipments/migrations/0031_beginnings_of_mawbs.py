from django.db import migrations, models

from companies.gentle_migrations import AddIndexGently, RemoveIndexGently


class Migration(migrations.Migration):

    atomic = False  # the index is built without blocking writes

    dependencies = [
        ('shipments', '0030_guide_in_customs'),
    ]

    operations = [
        AddIndexGently(
            model_name='manifest',
            index=models.Index(fields=['mawb'], name='manifest_by_mawb_start', opclasses=['varchar_pattern_ops']),
        ),
        RemoveIndexGently(
            model_name='manifest',
            name='manifest_by_mawb',
        ),
    ]
