-- parley: outside a transaction
CREATE INDEX CONCURRENTLY IF NOT EXISTS "conversation_forks" ON "conversation"("environment_id", "forked_from", "created_at", "id") WHERE (forked_from IS NOT NULL);
CREATE INDEX CONCURRENTLY IF NOT EXISTS "timeline_item_superseded" ON "timeline_item"("environment_id", "superseded_by") WHERE (superseded_by IS NOT NULL);
CREATE INDEX CONCURRENTLY IF NOT EXISTS "timeline_item_variants" ON "timeline_item"("environment_id", "variant_of") WHERE (variant_of IS NOT NULL);
