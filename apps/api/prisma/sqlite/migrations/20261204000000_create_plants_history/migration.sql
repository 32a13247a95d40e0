-- What plants were before each update: since when, until when, and by whom. The table of plants stays as it is, so that nothing that reads
-- it changes. It only grows at its end, so that SQLite moves no texts from page to page.
CREATE TABLE "plants_history" (
    "id" INTEGER NOT NULL,
    "revision" INTEGER NOT NULL,
    "name" TEXT NOT NULL,
    "tag" TEXT,
    "change_place" INTEGER,
    "changed_at" INTEGER,
    "changed_by" TEXT,
    "replaced_at" INTEGER NOT NULL,

    PRIMARY KEY ("id", "revision")
) STRICT;

CREATE INDEX "plants_history_replaced_at_idx" ON "plants_history"("replaced_at");
