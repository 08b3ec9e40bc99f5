"""Forget the words of cases: they are written anew, with those that searches by a beginning look for.

The sweep of uploads does it within a minute, as after every large import.
"""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("scoring", "0006_retired_datasets")]

    operations = [
        migrations.RunSQL("TRUNCATE scoring_searchentry", migrations.RunSQL.noop),
    ]
