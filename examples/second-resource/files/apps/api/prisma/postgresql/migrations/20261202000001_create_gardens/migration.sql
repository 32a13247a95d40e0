CREATE TABLE "gardens" (
    "id" BIGINT NOT NULL,
    "name" TEXT NOT NULL,
    "area" BIGINT,
    "is_open" BOOLEAN NOT NULL,
    "planted_at" BIGINT,
    "plant_ids" TEXT NOT NULL,
    "added_at" BIGINT,
    "deleted" BOOLEAN NOT NULL DEFAULT false,
    "original" TEXT,
    "changed_at" BIGINT,
    "change_place" BIGINT,
    "added_by" TEXT,
    "changed_by" TEXT,

    CONSTRAINT "gardens_pkey" PRIMARY KEY ("id")
);

CREATE INDEX "gardens_added_at_idx" ON "gardens"("added_at" NULLS FIRST);

CREATE INDEX "gardens_area_idx" ON "gardens"("area", "added_at", "id") WHERE NOT "deleted";

CREATE INDEX "gardens_is_open_idx" ON "gardens"("is_open", "added_at", "id") WHERE NOT "deleted";

CREATE INDEX "gardens_change_place_idx" ON "gardens"("change_place") WHERE "change_place" IS NOT NULL;

CREATE INDEX "gardens_unnumbered_idx" ON "gardens"("id") WHERE "change_place" IS NULL;

CREATE TABLE "gardens_history" (
    "history_place" BIGINT GENERATED ALWAYS AS IDENTITY NOT NULL PRIMARY KEY,
    "id" BIGINT NOT NULL,
    "name" TEXT NOT NULL,
    "area" BIGINT,
    "is_open" BOOLEAN NOT NULL,
    "planted_at" BIGINT,
    "plant_ids" TEXT NOT NULL,
    "change_place" BIGINT,
    "changed_at" BIGINT,
    "changed_by" TEXT,
    "replaced_at" BIGINT NOT NULL
);

CREATE INDEX "gardens_history_id_idx" ON "gardens_history"("id", "history_place");

CREATE OR REPLACE FUNCTION "keep_gardens_history"() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  IF OLD.deleted OR NEW.deleted THEN
    DELETE FROM "gardens_history" WHERE id = OLD.id;
  ELSIF current_setting('plant_store.keeps_history', true) IS DISTINCT FROM 'off' THEN
    INSERT INTO "gardens_history" (id, "name", "area", "is_open", "planted_at", "plant_ids", change_place, changed_at, changed_by, replaced_at)
    VALUES (OLD.id, OLD."name", OLD."area", OLD."is_open", OLD."planted_at", OLD."plant_ids", OLD.change_place,
      CASE WHEN OLD.original IS NULL THEN OLD.added_at ELSE OLD.changed_at END,
      CASE WHEN OLD.original IS NULL THEN OLD.added_by ELSE OLD.changed_by END,
      coalesce(NEW.changed_at, floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint));
  END IF;
  RETURN NULL;
END
$$;

CREATE OR REPLACE TRIGGER "keep_gardens_history" AFTER UPDATE ON "gardens" FOR EACH ROW
WHEN (OLD.deleted <> NEW.deleted OR (OLD."name", OLD."area", OLD."is_open", OLD."planted_at", OLD."plant_ids") IS DISTINCT FROM (NEW."name", NEW."area", NEW."is_open", NEW."planted_at", NEW."plant_ids"))
EXECUTE FUNCTION "keep_gardens_history"();
