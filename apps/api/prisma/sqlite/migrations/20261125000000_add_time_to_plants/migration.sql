-- When the plant was stored, in milliseconds since 1970; not known of plants from before. The index ends with the row's own
-- address, the id, and only grows at its end.
ALTER TABLE "plants" ADD COLUMN "added_at" INTEGER;

CREATE INDEX "plants_added_at_idx" ON "plants"("added_at");
