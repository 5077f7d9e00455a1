import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Bucket',
            fields=[
                ('pk', models.CompositePrimaryKey('kind', 'key', blank=True, editable=False, primary_key=True, serialize=False)),
                ('kind', models.CharField(max_length=16)),
                ('key', models.CharField(max_length=64)),
                ('tokens', models.FloatField()),
                ('filled_at', models.FloatField()),
                ('refused', models.PositiveIntegerField(default=0)),
                ('refused_since', models.FloatField(default=0)),
                ('refused_at', models.FloatField(default=0)),
                ('kept_until', models.FloatField(default=0)),
            ],
            options={
                'verbose_name': 'rate limit',
                'verbose_name_plural': 'rate limits',
                'default_permissions': (),
            },
        ),
        migrations.CreateModel(
            name='SavedView',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('list_name', models.CharField(max_length=60)),
                ('name', models.CharField(max_length=60, verbose_name='name')),
                ('query', models.CharField(max_length=2000)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('operator', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='saved_views', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'verbose_name': 'saved view',
                'verbose_name_plural': 'saved views',
                'ordering': ['name'],
                'default_permissions': (),
                'constraints': [models.UniqueConstraint(fields=('operator', 'list_name', 'name'), name='saved_view_name_once')],
            },
        ),
    ]
