from django.db import migrations, models
from django.db.models.functions import Now


class Migration(migrations.Migration):
    dependencies = [
        ("evalportal", "0002_board_entry"),
    ]

    operations = [
        # Entries are made anew from the scores: there is nothing to convert.
        migrations.RunSQL("DELETE FROM evalportal_boardentry", migrations.RunSQL.noop),
        migrations.RemoveField("BoardEntry", "state"),
        migrations.AddField(
            "BoardEntry",
            "version",
            models.PositiveSmallIntegerField(default=0, help_text="By which rules the figures were made."),
            preserve_default=False,
        ),
        migrations.AddField(
            "BoardEntry",
            "finished_at",
            models.DateTimeField(db_default=Now(), help_text="When the scores that it holds were finished."),
        ),
        migrations.AlterField(
            "BoardEntry",
            "finished_at",
            models.DateTimeField(help_text="When the scores that it holds were finished."),
        ),
        migrations.CreateModel(
            name="Ranking",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "name",
                    models.CharField(
                        help_text="Which scorings, and as they stood.", max_length=80, unique=True
                    ),
                ),
                (
                    "ranks",
                    models.JSONField(help_text="Of each scoring its place, and who shares it."),
                ),
                ("made_at", models.DateTimeField(db_default=Now())),
            ],
        ),
    ]
