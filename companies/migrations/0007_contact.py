import django.core.validators
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('companies', '0006_saved_views'),
    ]

    operations = [
        migrations.AddField(
            model_name='company',
            name='contact_email',
            field=models.EmailField(blank=True, db_default='', default='', max_length=254, verbose_name="contact's e-mail"),
        ),
        migrations.AddField(
            model_name='company',
            name='contact_name',
            field=models.CharField(blank=True, db_default='', default='', help_text='Whom operators ask about shipments and webhooks. This is personal data: enter what the work needs, and clear it when the person leaves. Changes are audited; the API does not show it.', max_length=200, validators=[django.core.validators.RegexValidator('[\\x00-\\x1f\\x7f\\ud800-\\udfff]', 'Write it on one line, without control characters.', inverse_match=True)], verbose_name='contact'),
        ),
        migrations.AddField(
            model_name='company',
            name='contact_phone',
            field=models.CharField(blank=True, db_default='', default='', max_length=64, validators=[django.core.validators.RegexValidator('^\\+?[0-9 ()./x-]+\\Z', 'Digits, spaces and + ( ) . / - x for an extension.')], verbose_name="contact's phone"),
        ),
    ]
