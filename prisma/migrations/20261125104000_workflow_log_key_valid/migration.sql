-- parley: outside a transaction
ALTER TABLE "trigger" VALIDATE CONSTRAINT "trigger_workflow_log_id_fkey";
