"""Events are written once; marks and adjudications are never altered; the database refuses anything else."""

from __future__ import annotations

from django.db import migrations

CREATE = """
CREATE FUNCTION reviews_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% on % is refused: what was decided stays; add a new decision instead.',
        TG_OP, TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END $$;

CREATE TRIGGER never_change BEFORE UPDATE OR DELETE ON reviews_event
    EXECUTE FUNCTION reviews_refuse_change();
-- These go with the run that they belong to, if that is deleted; until then they stay as they are.
CREATE TRIGGER never_change BEFORE UPDATE ON reviews_mark
    EXECUTE FUNCTION reviews_refuse_change();
CREATE TRIGGER never_change BEFORE UPDATE ON reviews_adjudication
    EXECUTE FUNCTION reviews_refuse_change();
"""

DROP = """
DROP TRIGGER never_change ON reviews_adjudication;
DROP TRIGGER never_change ON reviews_mark;
DROP TRIGGER never_change ON reviews_event;
DROP FUNCTION reviews_refuse_change();
"""


class Migration(migrations.Migration):
    dependencies = [("reviews", "0001_initial")]

    operations = [migrations.RunSQL(CREATE, DROP)]
