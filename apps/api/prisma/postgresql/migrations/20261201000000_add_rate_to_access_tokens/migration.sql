-- How many requests a minute a token may make, if it has a limit of its own. Nullable and without a default, so that no row is rewritten.
ALTER TABLE "access_tokens" ADD COLUMN IF NOT EXISTS "rate_per_minute" INTEGER;
