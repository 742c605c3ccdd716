-- parley: outside a transaction
CREATE INDEX CONCURRENTLY IF NOT EXISTS "connected_app_registration_id_idx" ON "connected_app"("registration_id");
ALTER TABLE "connected_app" VALIDATE CONSTRAINT "connected_app_registration_id_fkey";
