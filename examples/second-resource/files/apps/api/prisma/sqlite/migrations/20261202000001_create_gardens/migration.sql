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

CREATE INDEX "gardens_area_idx" ON "gardens"("area", "added_at") WHERE NOT "deleted";

CREATE INDEX "gardens_is_open_idx" ON "gardens"("is_open", "added_at") WHERE NOT "deleted";

CREATE INDEX "gardens_deleted_idx" ON "gardens"("id") WHERE "deleted";

CREATE INDEX "gardens_unnumbered_idx" ON "gardens"("id") WHERE "change_place" IS NULL;

CREATE TABLE "gardens_history" (
    "history_place" INTEGER NOT NULL PRIMARY KEY,
    "id" INTEGER NOT NULL,
    "name" TEXT NOT NULL,
    "area" INTEGER,
    "is_open" INTEGER NOT NULL,
    "planted_at" INTEGER,
    "plant_ids" TEXT NOT NULL,
    "change_place" INTEGER,
    "changed_at" INTEGER,
    "changed_by" TEXT,
    "replaced_at" INTEGER NOT NULL
) STRICT;
