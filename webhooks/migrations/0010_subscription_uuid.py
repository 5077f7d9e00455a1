import uuid

from django.db import migrations, models


def fill(apps, schema_editor):
    Subscription = apps.get_model("webhooks", "Subscription")
    for pk in Subscription.everyone.values_list("pk", flat=True):
        Subscription.everyone.filter(pk=pk).update(uuid=uuid.uuid4())


class Migration(migrations.Migration):

    atomic = False

    dependencies = [
        ('webhooks', '0009_delivery_subject'),
    ]

    operations = [
        migrations.AddField(
            model_name='subscription',
            name='uuid',
            field=models.UUIDField(default=uuid.uuid4, editable=False, null=True),
        ),
        migrations.RunPython(fill, migrations.RunPython.noop),
        migrations.AlterField(
            model_name='subscription',
            name='uuid',
            field=models.UUIDField(default=uuid.uuid4, editable=False, unique=True),
        ),
        migrations.AlterField(
            model_name='delivery',
            name='event_type',
            field=models.CharField(choices=[('pre_alert.ingested', 'pre_alert.ingested'), ('guide.status_changed', 'guide.status_changed'), ('guide.out_for_delivery', 'guide.out_for_delivery'), ('guide.delivered', 'guide.delivered'), ('guide.exception', 'guide.exception'), ('webhook.test', 'webhook.test'), ('pre_alert.voided', 'pre_alert.voided'), ('webhook.subscription_disabled', 'webhook.subscription_disabled')], max_length=64, verbose_name='type'),
        ),
    ]
