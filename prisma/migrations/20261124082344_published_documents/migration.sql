-- CreateEnum
CREATE TYPE "document_kind" AS ENUM ('query', 'mutation');

-- CreateTable
CREATE TABLE "published_document" (
    "id" TEXT NOT NULL,
    "environment_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "kind" "document_kind" NOT NULL,
    "version" INTEGER NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "published_document_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "document_version" (
    "document_id" TEXT NOT NULL,
    "number" INTEGER NOT NULL,
    "environment_id" UUID NOT NULL,
    "text" TEXT NOT NULL,
    "trusted_id" TEXT NOT NULL,
    "acknowledged" TEXT[],
    "author_kind" TEXT NOT NULL,
    "author_id" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "document_version_pkey" PRIMARY KEY ("document_id","number")
);

-- CreateTable
CREATE TABLE "document_calls" (
    "document_id" TEXT NOT NULL,
    "day" DATE NOT NULL,
    "environment_id" UUID NOT NULL,
    "calls" INTEGER NOT NULL,
    "errors" INTEGER NOT NULL,
    "total_ms" DOUBLE PRECISION NOT NULL,
    "last_called_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "document_calls_pkey" PRIMARY KEY ("document_id","day")
);

-- CreateIndex
CREATE INDEX "published_document_environment_id_created_at_id_idx" ON "published_document"("environment_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "published_document_environment_id_updated_at_id_idx" ON "published_document"("environment_id", "updated_at", "id");

-- CreateIndex
CREATE UNIQUE INDEX "published_document_environment_id_name_key" ON "published_document"("environment_id", "name");

-- CreateIndex
CREATE INDEX "document_version_environment_id_trusted_id_idx" ON "document_version"("environment_id", "trusted_id");

-- AddForeignKey
ALTER TABLE "published_document" ADD CONSTRAINT "published_document_environment_id_fkey" FOREIGN KEY ("environment_id") REFERENCES "environment"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "document_version" ADD CONSTRAINT "document_version_environment_id_fkey" FOREIGN KEY ("environment_id") REFERENCES "environment"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "document_version" ADD CONSTRAINT "document_version_document_id_fkey" FOREIGN KEY ("document_id") REFERENCES "published_document"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "document_calls" ADD CONSTRAINT "document_calls_environment_id_fkey" FOREIGN KEY ("environment_id") REFERENCES "environment"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "document_calls" ADD CONSTRAINT "document_calls_document_id_fkey" FOREIGN KEY ("document_id") REFERENCES "published_document"("id") ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE "published_document" ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "published_document" USING (environment_id = nullif(current_setting('parley.environment', true), '')::uuid);
ALTER TABLE "document_version" ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "document_version" USING (environment_id = nullif(current_setting('parley.environment', true), '')::uuid);
ALTER TABLE "document_calls" ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "document_calls" USING (environment_id = nullif(current_setting('parley.environment', true), '')::uuid);
