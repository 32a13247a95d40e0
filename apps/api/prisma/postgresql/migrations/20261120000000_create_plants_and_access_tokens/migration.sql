CREATE TABLE "plants" (
    "id" BIGINT NOT NULL,
    "name" TEXT NOT NULL,
    "tag" TEXT,

    CONSTRAINT "plants_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "access_tokens" (
    "id" SERIAL NOT NULL,
    "name" TEXT NOT NULL,
    "hash" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3),
    "revoked_at" TIMESTAMPTZ(3),

    CONSTRAINT "access_tokens_pkey" PRIMARY KEY ("id")
);

CREATE UNIQUE INDEX "access_tokens_hash_key" ON "access_tokens"("hash");
