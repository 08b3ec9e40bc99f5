"""The places of cases in the orders in which people list them, also of those that are there already."""

from django.db import migrations, models

# What a version holds stays as it is: only the places are new.
FILL = """
ALTER TABLE scoring_membership DISABLE TRIGGER never_change;
UPDATE scoring_membership AS member SET by_key = k, by_benchmark = b, by_difficulty = d FROM (
    SELECT
        m.id,
        row_number() OVER (PARTITION BY v.id ORDER BY c.sort, c.key) AS k,
        row_number() OVER (
            PARTITION BY v.id ORDER BY array_position(v.benchmarks, c.benchmark::text), m.position
        ) AS b,
        row_number() OVER (
            PARTITION BY v.id ORDER BY array_position(v.difficulties, c.difficulty::text), m.position
        ) AS d
    FROM scoring_membership AS m
    JOIN scoring_case AS c ON c.id = m.case_id
    JOIN (
        SELECT
            id,
            ARRAY(SELECT json_object_keys(summary -> 'benchmark')) AS benchmarks,
            ARRAY(SELECT json_object_keys(summary -> 'difficulty')) AS difficulties
        FROM scoring_version
    ) AS v ON v.id = m.version_id
) AS places
WHERE places.id = member.id;
ALTER TABLE scoring_membership ENABLE TRIGGER never_change;
"""


class Migration(migrations.Migration):
    dependencies = [
        ("scoring", "0007_search_by_beginnings"),
    ]

    operations = [
        migrations.AddField(
            model_name="membership",
            name="by_benchmark",
            field=models.PositiveIntegerField(db_default=0),
        ),
        migrations.AddField(
            model_name="membership",
            name="by_difficulty",
            field=models.PositiveIntegerField(db_default=0),
        ),
        migrations.AddField(
            model_name="membership",
            name="by_key",
            field=models.PositiveIntegerField(db_default=0),
        ),
        migrations.RunSQL(FILL, migrations.RunSQL.noop),
        migrations.AddIndex(
            model_name="membership",
            index=models.Index(fields=["version", "by_key"], name="member_by_key"),
        ),
        migrations.AddIndex(
            model_name="membership",
            index=models.Index(fields=["version", "by_benchmark"], name="member_by_benchmark"),
        ),
        migrations.AddIndex(
            model_name="membership",
            index=models.Index(fields=["version", "by_difficulty"], name="member_by_difficulty"),
        ),
    ]
