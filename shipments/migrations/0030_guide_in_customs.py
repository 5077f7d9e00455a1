from django.db import migrations, models

from companies.gentle_migrations import AddIndexGently


class Migration(migrations.Migration):

    atomic = False  # the index is built without blocking writes

    dependencies = [
        ('shipments', '0029_customs_since'),
    ]

    operations = [
        AddIndexGently(
            model_name='guide',
            index=models.Index(
                condition=models.Q(('customs_since__isnull', False)),
                fields=['-id'],
                include=('customs_since', 'manifest'),
                name='guide_in_customs',
            ),
        ),
    ]
