from django.db import migrations, models

from companies.gentle_migrations import AddIndexGently, RemoveIndexGently


class Migration(migrations.Migration):
    """The work lists, and lists by status in one country, from an index alone."""

    atomic = False  # the indexes are built without blocking writes

    dependencies = [
        ('shipments', '0031_beginnings_of_mawbs'),
    ]

    operations = [
        AddIndexGently(
            model_name='guide',
            index=models.Index(
                condition=models.Q(('needs_review', True)),
                fields=['-id'],
                include=('status', 'manifest'),
                name='guide_to_review',
            ),
        ),
        AddIndexGently(
            model_name='guide',
            index=models.Index(
                condition=models.Q(('retention_required', True)),
                fields=['-id'],
                include=('status', 'manifest'),
                name='guide_to_release',
            ),
        ),
        AddIndexGently(
            model_name='guide',
            index=models.Index(fields=['status', '-id'], include=('manifest',), name='guide_in_status'),
        ),
        RemoveIndexGently(model_name='guide', name='guide_by_status'),
        RemoveIndexGently(model_name='guide', name='guide_needs_review'),
        RemoveIndexGently(model_name='guide', name='guide_under_retention'),
    ]
