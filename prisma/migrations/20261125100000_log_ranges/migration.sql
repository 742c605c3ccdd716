-- The next migrations make the audit log and the workflow log partitioned tables. The present tables become their first
-- partitions. With these constraints, PostgreSQL does not read the tables for that. src/db/partitions/periods.ts has the ranges.
ALTER TABLE "audit_entry" ADD CONSTRAINT "audit_entry_first_range" CHECK ("id" < 32200000000000) NOT VALID;
ALTER TABLE "workflow_log" ADD CONSTRAINT "workflow_log_first_range" CHECK ("id" < 10700000000000) NOT VALID;
