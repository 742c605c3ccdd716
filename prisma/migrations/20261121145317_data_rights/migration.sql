-- DropForeignKey
ALTER TABLE "trigger" DROP CONSTRAINT "trigger_conversation_id_fkey";

-- CreateTable
CREATE TABLE "retention" (
    "environment_id" UUID NOT NULL,
    "days" INTEGER,
    "next_sweep_at" TIMESTAMPTZ(3) NOT NULL,
    "started_at" TIMESTAMPTZ(3),
    "finished_at" TIMESTAMPTZ(3),
    "swept_days" INTEGER,
    "conversations" INTEGER NOT NULL DEFAULT 0,
    "triggers" INTEGER NOT NULL DEFAULT 0,
    "workflow_logs" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "retention_pkey" PRIMARY KEY ("environment_id")
);

-- CreateIndex
CREATE INDEX "retention_due" ON "retention"("next_sweep_at") WHERE (days IS NOT NULL);

-- CreateIndex
CREATE INDEX "conversation_environment_id_created_at_id_idx" ON "conversation"("environment_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "trigger_environment_id_created_at_id_idx" ON "trigger"("environment_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "trigger_environment_id_expires_at_idx" ON "trigger"("environment_id", "expires_at");

-- AddForeignKey
ALTER TABLE "retention" ADD CONSTRAINT "retention_environment_id_fkey" FOREIGN KEY ("environment_id") REFERENCES "environment"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- What Prisma cannot say ---------------------------------------------------------------------------

-- Answers that are kept of a conversation's turns are found by it when it is deleted.
CREATE INDEX "idempotency_record_conversation" ON "idempotency_record" ("environment_id", (effect ->> 'conversationId'))
  WHERE effect ->> 'conversationId' IS NOT NULL;

ALTER TABLE "retention" ADD CONSTRAINT "retention_days_are_days" CHECK (days >= 1);
