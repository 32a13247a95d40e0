-- Nullable and without a default, so that instances of the version before keep working beside it.
ALTER TABLE "access_tokens" ADD COLUMN "last_used_at" DATETIME;
