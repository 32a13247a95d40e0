-- What plants were before each update: since when, until when, and by whom. The table of plants stays as it is, so that instances of the
-- version before keep working beside it.
CREATE TABLE "plants_history" (
    "id" BIGINT NOT NULL,
    "revision" BIGINT NOT NULL,
    "name" TEXT NOT NULL,
    "tag" TEXT,
    "change_place" BIGINT,
    "changed_at" BIGINT,
    "changed_by" TEXT,
    "replaced_at" BIGINT NOT NULL,

    CONSTRAINT "plants_history_pkey" PRIMARY KEY ("id", "revision")
);

CREATE INDEX "plants_history_replaced_at_idx" ON "plants_history"("replaced_at");

-- Where Citus distributes plants, their states are on the same nodes.
DO $$
BEGIN
  IF to_regclass('pg_catalog.pg_dist_partition') IS NOT NULL THEN
    IF EXISTS (SELECT FROM pg_catalog.pg_dist_partition WHERE logicalrelid = 'plants'::regclass) THEN
      PERFORM create_distributed_table('plants_history', 'id', colocate_with => 'plants');
    END IF;
  END IF;
END$$;
