-- Contains everything to find a page of a tag in any order. Rows with a tag that is too long for an index are left out. An operator of a
-- large table may have created these indexes before, concurrently.
CREATE INDEX IF NOT EXISTS "plants_tag_idx" ON "plants"("tag", "added_at", "id") WHERE NOT "deleted" AND (octet_length("tag") > 2000) IS NOT TRUE;

-- Plants from before changes had numbers.
CREATE INDEX IF NOT EXISTS "plants_unnumbered_idx" ON "plants"("id") WHERE "change_place" IS NULL;
