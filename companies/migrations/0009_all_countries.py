import companies.models
from django.db import migrations, models


def say_all(apps, schema_editor):
    """Until now, no choice meant all countries."""
    profiles = apps.get_model('companies', 'OperatorProfile').objects.using(schema_editor.connection.alias)
    profiles.filter(countries=[]).update(countries=['all'])


def leave_out_all(apps, schema_editor):
    profiles = apps.get_model('companies', 'OperatorProfile').objects.using(schema_editor.connection.alias)
    profiles.filter(countries=['all']).update(countries=[])


class Migration(migrations.Migration):

    dependencies = [
        ('companies', '0008_kinds_of_acts'),
    ]

    operations = [
        migrations.AlterField(
            model_name='operatorprofile',
            name='countries',
            field=models.JSONField(blank=True, default=list, help_text='Destinations the operator sees and works on.', validators=[companies.models.operator_countries], verbose_name='countries'),
        ),
        migrations.RunPython(say_all, leave_out_all),
    ]
