-- CreateEnum
CREATE TYPE "presence_kind" AS ENUM ('member', 'api_key', 'user');

-- CreateTable
CREATE TABLE "conversation_presence" (
    "environment_id" UUID NOT NULL,
    "conversation_id" UUID NOT NULL,
    "person" TEXT NOT NULL,
    "kind" "presence_kind" NOT NULL,
    "display_name" TEXT,
    "typing_until" TIMESTAMPTZ(3),
    "seen_until" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "conversation_presence_pkey" PRIMARY KEY ("environment_id","conversation_id","person")
);

-- Every heartbeat changes a row, and no index.
ALTER TABLE "conversation_presence" SET (fillfactor = 50);

ALTER TABLE "conversation_presence" ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "conversation_presence" USING (environment_id = nullif(current_setting('parley.environment', true), '')::uuid);
