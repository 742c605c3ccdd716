-- CreateEnum
CREATE TYPE "trace_span_kind" AS ENUM ('model_step', 'tool_call');

-- AlterTable
ALTER TABLE "retention" ADD COLUMN     "trace_days" INTEGER NOT NULL DEFAULT 30;

-- AlterTable
ALTER TABLE "run" ADD COLUMN     "failure_reason" TEXT;

-- CreateTable
CREATE TABLE "trace_span" (
    "id" UUID NOT NULL,
    "environment_id" UUID NOT NULL,
    "run_id" UUID NOT NULL,
    "kind" "trace_span_kind" NOT NULL,
    "step" INTEGER NOT NULL,
    "name" TEXT NOT NULL,
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "duration_ms" INTEGER NOT NULL,
    "attempts" INTEGER NOT NULL,
    "request_id" TEXT NOT NULL,
    "failure_reason" TEXT,
    "input_tokens" INTEGER,
    "output_tokens" INTEGER,
    "finish_reason" TEXT,
    "call_id" TEXT,
    "status" "call_status",
    "sealed_content" BYTEA NOT NULL,

    CONSTRAINT "trace_span_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "trace_span_run_id_id_idx" ON "trace_span"("run_id", "id");

-- CreateIndex
CREATE INDEX "trace_span_environment_id_started_at_idx" ON "trace_span"("environment_id", "started_at");

-- AddForeignKey
ALTER TABLE "trace_span" ADD CONSTRAINT "trace_span_run_id_fkey" FOREIGN KEY ("run_id") REFERENCES "run"("id") ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE "trace_span" ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "trace_span" USING (environment_id = nullif(current_setting('parley.environment', true), '')::uuid);

-- The content is encrypted, so PostgreSQL cannot compress it.
ALTER TABLE "trace_span" ALTER COLUMN "sealed_content" SET STORAGE EXTERNAL;
