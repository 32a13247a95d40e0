-- When the plant was stored, in milliseconds since 1970; not known of plants from before. Nullable and without a default, so
-- that no row is rewritten, and instances of the version before keep working beside it.
ALTER TABLE "plants" ADD COLUMN IF NOT EXISTS "added_at" BIGINT;

-- Read backwards it has the latest first and those without a time last, and it only grows at its end. Without the id plants of one
-- batch share an entry. An operator of a large table may have created it before, concurrently.
CREATE INDEX IF NOT EXISTS "plants_added_at_idx" ON "plants"("added_at" NULLS FIRST);
