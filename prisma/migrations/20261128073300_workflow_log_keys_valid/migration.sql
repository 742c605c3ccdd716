-- The validation of a partition blocks no reads and no writes. After it, the table takes the foreign keys without reading.
DO $$
DECLARE
  unchecked record;
BEGIN
  FOR unchecked IN
    SELECT conrelid::regclass AS part, conname AS name FROM pg_constraint JOIN pg_inherits ON inhrelid = conrelid
    WHERE inhparent = 'workflow_log'::regclass AND contype = 'f' AND NOT convalidated
  LOOP
    EXECUTE format('ALTER TABLE %s VALIDATE CONSTRAINT %I', unchecked.part, unchecked.name);
  END LOOP;
END
$$;
ALTER TABLE "workflow_log" ADD CONSTRAINT "workflow_log_environment_id_conversation_id_fkey" FOREIGN KEY ("environment_id", "conversation_id")
  REFERENCES "conversation"("environment_id", "id") ON DELETE SET NULL ("conversation_id") ON UPDATE NO ACTION;
ALTER TABLE "workflow_log" ADD CONSTRAINT "workflow_log_environment_id_run_id_fkey" FOREIGN KEY ("environment_id", "run_id")
  REFERENCES "run"("environment_id", "id") ON DELETE SET NULL ("run_id") ON UPDATE NO ACTION;
ALTER TABLE "workflow_log" ADD CONSTRAINT "workflow_log_environment_id_trigger_id_fkey" FOREIGN KEY ("environment_id", "trigger_id")
  REFERENCES "trigger"("environment_id", "id") ON DELETE SET NULL ("trigger_id") ON UPDATE NO ACTION;
