-- A plant that was deleted keeps its row, without its texts, so that its id stays taken. With a default, so that instances of the
-- version before keep working beside it.
ALTER TABLE "plants" ADD COLUMN "deleted" INTEGER NOT NULL DEFAULT 0;
