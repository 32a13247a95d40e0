-- Has all that a page of a tag needs to be found, in any order. An operator of a large table may have created these before, concurrently.
CREATE INDEX IF NOT EXISTS "plants_tag_idx" ON "plants"("tag", "added_at", "id") WHERE NOT "deleted";

-- Plants from before changes had numbers, of which there may be none.
CREATE INDEX IF NOT EXISTS "plants_unnumbered_idx" ON "plants"("id") WHERE "change_place" IS NULL;
