from django.db import migrations

from companies.gentle_migrations import ValidateGently


class Migration(migrations.Migration):

    dependencies = [
        ('webhooks', '0003_deleted_subscription'),
    ]

    operations = [
        ValidateGently('subscription', 'subscription_deleted_is_dead'),
    ]
