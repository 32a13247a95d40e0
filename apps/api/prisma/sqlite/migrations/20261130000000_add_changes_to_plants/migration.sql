-- The place of the last change of a plant among all changes, from 1, and when that was, in milliseconds since 1970, unless it was its
-- create. Plants from before have none: they come first. The index ends with the row's own address, the id, and only grows at its end.
ALTER TABLE "plants" ADD COLUMN "changed_at" INTEGER;
ALTER TABLE "plants" ADD COLUMN "change_place" INTEGER;

-- Who has created the plant, and who has changed it last: the id of an access token, or "subject" and that of a JSON Web Token.
ALTER TABLE "plants" ADD COLUMN "added_by" TEXT;
ALTER TABLE "plants" ADD COLUMN "changed_by" TEXT;

CREATE INDEX "plants_change_place_idx" ON "plants"("change_place") WHERE "change_place" IS NOT NULL;
