-- parley: outside a transaction
CREATE INDEX CONCURRENTLY IF NOT EXISTS "timeline_item_summaries" ON "timeline_item"("conversation_id", "id") WHERE (summary IS NOT NULL);
ALTER TABLE "timeline_item" VALIDATE CONSTRAINT "timeline_item_summary_has_content";
