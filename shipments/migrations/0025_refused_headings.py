from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('shipments', '0024_withdrawn_events'),
    ]

    operations = [
        migrations.AddField(
            model_name='refusedrequest',
            name='headings',
            field=models.JSONField(default=list, null=True, verbose_name='headings not understood'),
        ),
    ]
