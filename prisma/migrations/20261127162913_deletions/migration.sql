-- DropForeignKey
ALTER TABLE "workflow_log" DROP CONSTRAINT "workflow_log_deployment_id_fkey";
