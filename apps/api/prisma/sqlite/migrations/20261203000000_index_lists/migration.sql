-- Plants from before there were numbers get the next ones, in the order of their ids: followers see them once more.
UPDATE "plants" SET "change_place" = "numbered"."number"
FROM (
    SELECT "id", (SELECT coalesce(max("change_place"), 0) FROM "plants") + row_number() OVER (ORDER BY "id") AS "number"
    FROM "plants" WHERE "change_place" IS NULL
) AS "numbered"
WHERE "plants"."id" = "numbered"."id";

-- Has all that a page of a tag needs to be found, in any order: an entry ends with the row's own address, the id.
CREATE INDEX "plants_tag_idx" ON "plants"("tag", "added_at") WHERE NOT "deleted";
-- Tells how many rows are no plants.
CREATE INDEX "plants_deleted_idx" ON "plants"("id") WHERE "deleted";

-- A row that somebody else inserts gets the next number, so that followers see it.
CREATE TRIGGER "plants_number" AFTER INSERT ON "plants" WHEN NEW."change_place" IS NULL
BEGIN
    UPDATE "plants" SET "change_place" = (SELECT coalesce(max("change_place"), 0) + 1 FROM "plants" WHERE "change_place" IS NOT NULL)
    WHERE "id" = NEW."id";
END;
