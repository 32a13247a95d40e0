-- "INTEGER NOT NULL PRIMARY KEY" makes the id the row's own address: a BIGINT would cost a second index.
CREATE TABLE "plants" (
    "id" INTEGER NOT NULL PRIMARY KEY,
    "name" TEXT NOT NULL,
    "tag" TEXT
) STRICT;

CREATE TABLE "access_tokens" (
    "id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "name" TEXT NOT NULL,
    "hash" TEXT NOT NULL,
    "created_at" DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" DATETIME,
    "revoked_at" DATETIME
);

CREATE UNIQUE INDEX "access_tokens_hash_key" ON "access_tokens"("hash");
