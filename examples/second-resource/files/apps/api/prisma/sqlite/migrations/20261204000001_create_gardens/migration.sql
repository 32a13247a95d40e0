CREATE TABLE "gardens" (
    "id" INTEGER NOT NULL PRIMARY KEY,
    "name" TEXT NOT NULL,
    "area" INTEGER,
    "is_open" INTEGER NOT NULL,
    "planted_at" INTEGER,
    "plant_ids" TEXT NOT NULL,
    "added_at" INTEGER,
    "deleted" INTEGER NOT NULL DEFAULT 0,
    "original" TEXT,
    "changed_at" INTEGER,
    "change_place" INTEGER,
    "added_by" TEXT,
    "changed_by" TEXT
) STRICT;

CREATE INDEX "gardens_added_at_idx" ON "gardens"("added_at");

CREATE INDEX "gardens_change_place_idx" ON "gardens"("change_place") WHERE "change_place" IS NOT NULL;

CREATE TABLE "gardens_history" (
    "id" INTEGER NOT NULL,
    "revision" INTEGER NOT NULL,
    "name" TEXT NOT NULL,
    "area" INTEGER,
    "is_open" INTEGER NOT NULL,
    "planted_at" INTEGER,
    "plant_ids" TEXT NOT NULL,
    "change_place" INTEGER,
    "changed_at" INTEGER,
    "changed_by" TEXT,
    "replaced_at" INTEGER NOT NULL,

    PRIMARY KEY ("id", "revision")
) STRICT;

CREATE INDEX "gardens_history_replaced_at_idx" ON "gardens_history"("replaced_at");
