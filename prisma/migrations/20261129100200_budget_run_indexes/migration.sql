-- parley: outside a transaction
CREATE INDEX CONCURRENTLY IF NOT EXISTS "budget_environment_id_run_id_idx" ON "budget"("environment_id", "run_id");
CREATE INDEX CONCURRENTLY IF NOT EXISTS "budget_of_run" ON "budget"("created_at") WHERE (is_default AND place LIKE 'run:%');
ALTER TABLE "budget" VALIDATE CONSTRAINT "budget_environment_id_run_id_fkey";
