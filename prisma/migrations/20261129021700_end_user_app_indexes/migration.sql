-- parley: outside a transaction
CREATE INDEX CONCURRENTLY IF NOT EXISTS "connected_app_workspace_id_environment_end_user_idx" ON "connected_app"("workspace_id", "environment", "end_user");
CREATE INDEX CONCURRENTLY IF NOT EXISTS "connected_app_deployment_id_idx" ON "connected_app"("deployment_id");
ALTER TABLE "connected_app" VALIDATE CONSTRAINT "connected_app_person";
