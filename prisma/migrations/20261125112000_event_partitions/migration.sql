-- The event log becomes a table that is partitioned by ranges of IDs. The present table is its first partition, and no row is
-- copied.
CREATE TABLE "event_new" (LIKE "event" INCLUDING DEFAULTS) PARTITION BY RANGE ("id");
ALTER TABLE "event_new" ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "event_new" USING (environment_id = nullif(current_setting('parley.environment', true), '')::uuid);

ALTER TABLE "webhook_delivery" DROP CONSTRAINT "webhook_delivery_event_id_fkey";
ALTER TABLE "event" RENAME TO "event_first";
ALTER INDEX "event_pkey" RENAME TO "event_first_pkey";
ALTER INDEX "event_environment_id_occurred_at_id_idx" RENAME TO "event_first_environment_id_occurred_at_id_idx";
ALTER INDEX "event_environment_id_type_occurred_at_id_idx" RENAME TO "event_first_environment_id_type_occurred_at_id_idx";
ALTER INDEX "event_environment_id_resource_id_occurred_at_id_idx"
  RENAME TO "event_first_environment_id_resource_id_occurred_at_id_idx";
ALTER INDEX "event_environment_id_xid_id_idx" RENAME TO "event_first_environment_id_xid_id_idx";
ALTER INDEX "event_changes" RENAME TO "event_first_changes";
ALTER INDEX "event_changes_in_order" RENAME TO "event_first_changes_in_order";
ALTER INDEX "event_of_conversation" RENAME TO "event_first_of_conversation";
ALTER TABLE "event_new" ADD CONSTRAINT "event_pkey" PRIMARY KEY ("id");
CREATE INDEX "event_environment_id_occurred_at_id_idx" ON "event_new"("environment_id", "occurred_at", "id");
CREATE INDEX "event_environment_id_type_occurred_at_id_idx" ON "event_new"("environment_id", "type", "occurred_at", "id");
CREATE INDEX "event_environment_id_resource_id_occurred_at_id_idx"
  ON "event_new"("environment_id", "resource_id", "occurred_at", "id");
CREATE INDEX "event_environment_id_xid_id_idx" ON "event_new"("environment_id", "xid", "id");
CREATE INDEX "event_changes" ON "event_new"("environment_id", "occurred_at", "id") WHERE conversation_id IS NULL;
CREATE INDEX "event_changes_in_order" ON "event_new"("environment_id", "xid", "id") WHERE conversation_id IS NULL;
CREATE INDEX "event_of_conversation" ON "event_new"("conversation_id", "occurred_at", "id")
  WHERE conversation_id IS NOT NULL;

-- A partition inherits triggers for rows. Those for TRUNCATE it needs itself, and the first partition has it.
DROP TRIGGER "event_append_only_rows" ON "event_first";
CREATE TRIGGER "event_append_only_rows" BEFORE UPDATE OR DELETE ON "event_new"
  FOR EACH ROW EXECUTE FUNCTION event_is_append_only();
CREATE TRIGGER "event_append_only_table" BEFORE TRUNCATE ON "event_new"
  FOR EACH STATEMENT EXECUTE FUNCTION event_is_append_only();

-- IDs come from the clocks of processes. A row whose period has no partition goes here, so an insert never fails.
CREATE TABLE "event_default" PARTITION OF "event_new" DEFAULT;
ALTER TABLE "event_default" ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "event_default" USING (environment_id = nullif(current_setting('parley.environment', true), '')::uuid);
CREATE TRIGGER "event_append_only_table" BEFORE TRUNCATE ON "event_default"
  FOR EACH STATEMENT EXECUTE FUNCTION event_is_append_only();

DO $$
BEGIN
  EXECUTE format(
    'ALTER TABLE "event_new" ATTACH PARTITION "event_first" FOR VALUES FROM (MINVALUE) TO (%L)',
    (SELECT substring(pg_get_constraintdef(oid) FROM '''(evt_[^'']*)''') FROM pg_constraint
     WHERE conrelid = '"event_first"'::regclass AND conname = 'event_first_range'));
END
$$;
ALTER TABLE "event_first" DROP CONSTRAINT "event_first_range";
ALTER TABLE "event_new" RENAME TO "event";
ALTER TABLE "webhook_delivery" ADD CONSTRAINT "webhook_delivery_event_id_fkey" FOREIGN KEY ("event_id")
  REFERENCES "event"("id") ON DELETE RESTRICT ON UPDATE CASCADE NOT VALID;

-- What an administrator granted on the log.
DO $$
DECLARE
  granted record;
BEGIN
  FOR granted IN
    SELECT privilege_type AS privilege, CASE WHEN grantee = 0 THEN 'PUBLIC' ELSE grantee::regrole::text END AS grantee,
           CASE WHEN is_grantable THEN ' WITH GRANT OPTION' ELSE '' END AS option
    FROM pg_class, aclexplode(relacl) WHERE oid = '"event_first"'::regclass AND grantee <> relowner
  LOOP
    EXECUTE format('GRANT %s ON "event" TO %s%s', granted.privilege, granted.grantee, granted.option);
  END LOOP;
END
$$;
