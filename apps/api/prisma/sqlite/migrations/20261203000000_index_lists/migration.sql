-- Rows are in the order of their numbers, so that a new one is at the end, whatever its id, and so are its entries in the indexes of
-- lists. Plants from before there were numbers get the next ones, in the order of their ids: followers see them once more. Statements of
-- the version before work as they are.
CREATE TABLE "new_plants" (
    "change_place" INTEGER NOT NULL PRIMARY KEY,
    "id" INTEGER NOT NULL,
    "name" TEXT NOT NULL,
    "tag" TEXT,
    "added_at" INTEGER,
    "deleted" INTEGER NOT NULL DEFAULT 0,
    "original" TEXT,
    "changed_at" INTEGER,
    "added_by" TEXT,
    "changed_by" TEXT
) STRICT;

INSERT INTO "new_plants" ("change_place", "id", "name", "tag", "added_at", "deleted", "original", "changed_at", "added_by", "changed_by")
SELECT "change_place", "id", "name", "tag", "added_at", "deleted", "original", "changed_at", "added_by", "changed_by"
FROM "plants" WHERE "change_place" IS NOT NULL ORDER BY "change_place";

INSERT INTO "new_plants" ("change_place", "id", "name", "tag", "added_at", "deleted", "original", "changed_at", "added_by", "changed_by")
SELECT (SELECT coalesce(max("change_place"), 0) FROM "new_plants") + row_number() OVER (ORDER BY "id"),
    "id", "name", "tag", "added_at", "deleted", "original", "changed_at", "added_by", "changed_by"
FROM "plants" WHERE "change_place" IS NULL ORDER BY "id";

DROP TABLE "plants";
ALTER TABLE "new_plants" RENAME TO "plants";

CREATE UNIQUE INDEX "plants_id_key" ON "plants"("id");
CREATE INDEX "plants_added_at_idx" ON "plants"("added_at");
-- Has all that a page of a tag needs to be found, in any order.
CREATE INDEX "plants_tag_idx" ON "plants"("tag", "added_at", "id") WHERE NOT "deleted";
-- Tells how many rows are no plants.
CREATE INDEX "plants_deleted_idx" ON "plants"("id") WHERE "deleted";
