CREATE TABLE "gardens" (
    "change_place" INTEGER NOT NULL PRIMARY KEY,
    "id" INTEGER NOT NULL,
    "name" TEXT NOT NULL,
    "area" INTEGER,
    "is_open" INTEGER NOT NULL,
    "planted_at" INTEGER,
    "plant_ids" TEXT NOT NULL,
    "added_at" INTEGER,
    "deleted" INTEGER NOT NULL DEFAULT 0,
    "original" TEXT,
    "changed_at" INTEGER,
    "added_by" TEXT,
    "changed_by" TEXT
) STRICT;

CREATE UNIQUE INDEX "gardens_id_key" ON "gardens"("id");

CREATE INDEX "gardens_added_at_idx" ON "gardens"("added_at");

CREATE INDEX "gardens_area_idx" ON "gardens"("area", "added_at", "id") WHERE NOT "deleted";

CREATE INDEX "gardens_is_open_idx" ON "gardens"("is_open", "added_at", "id") WHERE NOT "deleted";

CREATE INDEX "gardens_deleted_idx" ON "gardens"("id") WHERE "deleted";

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
