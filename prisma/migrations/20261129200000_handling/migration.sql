CREATE TYPE "handling_mode" AS ENUM ('assistant', 'waiting', 'member');
ALTER TYPE "timeline_kind" ADD VALUE IF NOT EXISTS 'handling';
ALTER TABLE "conversation" ADD COLUMN "handling" "handling_mode" NOT NULL DEFAULT 'assistant',
  ADD COLUMN "handling_since" TIMESTAMPTZ(3),
  ADD COLUMN "handling_until" TIMESTAMPTZ(3),
  ADD COLUMN "handling_facts" JSONB,
  ADD COLUMN "holder_id" TEXT,
  ADD COLUMN "owes_answer" BOOLEAN NOT NULL DEFAULT false;
ALTER TABLE "run" ADD COLUMN "handled_by" "handling_mode";
ALTER TABLE "timeline_item" ADD COLUMN "author" JSONB,
  ADD COLUMN "handling" JSONB;
ALTER TABLE "timeline_item" ADD CONSTRAINT "timeline_item_handling_has_content"
  CHECK ((kind::text = 'handling') = (handling IS NOT NULL)) NOT VALID;
ALTER TABLE "timeline_item" ADD CONSTRAINT "timeline_item_author_of_reply"
  CHECK (author IS NULL OR (role IS NOT NULL AND role = 'assistant')) NOT VALID;
ALTER TABLE "conversation" ADD CONSTRAINT "conversation_holder"
  CHECK ((handling = 'member') = (holder_id IS NOT NULL) AND (handling <> 'member' OR handling_until IS NOT NULL)) NOT VALID;
