-- AlterTable
ALTER TABLE "run" ADD COLUMN     "interrupted" BOOLEAN NOT NULL DEFAULT false;

-- CreateTable
CREATE TABLE "queued_turn" (
    "run_id" UUID NOT NULL,
    "position" BIGSERIAL NOT NULL,
    "environment_id" UUID NOT NULL,
    "conversation_id" UUID NOT NULL,
    "content" JSONB NOT NULL,
    "agent" BOOLEAN NOT NULL,
    "workflow_version" INTEGER NOT NULL,
    "model" TEXT NOT NULL,
    "request_id" TEXT NOT NULL,
    "lease_owner" UUID NOT NULL,
    "lease_expires_at" TIMESTAMPTZ(3) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "queued_turn_pkey" PRIMARY KEY ("run_id")
);

-- CreateIndex
CREATE INDEX "queued_turn_conversation_id_position_idx" ON "queued_turn"("conversation_id", "position");

-- CreateIndex
CREATE INDEX "queued_turn_lease_expires_at_idx" ON "queued_turn"("lease_expires_at");

-- AddForeignKey
ALTER TABLE "queued_turn" ADD CONSTRAINT "queued_turn_conversation_id_fkey" FOREIGN KEY ("conversation_id") REFERENCES "conversation"("id") ON DELETE CASCADE ON UPDATE CASCADE;
