-- parley: outside a transaction

CREATE INDEX CONCURRENTLY IF NOT EXISTS "file_content_key" ON "file_content"("environment_id", "storage_key");
