-- AlterTable
ALTER TABLE "session" ADD COLUMN     "address" TEXT,
ADD COLUMN     "user_agent" TEXT;

-- CreateTable
CREATE TABLE "audit_entry" (
    "id" BIGSERIAL NOT NULL,
    "workspace_id" UUID NOT NULL,
    "environment" "environment_kind",
    "action" TEXT NOT NULL,
    "actor_kind" TEXT NOT NULL,
    "actor_id" TEXT,
    "subject_id" TEXT,
    "details" JSONB NOT NULL,
    "address" TEXT,
    "request_id" TEXT NOT NULL,
    "occurred_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "audit_entry_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "audit_entry_workspace_id_id_idx" ON "audit_entry"("workspace_id", "id");

-- CreateIndex
CREATE INDEX "audit_entry_workspace_id_action_id_idx" ON "audit_entry"("workspace_id", "action", "id");

-- CreateIndex
CREATE INDEX "audit_entry_workspace_id_actor_id_id_idx" ON "audit_entry"("workspace_id", "actor_id", "id");

-- AddForeignKey
ALTER TABLE "audit_entry" ADD CONSTRAINT "audit_entry_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspace"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- What was done cannot be undone in the log of it.
CREATE FUNCTION "audit_is_append_only"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the audit log is append-only: % is refused', TG_OP;
END;
$$;
CREATE TRIGGER "audit_append_only_rows" BEFORE UPDATE OR DELETE ON "audit_entry"
  FOR EACH ROW EXECUTE FUNCTION "audit_is_append_only"();
CREATE TRIGGER "audit_append_only_table" BEFORE TRUNCATE ON "audit_entry"
  FOR EACH STATEMENT EXECUTE FUNCTION "audit_is_append_only"();
