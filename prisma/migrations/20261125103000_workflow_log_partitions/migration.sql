-- The workflow log becomes a table that is partitioned by ranges of IDs, as the audit log did. A turn locks its conversation
-- first and writes its line last, so the new table refers to other tables before the old one is locked.
CREATE TABLE "workflow_log_new" (LIKE "workflow_log" INCLUDING DEFAULTS) PARTITION BY RANGE ("id");
ALTER TABLE "workflow_log_new" ADD CONSTRAINT "workflow_log_conversation_id_fkey" FOREIGN KEY ("conversation_id")
  REFERENCES "conversation"("id") ON DELETE SET NULL ON UPDATE CASCADE;
ALTER TABLE "workflow_log_new" ADD CONSTRAINT "workflow_log_run_id_fkey" FOREIGN KEY ("run_id")
  REFERENCES "run"("id") ON DELETE SET NULL ON UPDATE CASCADE;
ALTER TABLE "workflow_log_new" ADD CONSTRAINT "workflow_log_trigger_id_fkey" FOREIGN KEY ("trigger_id")
  REFERENCES "trigger"("id") ON DELETE SET NULL ON UPDATE CASCADE;
ALTER TABLE "workflow_log_new" ADD CONSTRAINT "workflow_log_deployment_id_fkey" FOREIGN KEY ("deployment_id")
  REFERENCES "deployment"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "workflow_log_new" ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "workflow_log_new" USING (environment_id = nullif(current_setting('parley.environment', true), '')::uuid);

ALTER TABLE "trigger" DROP CONSTRAINT "trigger_workflow_log_id_fkey";
ALTER TABLE "workflow_log" RENAME TO "workflow_log_first";
ALTER INDEX "workflow_log_pkey" RENAME TO "workflow_log_first_pkey";
ALTER INDEX "workflow_log_environment_id_created_at_id_idx" RENAME TO "workflow_log_first_environment_id_created_at_id_idx";
ALTER INDEX "workflow_log_deployment_id_environment_id_created_at_id_idx"
  RENAME TO "workflow_log_first_deployment_id_environment_id_created_at_idx";
ALTER INDEX "workflow_log_conversation_id_idx" RENAME TO "workflow_log_first_conversation_id_idx";
ALTER INDEX "workflow_log_run_id_idx" RENAME TO "workflow_log_first_run_id_idx";
ALTER INDEX "workflow_log_trigger_id_idx" RENAME TO "workflow_log_first_trigger_id_idx";
ALTER INDEX "workflow_log_request_id_idx" RENAME TO "workflow_log_first_request_id_idx";
ALTER TABLE "workflow_log_new" ADD CONSTRAINT "workflow_log_pkey" PRIMARY KEY ("id");
CREATE INDEX "workflow_log_environment_id_created_at_id_idx" ON "workflow_log_new"("environment_id", "created_at", "id");
CREATE INDEX "workflow_log_deployment_id_environment_id_created_at_id_idx"
  ON "workflow_log_new"("deployment_id", "environment_id", "created_at", "id");
CREATE INDEX "workflow_log_conversation_id_idx" ON "workflow_log_new"("conversation_id");
CREATE INDEX "workflow_log_run_id_idx" ON "workflow_log_new"("run_id");
CREATE INDEX "workflow_log_trigger_id_idx" ON "workflow_log_new"("trigger_id");
CREATE INDEX "workflow_log_request_id_idx" ON "workflow_log_new"("request_id");

DROP TRIGGER "workflow_log_uncounted" ON "workflow_log_first";
CREATE TRIGGER "workflow_log_uncounted" AFTER INSERT ON "workflow_log_new"
  FOR EACH ROW WHEN (NEW.conversation_id IS NOT NULL AND NOT NEW.counted) EXECUTE FUNCTION workflow_log_uncounted();

ALTER TABLE "workflow_log_new" ATTACH PARTITION "workflow_log_first" FOR VALUES FROM (MINVALUE) TO (10700000000000);
ALTER TABLE "workflow_log_first" DROP CONSTRAINT "workflow_log_first_range";
ALTER TABLE "workflow_log_first" ALTER COLUMN "id" DROP DEFAULT;
ALTER SEQUENCE "workflow_log_id_seq" OWNED BY "workflow_log_new"."id";
ALTER TABLE "workflow_log_new" RENAME TO "workflow_log";
ALTER TABLE "trigger" ADD CONSTRAINT "trigger_workflow_log_id_fkey" FOREIGN KEY ("workflow_log_id")
  REFERENCES "workflow_log"("id") ON DELETE SET NULL ON UPDATE CASCADE NOT VALID;

-- What an administrator granted on the log.
DO $$
DECLARE
  granted record;
BEGIN
  FOR granted IN
    SELECT privilege_type AS privilege, CASE WHEN grantee = 0 THEN 'PUBLIC' ELSE grantee::regrole::text END AS grantee,
           CASE WHEN is_grantable THEN ' WITH GRANT OPTION' ELSE '' END AS option
    FROM pg_class, aclexplode(relacl) WHERE oid = '"workflow_log_first"'::regclass AND grantee <> relowner
  LOOP
    EXECUTE format('GRANT %s ON "workflow_log" TO %s%s', granted.privilege, granted.grantee, granted.option);
  END LOOP;
END
$$;
