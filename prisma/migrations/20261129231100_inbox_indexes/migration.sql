-- parley: outside a transaction
CREATE INDEX CONCURRENTLY IF NOT EXISTS "conversation_assigned" ON "conversation"("environment_id", "assignee_id", "updated_at", "id") WHERE (assignee_id IS NOT NULL);
CREATE INDEX CONCURRENTLY IF NOT EXISTS "timeline_item_handling" ON "timeline_item"("environment_id", "created_at") WHERE (kind = 'handling');
CREATE INDEX CONCURRENTLY IF NOT EXISTS "timeline_item_first_answers" ON "timeline_item"("environment_id", "created_at") WHERE (waited_since IS NOT NULL);
