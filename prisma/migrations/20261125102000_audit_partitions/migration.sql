-- The audit log becomes a table that is partitioned by ranges of IDs. The present table is its first partition, and no row is
-- copied. The new table refers to other tables before the old one is locked: requests take the locks in that order, too.
CREATE TABLE "audit_entry_new" (LIKE "audit_entry" INCLUDING DEFAULTS) PARTITION BY RANGE ("id");
ALTER TABLE "audit_entry_new" ADD CONSTRAINT "audit_entry_workspace_id_fkey" FOREIGN KEY ("workspace_id")
  REFERENCES "workspace"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "audit_entry_new" ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "audit_entry_new" USING (workspace_id = nullif(current_setting('parley.workspace', true), '')::uuid);

ALTER TABLE "audit_entry" RENAME TO "audit_entry_first";
ALTER INDEX "audit_entry_pkey" RENAME TO "audit_entry_first_pkey";
ALTER INDEX "audit_entry_workspace_id_id_idx" RENAME TO "audit_entry_first_workspace_id_id_idx";
ALTER INDEX "audit_entry_workspace_id_action_id_idx" RENAME TO "audit_entry_first_workspace_id_action_id_idx";
ALTER INDEX "audit_entry_workspace_id_actor_id_id_idx" RENAME TO "audit_entry_first_workspace_id_actor_id_id_idx";
ALTER TABLE "audit_entry_new" ADD CONSTRAINT "audit_entry_pkey" PRIMARY KEY ("id");
CREATE INDEX "audit_entry_workspace_id_id_idx" ON "audit_entry_new"("workspace_id", "id");
CREATE INDEX "audit_entry_workspace_id_action_id_idx" ON "audit_entry_new"("workspace_id", "action", "id");
CREATE INDEX "audit_entry_workspace_id_actor_id_id_idx" ON "audit_entry_new"("workspace_id", "actor_id", "id");

-- A partition inherits triggers for rows. Those for TRUNCATE it needs itself, and the first partition has it.
DROP TRIGGER "audit_append_only_rows" ON "audit_entry_first";
CREATE TRIGGER "audit_append_only_rows" BEFORE UPDATE OR DELETE ON "audit_entry_new"
  FOR EACH ROW EXECUTE FUNCTION "audit_is_append_only"();
CREATE TRIGGER "audit_append_only_table" BEFORE TRUNCATE ON "audit_entry_new"
  FOR EACH STATEMENT EXECUTE FUNCTION "audit_is_append_only"();

ALTER TABLE "audit_entry_new" ATTACH PARTITION "audit_entry_first" FOR VALUES FROM (MINVALUE) TO (32200000000000);
ALTER TABLE "audit_entry_first" DROP CONSTRAINT "audit_entry_first_range";
ALTER TABLE "audit_entry_first" ALTER COLUMN "id" DROP DEFAULT;
ALTER SEQUENCE "audit_entry_id_seq" OWNED BY "audit_entry_new"."id";
ALTER TABLE "audit_entry_new" RENAME TO "audit_entry";

-- What an administrator granted on the log.
DO $$
DECLARE
  granted record;
BEGIN
  FOR granted IN
    SELECT privilege_type AS privilege, CASE WHEN grantee = 0 THEN 'PUBLIC' ELSE grantee::regrole::text END AS grantee,
           CASE WHEN is_grantable THEN ' WITH GRANT OPTION' ELSE '' END AS option
    FROM pg_class, aclexplode(relacl) WHERE oid = '"audit_entry_first"'::regclass AND grantee <> relowner
  LOOP
    EXECUTE format('GRANT %s ON "audit_entry" TO %s%s', granted.privilege, granted.grantee, granted.option);
  END LOOP;
END
$$;
