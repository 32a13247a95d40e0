-- The place of the last change of a plant among all changes, and when that was, in milliseconds since 1970, unless it was its create.
-- The place is the number of the transaction, plus a base. Plants from before have none: they come first. Nullable and without a
-- default, so that no row is rewritten.
ALTER TABLE "plants" ADD COLUMN IF NOT EXISTS "changed_at" BIGINT;
ALTER TABLE "plants" ADD COLUMN IF NOT EXISTS "change_place" BIGINT;

-- Who has created the plant, and who has changed it last: the id of an access token, or "subject" and that of a JSON Web Token.
ALTER TABLE "plants" ADD COLUMN IF NOT EXISTS "added_by" TEXT;
ALTER TABLE "plants" ADD COLUMN IF NOT EXISTS "changed_by" TEXT;

-- It only grows at its end, and plants of one transaction share an entry.
CREATE INDEX IF NOT EXISTS "plants_change_place_idx" ON "plants"("change_place") WHERE "change_place" IS NOT NULL;

-- What is added to the number of a transaction: a restored database has larger places than its server has had transactions.
CREATE TABLE "plants_change_base" (
    "base" BIGINT NOT NULL,

    CONSTRAINT "plants_change_base_pkey" PRIMARY KEY ("base")
);
INSERT INTO "plants_change_base" ("base") VALUES (0);
