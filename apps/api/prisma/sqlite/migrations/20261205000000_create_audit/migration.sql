-- What was done with tokens, backups and imported files: a row for each, which never changes. A number is not used again, even after
-- rows are deleted. "at" is in milliseconds since 1970, "by" and "about" are JSON.
CREATE TABLE "audit" (
    "number" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "at" INTEGER NOT NULL,
    "by" TEXT NOT NULL,
    "action" TEXT NOT NULL,
    "about" TEXT NOT NULL
) STRICT;

CREATE INDEX "audit_action_number_idx" ON "audit"("action", "number");
