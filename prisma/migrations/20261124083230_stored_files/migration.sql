-- CreateEnum
CREATE TYPE "file_status" AS ENUM ('uploading', 'ready', 'rejected');

-- AlterTable
ALTER TABLE "deployment" ADD COLUMN     "file_types" TEXT[] DEFAULT ARRAY[]::TEXT[],
ADD COLUMN     "max_file_bytes" INTEGER;

-- AlterTable
ALTER TABLE "environment" ADD COLUMN     "file_megabytes" INTEGER;

-- CreateTable
CREATE TABLE "file_content" (
    "id" UUID NOT NULL,
    "environment_id" UUID NOT NULL,
    "sha256" TEXT NOT NULL,
    "size_bytes" INTEGER NOT NULL,
    "storage_key" TEXT NOT NULL,

    CONSTRAINT "file_content_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "file" (
    "id" TEXT NOT NULL,
    "environment_id" UUID NOT NULL,
    "deployment_id" UUID,
    "conversation_id" UUID,
    "owner" TEXT,
    "name" TEXT NOT NULL,
    "mime_type" TEXT NOT NULL,
    "size_bytes" INTEGER NOT NULL,
    "sha256" TEXT,
    "status" "file_status" NOT NULL DEFAULT 'uploading',
    "parts" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "received_bytes" INTEGER NOT NULL DEFAULT 0,
    "check_id" UUID,
    "check_until" TIMESTAMPTZ(3),
    "rejection" TEXT,
    "content_id" UUID,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "used_at" TIMESTAMPTZ(3),

    CONSTRAINT "file_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "file_use" (
    "id" BIGSERIAL NOT NULL,
    "environment_id" UUID NOT NULL,
    "file_id" TEXT NOT NULL,
    "conversation_id" UUID,
    "trigger_id" VARCHAR(8),

    CONSTRAINT "file_use_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "file_removal" (
    "prefix" TEXT NOT NULL,
    "environment_id" UUID NOT NULL,
    "remove_after" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "file_removal_pkey" PRIMARY KEY ("prefix")
);

-- CreateIndex
CREATE UNIQUE INDEX "file_content_environment_id_sha256_key" ON "file_content"("environment_id", "sha256");

-- CreateIndex
CREATE INDEX "file_environment_id_created_at_id_idx" ON "file"("environment_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "file_content_id_idx" ON "file"("content_id");

-- CreateIndex
CREATE INDEX "file_conversation_id_idx" ON "file"("conversation_id");

-- CreateIndex
CREATE INDEX "file_expiry" ON "file"("expires_at") WHERE (used_at IS NULL);

-- CreateIndex
CREATE INDEX "file_use_conversation_id_idx" ON "file_use"("conversation_id");

-- CreateIndex
CREATE INDEX "file_use_trigger_id_idx" ON "file_use"("trigger_id");

-- CreateIndex
CREATE UNIQUE INDEX "file_use_file_id_conversation_id_key" ON "file_use"("file_id", "conversation_id");

-- CreateIndex
CREATE UNIQUE INDEX "file_use_file_id_trigger_id_key" ON "file_use"("file_id", "trigger_id");

-- CreateIndex
CREATE INDEX "file_removal_remove_after_idx" ON "file_removal"("remove_after");

-- AddForeignKey
ALTER TABLE "file_content" ADD CONSTRAINT "file_content_environment_id_fkey" FOREIGN KEY ("environment_id") REFERENCES "environment"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "file" ADD CONSTRAINT "file_environment_id_fkey" FOREIGN KEY ("environment_id") REFERENCES "environment"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "file" ADD CONSTRAINT "file_content_id_fkey" FOREIGN KEY ("content_id") REFERENCES "file_content"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "file_use" ADD CONSTRAINT "file_use_file_id_fkey" FOREIGN KEY ("file_id") REFERENCES "file"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "file_use" ADD CONSTRAINT "file_use_conversation_id_fkey" FOREIGN KEY ("conversation_id") REFERENCES "conversation"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "file_use" ADD CONSTRAINT "file_use_trigger_id_fkey" FOREIGN KEY ("trigger_id") REFERENCES "trigger"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- What belongs to a file can be found by its hash in its own environment alone.
DO $$
DECLARE
  protected text;
BEGIN
  FOREACH protected IN ARRAY ARRAY['file', 'file_content', 'file_removal', 'file_use'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', protected);
    EXECUTE format(
      'CREATE POLICY tenant ON %I USING (environment_id = nullif(current_setting(''parley.environment'', true), '''')::uuid)',
      protected);
  END LOOP;
END
$$;

ALTER TABLE "file_use" ADD CONSTRAINT "file_use_owner" CHECK (num_nonnulls("conversation_id", "trigger_id") <= 1);
