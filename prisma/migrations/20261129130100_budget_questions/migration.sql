-- parley: outside a transaction
-- The calls that wait until a budget has room. Partial, because each sweep reads all of them.
CREATE INDEX CONCURRENTLY IF NOT EXISTS "timeline_item_budget_questions" ON "timeline_item"("environment_id", "id") WHERE (kind = 'client_tool' AND status = 'pending' AND name = 'raise_budget');
