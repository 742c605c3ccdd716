-- parley: outside a transaction
CREATE INDEX CONCURRENTLY IF NOT EXISTS "conversation_handled" ON "conversation"("environment_id", "handling", "handling_since", "id") WHERE (handling <> 'assistant'::handling_mode);
CREATE INDEX CONCURRENTLY IF NOT EXISTS "conversation_handling_until" ON "conversation"("handling_until") WHERE (handling_until IS NOT NULL);
CREATE INDEX CONCURRENTLY IF NOT EXISTS "conversation_owing" ON "conversation"("environment_id") WHERE (owes_answer);
ALTER TABLE "timeline_item" VALIDATE CONSTRAINT "timeline_item_handling_has_content";
ALTER TABLE "timeline_item" VALIDATE CONSTRAINT "timeline_item_author_of_reply";
ALTER TABLE "conversation" VALIDATE CONSTRAINT "conversation_holder";
