CREATE TABLE "gardens" (
    "id" BIGINT NOT NULL,
    "name" TEXT NOT NULL,
    "area" BIGINT,
    "is_open" BOOLEAN NOT NULL,
    "planted_at" BIGINT,
    "plant_ids" TEXT NOT NULL,
    "added_at" BIGINT,
    "deleted" BOOLEAN NOT NULL DEFAULT false,
    "original" TEXT,
    "changed_at" BIGINT,
    "change_place" BIGINT,
    "added_by" TEXT,
    "changed_by" TEXT,

    CONSTRAINT "gardens_pkey" PRIMARY KEY ("id")
);

CREATE INDEX "gardens_added_at_idx" ON "gardens"("added_at" NULLS FIRST);

CREATE INDEX "gardens_area_idx" ON "gardens"("area", "added_at", "id") WHERE NOT "deleted";

CREATE INDEX "gardens_is_open_idx" ON "gardens"("is_open", "added_at", "id") WHERE NOT "deleted";

CREATE INDEX "gardens_change_place_idx" ON "gardens"("change_place") WHERE "change_place" IS NOT NULL;

CREATE INDEX "gardens_unnumbered_idx" ON "gardens"("id") WHERE "change_place" IS NULL;
