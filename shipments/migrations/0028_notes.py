import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('shipments', '0027_guide_taking'),
    ]

    operations = [
        migrations.CreateModel(
            name='Note',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('text', models.CharField(blank=True, max_length=1000, verbose_name='note')),
                ('written_by', models.CharField(max_length=150, verbose_name='written by')),
                ('written_at', models.DateTimeField(auto_now_add=True, verbose_name='written at')),
                ('guide', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='notes', to='shipments.guide', verbose_name='guide')),
                ('manifest', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='notes', to='shipments.manifest', verbose_name='manifest')),
            ],
            options={
                'verbose_name': 'note',
                'verbose_name_plural': 'notes',
                'ordering': ['id'],
            },
        ),
    ]
