-- CreateTable
CREATE TABLE "outgoing_mail" (
    "id" UUID NOT NULL,
    "kind" TEXT NOT NULL,
    "urgent" BOOLEAN NOT NULL,
    "workspace_id" UUID,
    "turn_key" TEXT NOT NULL,
    "sealed_content" BYTEA NOT NULL,
    "link_id" TEXT,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "next_attempt_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "lease_owner" UUID,
    "lease_expires_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "outgoing_mail_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "outgoing_mail_workspace_id_kind_idx" ON "outgoing_mail"("workspace_id", "kind");

-- CreateIndex
CREATE INDEX "outgoing_mail_expires_at_idx" ON "outgoing_mail"("expires_at");

ALTER TABLE "outgoing_mail" ADD CONSTRAINT "outgoing_mail_lease" CHECK ((lease_owner IS NULL) = (lease_expires_at IS NULL));

ALTER TABLE "outgoing_mail" ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "outgoing_mail" USING (workspace_id = nullif(current_setting('parley.workspace', true), '')::uuid);

-- The mails of all workspaces together. It runs as the owner of the table, because a policy hides those of other workspaces
-- from the statement that adds a mail.
CREATE FUNCTION outgoing_mail_count() RETURNS bigint LANGUAGE sql STABLE SECURITY DEFINER
  RETURN (SELECT count(*) FROM outgoing_mail WHERE workspace_id IS NOT NULL);
