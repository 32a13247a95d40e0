-- Has all that a page of a tag needs to be found, in any order: an entry ends with the row's own address, the id.
CREATE INDEX "plants_tag_idx" ON "plants"("tag", "added_at") WHERE NOT "deleted";
-- Tells how many rows are no plants.
CREATE INDEX "plants_deleted_idx" ON "plants"("id") WHERE "deleted";

-- Plants from before changes had numbers, or that another program has inserted: the service numbers them before the next list.
CREATE INDEX "plants_unnumbered_idx" ON "plants"("id") WHERE "change_place" IS NULL;
