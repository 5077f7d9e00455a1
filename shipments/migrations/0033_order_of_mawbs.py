from django.db import migrations, models

from companies.gentle_migrations import AddIndexGently


class Migration(migrations.Migration):

    atomic = False  # the index is built without blocking writes

    dependencies = [
        ('shipments', '0032_work_lists'),
    ]

    operations = [
        AddIndexGently(
            model_name='manifest',
            index=models.Index(fields=['mawb'], name='manifest_in_order_of_mawb'),
        ),
    ]
