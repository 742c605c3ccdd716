-- DropIndex
DROP INDEX "deployment_workspace_id_idx";

-- DropIndex
DROP INDEX "workflow_workspace_id_idx";

-- AlterTable
ALTER TABLE "workflow" ADD COLUMN     "revision" INTEGER NOT NULL DEFAULT 1;

-- AlterTable
ALTER TABLE "workflow_log" ALTER COLUMN "workflow_version" DROP NOT NULL,
ALTER COLUMN "deployment_id" DROP NOT NULL;

-- CreateIndex
CREATE INDEX "deployment_workspace_id_created_at_id_idx" ON "deployment"("workspace_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "workflow_workspace_id_id_idx" ON "workflow"("workspace_id", "id");
