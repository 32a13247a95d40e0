-- One row: which store this is, and its generation, which changes when the store is restored from a backup.
-- Cursors of GET /changes from before this migration name no generation. They stay valid until the first restore.
CREATE TABLE "store" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "generation" TEXT NOT NULL,
    "accepts_old_cursors" INTEGER NOT NULL
) STRICT;
INSERT INTO "store" ("id", "generation", "accepts_old_cursors")
VALUES (lower(hex(randomblob(8))), lower(hex(randomblob(4))), EXISTS (SELECT 1 FROM "plants"));
