-- One row: which store this is, and its generation, which changes when the store is restored from a backup.
-- Cursors of GET /changes from before this migration name no generation. They stay valid until the first restore.
CREATE TABLE "store" (
    "id" TEXT NOT NULL,
    "generation" TEXT NOT NULL,
    "accepts_old_cursors" BOOLEAN NOT NULL,

    CONSTRAINT "store_pkey" PRIMARY KEY ("id")
);
INSERT INTO "store" ("id", "generation", "accepts_old_cursors")
SELECT substr(replace(gen_random_uuid()::text, '-', ''), 17), substr(replace(gen_random_uuid()::text, '-', ''), 25),
  EXISTS (SELECT 1 FROM "plants");
