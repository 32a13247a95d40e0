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

CREATE INDEX "gardens_change_place_idx" ON "gardens"("change_place") WHERE "change_place" IS NOT NULL;

CREATE TABLE "gardens_history" (
    "id" BIGINT NOT NULL,
    "revision" BIGINT NOT NULL,
    "name" TEXT NOT NULL,
    "area" BIGINT,
    "is_open" BOOLEAN NOT NULL,
    "planted_at" BIGINT,
    "plant_ids" TEXT NOT NULL,
    "change_place" BIGINT,
    "changed_at" BIGINT,
    "changed_by" TEXT,
    "replaced_at" BIGINT NOT NULL,

    CONSTRAINT "gardens_history_pkey" PRIMARY KEY ("id", "revision")
);

CREATE INDEX "gardens_history_replaced_at_idx" ON "gardens_history"("replaced_at");
