-- What updates have replaced: since when, until when, and by whom. A row is added at the end, and never changes. A trigger adds it, whoever
-- updates a plant: instances of the version before, too. It runs when the row is locked, so that no state is missed, and erases the states
-- of a plant that is deleted.
CREATE TABLE "plants_history" (
    "history_place" BIGINT GENERATED ALWAYS AS IDENTITY NOT NULL PRIMARY KEY,
    "id" BIGINT NOT NULL,
    "name" TEXT NOT NULL,
    "tag" TEXT,
    "change_place" BIGINT,
    "changed_at" BIGINT,
    "changed_by" TEXT,
    "replaced_at" BIGINT NOT NULL
);

CREATE INDEX "plants_history_id_idx" ON "plants_history"("id", "history_place");

CREATE OR REPLACE FUNCTION "keep_plants_history"() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  IF OLD.deleted OR NEW.deleted THEN
    DELETE FROM "plants_history" WHERE id = OLD.id;
  ELSIF current_setting('plant_store.keeps_history', true) IS DISTINCT FROM 'off' THEN
    INSERT INTO "plants_history" (id, "name", "tag", change_place, changed_at, changed_by, replaced_at)
    VALUES (OLD.id, OLD."name", OLD."tag", OLD.change_place,
      CASE WHEN OLD.original IS NULL THEN OLD.added_at ELSE OLD.changed_at END,
      CASE WHEN OLD.original IS NULL THEN OLD.added_by ELSE OLD.changed_by END,
      coalesce(NEW.changed_at, floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint));
  END IF;
  RETURN NULL;
END
$$;

-- Citus distributes no table with a trigger.
DO $$
BEGIN
  IF to_regclass('pg_catalog.pg_dist_partition') IS NOT NULL THEN
    IF EXISTS (SELECT FROM pg_catalog.pg_dist_partition WHERE logicalrelid = 'plants'::regclass) THEN
      RETURN;
    END IF;
  END IF;
  CREATE OR REPLACE TRIGGER "keep_plants_history" AFTER UPDATE ON "plants" FOR EACH ROW
  WHEN (OLD.deleted <> NEW.deleted OR (OLD."name", OLD."tag") IS DISTINCT FROM (NEW."name", NEW."tag"))
  EXECUTE FUNCTION "keep_plants_history"();
END
$$;
