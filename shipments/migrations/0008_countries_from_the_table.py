import companies.country_names
from django.db import migrations, models


class Migration(migrations.Migration):
    """Name the function that lists the countries: a further country needs no migration. The database does nothing."""

    dependencies = [
        ('shipments', '0007_findings_as_codes'),
    ]

    operations = [
        migrations.AlterField(
            model_name='manifest',
            name='country',
            field=models.CharField(choices=companies.country_names.country_choices, max_length=2, verbose_name='country'),
        ),
    ]
