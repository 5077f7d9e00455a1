import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('shipments', '0026_superseded_tests'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='GuideTaking',
            fields=[
                ('guide', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='taking', serialize=False, to='shipments.guide', verbose_name='guide')),
                ('taken_at', models.DateTimeField(auto_now_add=True, verbose_name='taken at')),
                ('operator', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL, verbose_name='operator')),
            ],
            options={
                'verbose_name': 'guide that was taken',
                'verbose_name_plural': 'guides that were taken',
            },
        ),
    ]
