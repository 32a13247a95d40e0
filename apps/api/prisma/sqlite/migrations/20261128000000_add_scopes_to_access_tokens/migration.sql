-- What a token permits, separated by commas. Those issued before could create plants, and nothing else; so can those that an
-- instance of the version before issues beside this one.
ALTER TABLE "access_tokens" ADD COLUMN "scopes" TEXT NOT NULL DEFAULT 'create';
