from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('shipments', '0011_idempotency_keys'),
    ]

    operations = [
        migrations.AddField(
            model_name='guide',
            name='consignee_words',
            field=models.CharField(editable=False, max_length=640, null=True),
        ),
    ]
