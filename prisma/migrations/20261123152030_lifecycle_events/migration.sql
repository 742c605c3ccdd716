-- Runs, conversations and triggers write events, too. Only these events have a conversation. The partial indexes keep the
-- lists without them fast, and cost nothing when a turn writes its events. Without the foreign key, a turn does not lock the
-- row of its environment.

-- DropForeignKey
ALTER TABLE "event" DROP CONSTRAINT "event_environment_id_fkey";

-- AlterTable
ALTER TABLE "event" ADD COLUMN     "conversation_id" UUID;

-- CreateIndex
CREATE INDEX "event_changes" ON "event"("environment_id", "occurred_at", "id") WHERE (conversation_id IS NULL);

-- CreateIndex
CREATE INDEX "event_changes_in_order" ON "event"("environment_id", "xid", "id") WHERE (conversation_id IS NULL);

-- CreateIndex
CREATE INDEX "event_of_conversation" ON "event"("conversation_id", "occurred_at", "id") WHERE (conversation_id IS NOT NULL);
