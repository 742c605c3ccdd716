ALTER TYPE "timeline_kind" ADD VALUE IF NOT EXISTS 'summary';
ALTER TABLE "timeline_item" ADD COLUMN "summary" JSONB;
ALTER TABLE "timeline_item" ADD CONSTRAINT "timeline_item_summary_has_content"
  CHECK ((kind::text = 'summary') = (summary IS NOT NULL)) NOT VALID;
ALTER TABLE "run" ALTER COLUMN "history_limit" DROP NOT NULL;
ALTER TABLE "queued_turn" ALTER COLUMN "history_limit" DROP NOT NULL;
ALTER TABLE "conversation" ADD COLUMN "context_tokens" INTEGER NOT NULL DEFAULT 0;
ALTER TABLE "workflow_log" ADD COLUMN "is_summary" BOOLEAN NOT NULL DEFAULT false;
