import companies.country_names
import companies.models.company
import companies.models.mails
import django.core.validators
import django.db.models.deletion
import django.utils.timezone
import uuid
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('otp_totp', '0003_add_timestamps'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Company',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('contact_name', models.CharField(blank=True, db_default='', default='', help_text='Whom operators ask about shipments and webhooks. This is personal data: enter what the work needs, and clear it when the person leaves. Changes are audited; the API does not show it.', max_length=200, validators=[django.core.validators.RegexValidator('[\\x00-\\x1f\\x7f\\ud800-\\udfff]', 'Write it on one line, without control characters.', inverse_match=True)], verbose_name='contact')),
                ('contact_email', models.EmailField(blank=True, db_default='', default='', max_length=254, verbose_name="contact's e-mail")),
                ('contact_phone', models.CharField(blank=True, db_default='', default='', max_length=64, validators=[django.core.validators.RegexValidator('^\\+?[0-9 ()./x-]+\\Z', 'Digits, spaces and + ( ) . / - x for an extension.')], verbose_name="contact's phone")),
                ('name', models.CharField(help_text='As written in the contract.', max_length=200, validators=[django.core.validators.RegexValidator('[\\x00-\\x1f\\x7f\\ud800-\\udfff]', 'Write it on one line, without control characters.', inverse_match=True)], verbose_name='name')),
                ('client_code', models.CharField(help_text='Short and unique, for example ACME. Couriers and commands name the company by it.', max_length=32, unique=True, validators=[django.core.validators.RegexValidator('^[A-Z0-9][A-Z0-9_-]{1,31}\\Z', '2 to 32 capital letters, digits, - or _.')], verbose_name='client code')),
                ('kind', models.CharField(choices=[('client', 'Client'), ('courier', 'Courier')], default='client', help_text='A client ships its own goods; a courier posts on behalf of clients.', max_length=8, verbose_name='kind')),
                ('is_active', models.BooleanField(default=True, help_text='The password of an inactive company does not work; its data is kept.', verbose_name='active')),
                ('allowed_countries', models.JSONField(blank=True, default=list, help_text='Destinations the company may ship to.', validators=[companies.country_names.country_list], verbose_name='allowed countries')),
                ('read_by_headings', models.JSONField(blank=True, default=companies.models.company._read_by_headings, help_text='Destinations whose workbooks are read, whatever their layout.', validators=[companies.country_names.country_list], verbose_name='workbooks read by their headings')),
                ('tracking_prefix', models.CharField(blank=True, help_text='How its tracking codes begin, for example ACM. Without one its pre-alerts are refused.', max_length=5, validators=[django.core.validators.RegexValidator('^[A-Z0-9]{2,5}\\Z', '2 to 5 capital letters or digits.')], verbose_name='tracking prefix')),
                ('is_marketplace', models.BooleanField(default=False, help_text="Its JSON guides must carry marketplace_cop_no and marketplace_waybill; other clients' must not.", verbose_name='marketplace')),
                ('requests_per_second', models.PositiveSmallIntegerField(blank=True, help_text="Empty: the limit of this installation. 0: no limit. Ten seconds' worth may come at once.", null=True, validators=[django.core.validators.MaxValueValidator(10000)], verbose_name='requests per second')),
                ('may_correct', models.BooleanField(default=True, help_text='Guides and MAWBs that it sent, while customs does not have them.', verbose_name='may correct and cancel by API')),
                ('api_password_digest', models.CharField(editable=False, max_length=64, null=True, unique=True)),
                ('api_password_hint', models.CharField(blank=True, editable=False, max_length=12, verbose_name='API password')),
                ('api_password_set_at', models.DateTimeField(editable=False, null=True, verbose_name='password set at')),
                ('last_used_at', models.DateTimeField(editable=False, null=True, verbose_name='last used at')),
                ('last_job_began_at', models.DateTimeField(editable=False, null=True)),
                ('created_at', models.DateTimeField(auto_now_add=True, verbose_name='created at')),
                ('posts_for', models.ManyToManyField(blank=True, help_text='Only for a courier: the clients it may post for.', limit_choices_to={'kind': 'client'}, related_name='couriers', to='companies.company', verbose_name='posts for')),
            ],
            options={
                'verbose_name': 'company',
                'verbose_name_plural': 'companies',
                'ordering': ['name', 'client_code'],
            },
        ),
        migrations.CreateModel(
            name='Authenticator',
            fields=[
            ],
            options={
                'proxy': True,
                'indexes': [],
                'constraints': [],
            },
            bases=('otp_totp.totpdevice',),
        ),
        migrations.CreateModel(
            name='EndingPassword',
            fields=[
                ('company', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='ending_password', serialize=False, to='companies.company')),
                ('digest', models.CharField(editable=False, max_length=64, unique=True)),
                ('hint', models.CharField(editable=False, max_length=12, verbose_name='API password')),
                ('ends_at', models.DateTimeField(verbose_name='works until')),
                ('last_used_at', models.DateTimeField(null=True, verbose_name='last used at')),
            ],
            options={
                'verbose_name': 'ending password',
                'verbose_name_plural': 'ending passwords',
                'default_permissions': (),
            },
        ),
        migrations.CreateModel(
            name='OperatorAccess',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(help_text='What it is used for, such as counter-2 or customs-broker. Timelines and the log show it.', max_length=60, unique=True, validators=[django.core.validators.RegexValidator('^[A-Za-z0-9][A-Za-z0-9._-]*\\Z', 'Letters, digits, dots, hyphens and _.')], verbose_name='name')),
                ('secret_digest', models.CharField(editable=False, max_length=64)),
                ('hint', models.CharField(editable=False, max_length=12, verbose_name='secret begins with')),
                ('secret_set_at', models.DateTimeField(editable=False, verbose_name='secret set at')),
                ('created_by', models.CharField(editable=False, max_length=150, verbose_name='made by')),
                ('created_at', models.DateTimeField(auto_now_add=True, verbose_name='made at')),
                ('expires_at', models.DateTimeField(help_text='After this time it stops working. At most 365 days from now; then create a new one.', verbose_name='ends at')),
                ('last_used_at', models.DateTimeField(editable=False, null=True, verbose_name='last used at')),
                ('user', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='operator_access', to=settings.AUTH_USER_MODEL, verbose_name='user')),
            ],
            options={
                'verbose_name': 'access',
                'verbose_name_plural': 'accesses',
                'ordering': ['-expires_at', 'name'],
                'default_permissions': (),
            },
        ),
        migrations.CreateModel(
            name='Mail',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('token', models.UUIDField(editable=False, null=True)),
                ('held_until', models.DateTimeField(editable=False, null=True)),
                ('attempts', models.PositiveIntegerField(default=0, verbose_name='attempts')),
                ('kind', models.CharField(choices=[('invitation', 'Invitation'), ('new_password', 'Forgotten password'), ('digest', 'Daily summary'), ('endpoint_disabled', 'An endpoint was disabled'), ('erasure_overdue', 'Personal data was not erased')], max_length=20, verbose_name='kind')),
                ('address', models.CharField(blank=True, db_default='', default='', editable=False, max_length=254)),
                ('about', models.CharField(blank=True, db_default='', default='', editable=False, max_length=64)),
                ('language', models.CharField(blank=True, db_default='', default='', editable=False, max_length=2)),
                ('origin', models.CharField(blank=True, db_default='', default='', editable=False, max_length=300)),
                ('state', models.CharField(choices=[('waiting', 'waiting'), ('sent', 'sent'), ('failed', 'not taken'), ('unconfirmed', 'not confirmed'), ('needless', 'not needed')], default='waiting', max_length=12, verbose_name='state')),
                ('error', models.CharField(blank=True, db_default='', default='', max_length=300, verbose_name='what the server said')),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, verbose_name='made at')),
                ('due_at', models.DateTimeField(default=django.utils.timezone.now, verbose_name='next attempt at')),
                ('tried_until', models.DateTimeField(default=companies.models.mails.end_of_attempts, verbose_name='tried until')),
                ('handed_over_at', models.DateTimeField(editable=False, null=True)),
                ('finished_at', models.DateTimeField(null=True, verbose_name='ended at')),
                ('operator', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL, verbose_name='operator')),
            ],
            options={
                'verbose_name': 'mail',
                'verbose_name_plural': 'mails',
                'ordering': ['-pk'],
                'default_permissions': (),
                'indexes': [models.Index(condition=models.Q(('state', 'waiting')), fields=['due_at'], name='mail_waiting'), models.Index(fields=['finished_at'], name='mail_finished')],
                'constraints': [models.UniqueConstraint(condition=models.Q(('about', ''), _negated=True), fields=('operator', 'kind', 'about'), name='mail_once')],
            },
        ),
        migrations.CreateModel(
            name='OperatorProfile',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('countries', models.JSONField(blank=True, default=list, help_text='Destinations the operator sees and works on.', validators=[companies.country_names.operator_countries], verbose_name='countries')),
                ('time_zone', models.CharField(blank=True, choices=companies.country_names.zone_choices, db_default='', default='', help_text="The clock by which times are shown. Flights and arrivals keep the destination's.", max_length=40, verbose_name='time zone')),
                ('must_change_password', models.BooleanField(db_default=False, default=False, verbose_name='must change the password')),
                ('issuer', models.CharField(db_default='', default='', max_length=255, verbose_name='provider of single sign-on')),
                ('subject', models.CharField(db_default='', default='', max_length=255, verbose_name='identifier at the provider')),
                ('language', models.CharField(blank=True, choices=[('es', 'Spanish'), ('en', 'English')], db_default='', default='', max_length=2, verbose_name='language of mails')),
                ('has_digest', models.BooleanField(db_default=False, default=False)),
                ('has_alerts', models.BooleanField(db_default=True, default=True)),
                ('invited_at', models.DateTimeField(editable=False, null=True, verbose_name='invited at')),
                ('user', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='operator_profile', to=settings.AUTH_USER_MODEL, verbose_name='user')),
            ],
            options={
                'verbose_name': 'scope of an operator',
                'verbose_name_plural': 'scopes of operators',
                'constraints': [models.UniqueConstraint(condition=models.Q(('subject', ''), _negated=True), fields=('issuer', 'subject'), name='operator_of_subject')],
            },
        ),
        migrations.CreateModel(
            name='OperatorSession',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('auth_hash', models.CharField(max_length=128)),
                ('address', models.GenericIPAddressField(null=True, verbose_name='address')),
                ('created_at', models.DateTimeField(auto_now_add=True, verbose_name='began at')),
                ('last_used_at', models.DateTimeField(null=True, verbose_name='last used at')),
                ('expires_at', models.DateTimeField(verbose_name='ends at')),
                ('ended_at', models.DateTimeField(null=True, verbose_name='ended at')),
                ('access', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='sessions', to='companies.operatoraccess')),
                ('user', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='operator_sessions', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'verbose_name': 'session',
                'verbose_name_plural': 'sessions',
                'ordering': ['-created_at'],
                'default_permissions': (),
                'indexes': [models.Index(fields=['user', 'created_at'], name='operator_sessions_of_user')],
            },
        ),
    ]
