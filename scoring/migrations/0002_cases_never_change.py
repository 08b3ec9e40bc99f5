"""Cases, memberships and versions: written once, then read only; the database itself refuses anything else."""

from __future__ import annotations

from django.db import migrations

CREATE = """
CREATE FUNCTION scoring_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% on % is refused: what a version holds never changes; import a new version instead.',
        TG_OP, TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END $$;

CREATE TRIGGER never_change BEFORE UPDATE OR DELETE ON scoring_case
    EXECUTE FUNCTION scoring_refuse_change();
CREATE TRIGGER never_change BEFORE UPDATE OR DELETE ON scoring_membership
    EXECUTE FUNCTION scoring_refuse_change();
CREATE TRIGGER never_change BEFORE UPDATE OF dataset_id, number, digest, case_count OR DELETE ON scoring_version
    EXECUTE FUNCTION scoring_refuse_change();
"""

DROP = """
DROP TRIGGER never_change ON scoring_version;
DROP TRIGGER never_change ON scoring_membership;
DROP TRIGGER never_change ON scoring_case;
DROP FUNCTION scoring_refuse_change();
"""

# Cases of a usual size stay in one piece, and pieces of files as they are: compressing them takes longer
# than everything else about saving them.
STORE_PLAINLY = """
ALTER TABLE scoring_case SET (toast_tuple_target = 4096);
ALTER TABLE scoring_uploadpiece ALTER COLUMN content SET STORAGE EXTERNAL;
"""

STORE_AS_USUAL = """
ALTER TABLE scoring_uploadpiece ALTER COLUMN content SET STORAGE EXTENDED;
ALTER TABLE scoring_case RESET (toast_tuple_target);
"""


class Migration(migrations.Migration):
    dependencies = [("scoring", "0001_initial")]

    operations = [
        migrations.RunSQL(CREATE, DROP),
        migrations.RunSQL(STORE_PLAINLY, STORE_AS_USUAL),
    ]
