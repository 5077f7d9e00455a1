import django.db.models.deletion
import django.db.models.manager
import uuid
import webhooks.models.subscription
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('companies', '0001_initial'),
    ]

    operations = [
        migrations.CreateModel(
            name='Delivery',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('duration_ms', models.PositiveIntegerField(null=True, verbose_name='duration (ms)')),
                ('http_status', models.PositiveSmallIntegerField(null=True, verbose_name='HTTP status')),
                ('error', models.CharField(blank=True, choices=[('dns', 'Name not resolved'), ('address_refused', 'Address refused'), ('url_refused', 'URL refused'), ('connect', 'No connection'), ('tls', 'TLS failed'), ('timeout', 'Timed out'), ('disconnected', 'Connection broken'), ('protocol', 'Not HTTP'), ('redirect', 'Redirect'), ('http_status', 'Non-2xx response'), ('secret_unreadable', 'Secret unreadable'), ('internal', 'Error on our side'), ('outcome_unknown', 'Outcome unknown')], max_length=20, verbose_name='error')),
                ('reason', models.CharField(blank=True, max_length=255, verbose_name='reason')),
                ('remote_address', models.CharField(blank=True, max_length=45, verbose_name='remote address')),
                ('excerpt', models.CharField(blank=True, max_length=1024, verbose_name='start of the response')),
                ('uuid', models.UUIDField(default=uuid.uuid4, editable=False)),
                ('subject', models.CharField(blank=True, max_length=64, verbose_name='subject')),
                ('countries', models.CharField(blank=True, db_default='', default='', editable=False, max_length=64, verbose_name='countries')),
                ('event_type', models.CharField(choices=[('pre_alert.ingested', 'pre_alert.ingested'), ('guide.status_changed', 'guide.status_changed'), ('guide.out_for_delivery', 'guide.out_for_delivery'), ('guide.delivered', 'guide.delivered'), ('guide.exception', 'guide.exception'), ('webhook.test', 'webhook.test'), ('pre_alert.voided', 'pre_alert.voided'), ('guide.corrected', 'guide.corrected'), ('upload.succeeded', 'upload.succeeded'), ('upload.failed', 'upload.failed'), ('webhook.subscription_disabled', 'webhook.subscription_disabled')], max_length=64, verbose_name='type')),
                ('body', models.BinaryField(verbose_name='body')),
                ('state', models.CharField(choices=[('pending', 'Waiting'), ('sending', 'Being sent'), ('delivered', 'Delivered'), ('failed', 'Failed'), ('abandoned', 'Abandoned'), ('cancelled', 'Cancelled'), ('waiting', 'Waiting for retry'), ('dead', 'Given up')], default='pending', max_length=10, verbose_name='state')),
                ('created_at', models.DateTimeField(verbose_name='created at')),
                ('attempts', models.SmallIntegerField(db_default=0, default=0, verbose_name='attempts')),
                ('max_attempts', models.SmallIntegerField(db_default=1, default=1, editable=False, verbose_name='maximum attempts')),
                ('due_at', models.DateTimeField(editable=False, null=True, verbose_name='next attempt')),
                ('replays', models.SmallIntegerField(db_default=0, default=0, editable=False, verbose_name='replays')),
                ('resends', models.SmallIntegerField(db_default=0, default=0, editable=False, verbose_name='resends')),
                ('claim_id', models.UUIDField(editable=False, null=True)),
                ('claimed_at', models.DateTimeField(null=True, verbose_name='claimed at')),
                ('attempted_at', models.DateTimeField(null=True, verbose_name='sent at')),
                ('finished_at', models.DateTimeField(null=True, verbose_name='finished at')),
                ('company', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='deliveries', to='companies.company', verbose_name='company')),
            ],
            options={
                'verbose_name': 'delivery',
                'verbose_name_plural': 'deliveries',
                'ordering': ['-id'],
            },
        ),
        migrations.CreateModel(
            name='DeliveryAttempt',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('duration_ms', models.PositiveIntegerField(null=True, verbose_name='duration (ms)')),
                ('http_status', models.PositiveSmallIntegerField(null=True, verbose_name='HTTP status')),
                ('error', models.CharField(blank=True, choices=[('dns', 'Name not resolved'), ('address_refused', 'Address refused'), ('url_refused', 'URL refused'), ('connect', 'No connection'), ('tls', 'TLS failed'), ('timeout', 'Timed out'), ('disconnected', 'Connection broken'), ('protocol', 'Not HTTP'), ('redirect', 'Redirect'), ('http_status', 'Non-2xx response'), ('secret_unreadable', 'Secret unreadable'), ('internal', 'Error on our side'), ('outcome_unknown', 'Outcome unknown')], max_length=20, verbose_name='error')),
                ('reason', models.CharField(blank=True, max_length=255, verbose_name='reason')),
                ('remote_address', models.CharField(blank=True, max_length=45, verbose_name='remote address')),
                ('excerpt', models.CharField(blank=True, max_length=1024, verbose_name='start of the response')),
                ('number', models.PositiveSmallIntegerField(verbose_name='number')),
                ('begun_at', models.DateTimeField(verbose_name='sent at')),
                ('delivery', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='past_attempts', to='webhooks.delivery', verbose_name='delivery')),
            ],
            options={
                'verbose_name': 'attempt',
                'verbose_name_plural': 'attempts',
                'ordering': ['id'],
            },
        ),
        migrations.CreateModel(
            name='Subscription',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('uuid', models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ('url', models.CharField(help_text="The client's endpoint; https only. It must respond with 2xx within 10 seconds.", max_length=2000, validators=[webhooks.models.subscription.may_be_reached], verbose_name='URL')),
                ('version', models.PositiveSmallIntegerField(choices=[(1, 'v1'), (2, 'v2')], db_default=1, default=1, verbose_name='version')),
                ('event_types', models.JSONField(blank=True, null=True, verbose_name='event types')),
                ('countries', models.JSONField(blank=True, null=True, verbose_name='countries')),
                ('description', models.CharField(blank=True, db_default='', default='', max_length=200, verbose_name='description')),
                ('sealed_secret', models.TextField(editable=False)),
                ('sealed_previous_secret', models.TextField(db_default='', default='', editable=False)),
                ('previous_until', models.DateTimeField(editable=False, null=True)),
                ('secret_set_at', models.DateTimeField(editable=False, verbose_name='secret set at')),
                ('is_active', models.BooleanField(default=True, help_text='A disabled subscription receives nothing; waiting deliveries are not sent.', verbose_name='active')),
                ('created_at', models.DateTimeField(auto_now_add=True, verbose_name='created at')),
                ('failing_since', models.DateTimeField(editable=False, null=True, verbose_name='failing since')),
                ('failures', models.PositiveIntegerField(db_default=0, default=0, editable=False)),
                ('disabled_at', models.DateTimeField(editable=False, null=True, verbose_name='disabled at')),
                ('disabled_reason', models.CharField(blank=True, choices=[('gone', 'The endpoint answered 410 Gone'), ('failing', 'Nothing but failures for five days')], db_default='', default='', editable=False, max_length=10, verbose_name='why it was disabled')),
                ('deleted_at', models.DateTimeField(editable=False, null=True, verbose_name='deleted at')),
                ('company', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='subscriptions', to='companies.company', verbose_name='company')),
            ],
            options={
                'verbose_name': 'subscription',
                'verbose_name_plural': 'subscriptions',
                'ordering': ['company', 'id'],
            },
            managers=[
                ('everyone', django.db.models.manager.Manager()),
            ],
        ),
        migrations.AddField(
            model_name='delivery',
            name='subscription',
            field=models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='deliveries', to='webhooks.subscription', verbose_name='subscription'),
        ),
        migrations.AddConstraint(
            model_name='subscription',
            constraint=models.UniqueConstraint(condition=models.Q(('is_active', True)), fields=('company', 'url', 'version'), name='subscription_active_once_per_url'),
        ),
        migrations.AddConstraint(
            model_name='subscription',
            constraint=models.CheckConstraint(condition=models.Q(('url__istartswith', 'https://')), name='subscription_https_only'),
        ),
        migrations.AddConstraint(
            model_name='subscription',
            constraint=models.CheckConstraint(condition=models.Q(('deleted_at', None), models.Q(('is_active', False), ('sealed_secret', '')), _connector='OR'), name='subscription_deleted_is_dead'),
        ),
        migrations.AddConstraint(
            model_name='subscription',
            constraint=models.CheckConstraint(condition=models.Q(('version__in', [1, 2])), name='subscription_version_known'),
        ),
        migrations.AddIndex(
            model_name='delivery',
            index=models.Index(condition=models.Q(('state', 'pending')), fields=['subscription', 'id'], name='delivery_pending'),
        ),
        migrations.AddIndex(
            model_name='delivery',
            index=models.Index(condition=models.Q(('state', 'sending')), fields=['claimed_at'], name='delivery_sending'),
        ),
        migrations.AddIndex(
            model_name='delivery',
            index=models.Index(condition=models.Q(('state', 'waiting')), fields=['subscription', 'due_at', 'id'], name='delivery_due'),
        ),
        migrations.AddIndex(
            model_name='delivery',
            index=models.Index(fields=['subscription', 'state', 'finished_at'], name='delivery_of_subscription'),
        ),
        migrations.AddIndex(
            model_name='delivery',
            index=models.Index(fields=['company', '-id'], name='delivery_of_company'),
        ),
        migrations.AddIndex(
            model_name='delivery',
            index=models.Index(fields=['countries', '-id'], name='delivery_of_countries'),
        ),
        migrations.AddIndex(
            model_name='delivery',
            index=models.Index(fields=['subject'], name='delivery_subject'),
        ),
        migrations.AddIndex(
            model_name='delivery',
            index=models.Index(condition=models.Q(('finished_at__isnull', False)), fields=['finished_at'], name='delivery_finished'),
        ),
        migrations.AddConstraint(
            model_name='delivery',
            constraint=models.UniqueConstraint(fields=('uuid',), name='delivery_uuid_once'),
        ),
        migrations.AddConstraint(
            model_name='delivery',
            constraint=models.CheckConstraint(condition=models.Q(('state__in', ['pending', 'sending', 'delivered', 'failed', 'abandoned', 'cancelled', 'waiting', 'dead'])), name='delivery_state_known'),
        ),
        migrations.AddConstraint(
            model_name='delivery',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('state', 'pending'), _negated=True), models.Q(('claim_id__isnull', True), ('subscription__isnull', False)), _connector='OR'), name='delivery_waits_for_somebody'),
        ),
        migrations.AddConstraint(
            model_name='delivery',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('state', 'sending'), _negated=True), models.Q(('claim_id__isnull', False), ('claimed_at__isnull', False)), _connector='OR'), name='delivery_sent_by_somebody'),
        ),
        migrations.AddConstraint(
            model_name='delivery',
            constraint=models.CheckConstraint(condition=models.Q(('state__in', ['pending', 'sending', 'waiting']), ('finished_at__isnull', False), _connector='OR'), name='delivery_finished_at_some_time'),
        ),
        migrations.AddConstraint(
            model_name='delivery',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('state__in', ['waiting', 'dead']), _negated=True), ('max_attempts__gt', 1), _connector='OR'), name='delivery_waits_if_retried'),
        ),
        migrations.AddConstraint(
            model_name='delivery',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('state', 'waiting'), _negated=True), models.Q(('due_at__isnull', False), ('subscription__isnull', False)), _connector='OR'), name='delivery_waits_until_due'),
        ),
    ]
