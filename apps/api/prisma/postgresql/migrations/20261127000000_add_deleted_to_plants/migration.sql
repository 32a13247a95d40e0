-- A plant that was deleted keeps its row, without its texts, so that its id stays taken. With a default, which rewrites no row, so
-- that instances of the version before keep working beside it.
ALTER TABLE "plants" ADD COLUMN IF NOT EXISTS "deleted" BOOLEAN NOT NULL DEFAULT false;
