-- The lists of a workflow, a version and a deployment, newest first. The second new index replaces the dropped one.

-- DropIndex
DROP INDEX "deployment_workflow_id_published_version_idx";

-- CreateIndex
CREATE INDEX "deployment_workflow_id_created_at_id_idx" ON "deployment"("workflow_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "deployment_workflow_id_published_version_created_at_id_idx" ON "deployment"("workflow_id", "published_version", "created_at", "id");

-- CreateIndex
CREATE INDEX "trigger_workflow_id_environment_id_created_at_id_idx" ON "trigger"("workflow_id", "environment_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "workflow_log_deployment_id_environment_id_created_at_id_idx" ON "workflow_log"("deployment_id", "environment_id", "created_at", "id");
