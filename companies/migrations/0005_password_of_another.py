from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('companies', '0004_operator_time_zone'),
    ]

    operations = [
        migrations.AddField(
            model_name='operatorprofile',
            name='must_change_password',
            field=models.BooleanField(db_default=False, default=False, verbose_name='must change the password'),
        ),
    ]
