-- parley: outside a transaction
ALTER TABLE "audit_entry" VALIDATE CONSTRAINT "audit_entry_first_range";
ALTER TABLE "workflow_log" VALIDATE CONSTRAINT "workflow_log_first_range";
