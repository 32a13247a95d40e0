-- What updates have replaced: since when, until when, and by whom. A row has the number of the change that has replaced it, so it is added
-- at the end, and that of the change that has made it, under which the state before is found.
CREATE TABLE "plants_history" (
    "history_place" INTEGER NOT NULL PRIMARY KEY,
    "id" INTEGER NOT NULL,
    "name" TEXT NOT NULL,
    "tag" TEXT,
    "change_place" INTEGER,
    "changed_at" INTEGER,
    "changed_by" TEXT,
    "replaced_at" INTEGER NOT NULL
) STRICT;
