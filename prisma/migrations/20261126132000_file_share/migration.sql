-- parley: outside a transaction

CREATE INDEX CONCURRENTLY IF NOT EXISTS "file_share" ON "file"("environment_id", "share_key") WHERE (share_key IS NOT NULL);
