-- parley: outside a transaction
-- Several workspaces can accept JWTs of one issuer. A process of the previous release cannot save an issuer after this step.
CREATE INDEX CONCURRENTLY IF NOT EXISTS "end_user_issuer_issuer_audience_idx" ON "end_user_issuer"("issuer", "audience");
DROP INDEX CONCURRENTLY IF EXISTS "end_user_issuer_issuer_audience_key";
