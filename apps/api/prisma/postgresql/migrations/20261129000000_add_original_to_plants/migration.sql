-- Of a plant that was corrected, what identifies its create, so that a retry of that changes nothing. Nullable and without a default,
-- so that no row is rewritten, and instances of the version before keep working beside it.
ALTER TABLE "plants" ADD COLUMN IF NOT EXISTS "original" TEXT;
