-- Every change of a timeline row draws its revision from here: what a follower resumes from.
CREATE SEQUENCE "timeline_revision";

-- CreateEnum
CREATE TYPE "environment_kind" AS ENUM ('live', 'test');

-- CreateEnum
CREATE TYPE "role" AS ENUM ('owner', 'admin', 'developer', 'viewer');

-- CreateEnum
CREATE TYPE "deployment_kind" AS ENUM ('chat', 'agent');

-- CreateEnum
CREATE TYPE "double_text_policy" AS ENUM ('reject', 'enqueue', 'interrupt');

-- CreateEnum
CREATE TYPE "conversation_status" AS ENUM ('active', 'completed');

-- CreateEnum
CREATE TYPE "run_status" AS ENUM ('running', 'waiting_for_client_action', 'completed', 'interrupted', 'failed', 'expired');

-- CreateEnum
CREATE TYPE "timeline_kind" AS ENUM ('message', 'tool', 'action', 'client_tool', 'conversation_completed');

-- CreateEnum
CREATE TYPE "message_role" AS ENUM ('user', 'assistant');

-- CreateEnum
CREATE TYPE "call_status" AS ENUM ('pending', 'running', 'completed', 'failed', 'not_completed', 'cancelled');

-- CreateEnum
CREATE TYPE "workflow_log_outcome" AS ENUM ('completed', 'waiting_for_client_action', 'interrupted', 'failed');

-- CreateEnum
CREATE TYPE "integration_kind" AS ENUM ('mcp', 'http');

-- CreateEnum
CREATE TYPE "delivery_status" AS ENUM ('pending', 'delivered', 'failed');

-- CreateTable
CREATE TABLE "workspace" (
    "id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "workspace_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "environment" (
    "id" UUID NOT NULL,
    "workspace_id" UUID NOT NULL,
    "kind" "environment_kind" NOT NULL,

    CONSTRAINT "environment_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "user_account" (
    "id" UUID NOT NULL,
    "email" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "password_hash" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "user_account_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "membership" (
    "workspace_id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "role" "role" NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "membership_pkey" PRIMARY KEY ("workspace_id","user_id")
);

-- CreateTable
CREATE TABLE "session" (
    "id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "workspace_id" UUID NOT NULL,
    "token_hash" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "last_used_at" TIMESTAMPTZ(3),
    "revoked_at" TIMESTAMPTZ(3),

    CONSTRAINT "session_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "api_key" (
    "id" TEXT NOT NULL,
    "environment_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "token_hash" TEXT NOT NULL,
    "last_four" TEXT NOT NULL,
    "scopes" TEXT[],
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "rotated_at" TIMESTAMPTZ(3),
    "revoked_at" TIMESTAMPTZ(3),
    "last_used_at" TIMESTAMPTZ(3),

    CONSTRAINT "api_key_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "workflow" (
    "id" SERIAL NOT NULL,
    "workspace_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "trigger_required" BOOLEAN NOT NULL DEFAULT false,
    "draft" JSONB NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "workflow_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "workflow_version" (
    "workflow_id" INTEGER NOT NULL,
    "number" INTEGER NOT NULL,
    "config" JSONB NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "workflow_version_pkey" PRIMARY KEY ("workflow_id","number")
);

-- CreateTable
CREATE TABLE "deployment" (
    "id" UUID NOT NULL,
    "workspace_id" UUID NOT NULL,
    "workflow_id" INTEGER NOT NULL,
    "published_version" INTEGER,
    "name" TEXT NOT NULL,
    "kind" "deployment_kind" NOT NULL,
    "auth_required" BOOLEAN NOT NULL DEFAULT true,
    "allowlist" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "hosted_page" BOOLEAN NOT NULL DEFAULT false,
    "dynamic_client_tools" BOOLEAN NOT NULL DEFAULT true,
    "double_text_policy" "double_text_policy" NOT NULL DEFAULT 'reject',
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "deployment_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "conversation" (
    "id" UUID NOT NULL,
    "environment_id" UUID NOT NULL,
    "deployment_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "status" "conversation_status" NOT NULL DEFAULT 'active',
    "completed_at" TIMESTAMPTZ(3),
    "variables" JSONB NOT NULL,
    "meta" JSONB NOT NULL,
    "meta_labels" TEXT[],
    "message_count" INTEGER NOT NULL DEFAULT 0,
    "latest_run_id" UUID,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "conversation_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "run" (
    "id" UUID NOT NULL,
    "environment_id" UUID NOT NULL,
    "conversation_id" UUID NOT NULL,
    "workflow_version" INTEGER NOT NULL,
    "status" "run_status" NOT NULL,
    "agent" BOOLEAN NOT NULL,
    "results_accepted" BOOLEAN NOT NULL DEFAULT false,
    "step" INTEGER NOT NULL DEFAULT 0,
    "fence" INTEGER NOT NULL DEFAULT 1,
    "lease_owner" UUID,
    "lease_expires_at" TIMESTAMPTZ(3),
    "expires_at" TIMESTAMPTZ(3),
    "tools" JSONB NOT NULL DEFAULT '[]',
    "history_limit" INTEGER NOT NULL DEFAULT 5,
    "model" TEXT NOT NULL,
    "input_tokens" INTEGER NOT NULL DEFAULT 0,
    "output_tokens" INTEGER NOT NULL DEFAULT 0,
    "error_code" TEXT,
    "request_id" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "run_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "timeline_item" (
    "id" BIGSERIAL NOT NULL,
    "environment_id" UUID NOT NULL,
    "conversation_id" UUID NOT NULL,
    "run_id" UUID NOT NULL,
    "kind" "timeline_kind" NOT NULL,
    "step" INTEGER NOT NULL,
    "role" "message_role",
    "content" JSONB,
    "call_id" TEXT,
    "name" TEXT,
    "arguments" JSONB,
    "output" JSONB,
    "status" "call_status",
    "revision" BIGINT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "timeline_item_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "trigger" (
    "id" VARCHAR(8) NOT NULL,
    "environment_id" UUID NOT NULL,
    "deployment_id" UUID NOT NULL,
    "workflow_id" INTEGER NOT NULL,
    "ui_surface" TEXT,
    "content" JSONB NOT NULL,
    "variables" JSONB,
    "conversation_id" UUID,
    "workflow_log_id" BIGINT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3),

    CONSTRAINT "trigger_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "workflow_log" (
    "id" BIGSERIAL NOT NULL,
    "environment_id" UUID NOT NULL,
    "workflow_id" INTEGER NOT NULL,
    "workflow_version" INTEGER NOT NULL,
    "deployment_id" UUID NOT NULL,
    "conversation_id" UUID,
    "run_id" UUID,
    "trigger_id" VARCHAR(8),
    "step" INTEGER,
    "request_id" TEXT NOT NULL,
    "outcome" "workflow_log_outcome" NOT NULL,
    "error_code" TEXT,
    "model" TEXT NOT NULL,
    "input_tokens" INTEGER NOT NULL,
    "output_tokens" INTEGER NOT NULL,
    "response_time_ms" INTEGER NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "workflow_log_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "resource" (
    "id" TEXT NOT NULL,
    "environment_id" UUID NOT NULL,
    "type" TEXT NOT NULL,
    "fields" JSONB NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "resource_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "event" (
    "id" TEXT NOT NULL,
    "environment_id" UUID NOT NULL,
    "type" TEXT NOT NULL,
    "resource_id" TEXT NOT NULL,
    "payload" JSONB NOT NULL,
    "occurred_at" TIMESTAMPTZ(3) NOT NULL,
    "xid" xid8 NOT NULL DEFAULT pg_current_xact_id(),

    CONSTRAINT "event_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "integration" (
    "id" TEXT NOT NULL,
    "environment_id" UUID NOT NULL,
    "kind" "integration_kind" NOT NULL,
    "name" TEXT NOT NULL,
    "config" JSONB NOT NULL,
    "sealed_secrets" BYTEA,
    "connected_at" TIMESTAMPTZ(3) NOT NULL,
    "disconnected_at" TIMESTAMPTZ(3),

    CONSTRAINT "integration_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "webhook_endpoint" (
    "id" TEXT NOT NULL,
    "environment_id" UUID NOT NULL,
    "url" TEXT NOT NULL,
    "event_types" TEXT[],
    "sealed_secret" BYTEA NOT NULL,
    "enabled" BOOLEAN NOT NULL DEFAULT true,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "webhook_endpoint_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "webhook_delivery" (
    "id" BIGSERIAL NOT NULL,
    "environment_id" UUID NOT NULL,
    "endpoint_id" TEXT NOT NULL,
    "event_id" TEXT NOT NULL,
    "status" "delivery_status" NOT NULL DEFAULT 'pending',
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "next_attempt_at" TIMESTAMPTZ(3),
    "response_status" INTEGER,
    "last_error" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "delivered_at" TIMESTAMPTZ(3),

    CONSTRAINT "webhook_delivery_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "idempotency_record" (
    "environment_id" UUID NOT NULL,
    "key" TEXT NOT NULL,
    "fingerprint" TEXT NOT NULL,
    "response_status" INTEGER,
    "response_body" JSONB,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "idempotency_record_pkey" PRIMARY KEY ("environment_id","key")
);

-- CreateIndex
CREATE UNIQUE INDEX "environment_workspace_id_kind_key" ON "environment"("workspace_id", "kind");

-- CreateIndex
CREATE UNIQUE INDEX "user_account_email_key" ON "user_account"("email");

-- CreateIndex
CREATE INDEX "membership_user_id_idx" ON "membership"("user_id");

-- CreateIndex
CREATE UNIQUE INDEX "session_token_hash_key" ON "session"("token_hash");

-- CreateIndex
CREATE INDEX "session_user_id_idx" ON "session"("user_id");

-- CreateIndex
CREATE UNIQUE INDEX "api_key_token_hash_key" ON "api_key"("token_hash");

-- CreateIndex
CREATE INDEX "api_key_environment_id_idx" ON "api_key"("environment_id");

-- CreateIndex
CREATE INDEX "workflow_workspace_id_idx" ON "workflow"("workspace_id");

-- CreateIndex
CREATE INDEX "deployment_workspace_id_idx" ON "deployment"("workspace_id");

-- CreateIndex
CREATE INDEX "deployment_workflow_id_published_version_idx" ON "deployment"("workflow_id", "published_version");

-- CreateIndex
CREATE INDEX "conversation_environment_id_updated_at_id_idx" ON "conversation"("environment_id", "updated_at", "id");

-- CreateIndex
CREATE INDEX "conversation_meta_labels_idx" ON "conversation" USING GIN ("meta_labels");

-- CreateIndex
CREATE INDEX "conversation_deployment_id_environment_id_updated_at_id_idx" ON "conversation"("deployment_id", "environment_id", "updated_at", "id");

-- CreateIndex
CREATE INDEX "run_conversation_id_created_at_idx" ON "run"("conversation_id", "created_at");

-- CreateIndex
CREATE INDEX "run_running_lease" ON "run"("lease_expires_at") WHERE (status = 'running');

-- CreateIndex
CREATE UNIQUE INDEX "run_one_active_per_conversation" ON "run"("conversation_id") WHERE (status IN ('running', 'waiting_for_client_action'));

-- CreateIndex
CREATE INDEX "timeline_item_conversation_id_id_idx" ON "timeline_item"("conversation_id", "id");

-- CreateIndex
CREATE INDEX "timeline_item_messages" ON "timeline_item"("conversation_id", "id") WHERE (kind = 'message');

-- CreateIndex
CREATE INDEX "timeline_item_conversation_id_revision_idx" ON "timeline_item"("conversation_id", "revision");

-- CreateIndex
CREATE INDEX "timeline_item_run_id_idx" ON "timeline_item"("run_id");

-- CreateIndex
CREATE UNIQUE INDEX "timeline_item_conversation_id_call_id_key" ON "timeline_item"("conversation_id", "call_id");

-- CreateIndex
CREATE INDEX "trigger_deployment_id_environment_id_created_at_id_idx" ON "trigger"("deployment_id", "environment_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "trigger_conversation_id_idx" ON "trigger"("conversation_id");

-- CreateIndex
CREATE INDEX "trigger_workflow_log_id_idx" ON "trigger"("workflow_log_id");

-- CreateIndex
CREATE INDEX "workflow_log_environment_id_created_at_id_idx" ON "workflow_log"("environment_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "workflow_log_conversation_id_idx" ON "workflow_log"("conversation_id");

-- CreateIndex
CREATE INDEX "workflow_log_run_id_idx" ON "workflow_log"("run_id");

-- CreateIndex
CREATE INDEX "workflow_log_trigger_id_idx" ON "workflow_log"("trigger_id");

-- CreateIndex
CREATE INDEX "resource_environment_id_created_at_id_idx" ON "resource"("environment_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "resource_environment_id_type_created_at_id_idx" ON "resource"("environment_id", "type", "created_at", "id");

-- CreateIndex
CREATE INDEX "event_environment_id_occurred_at_id_idx" ON "event"("environment_id", "occurred_at", "id");

-- CreateIndex
CREATE INDEX "event_environment_id_type_occurred_at_id_idx" ON "event"("environment_id", "type", "occurred_at", "id");

-- CreateIndex
CREATE INDEX "event_environment_id_resource_id_occurred_at_id_idx" ON "event"("environment_id", "resource_id", "occurred_at", "id");

-- CreateIndex
CREATE INDEX "event_environment_id_xid_id_idx" ON "event"("environment_id", "xid", "id");

-- CreateIndex
CREATE INDEX "integration_environment_id_idx" ON "integration"("environment_id");

-- CreateIndex
CREATE INDEX "webhook_endpoint_environment_id_idx" ON "webhook_endpoint"("environment_id");

-- CreateIndex
CREATE INDEX "webhook_delivery_event_id_idx" ON "webhook_delivery"("event_id");

-- CreateIndex
CREATE INDEX "webhook_delivery_due" ON "webhook_delivery"("next_attempt_at") WHERE (status = 'pending');

-- CreateIndex
CREATE UNIQUE INDEX "webhook_delivery_endpoint_id_event_id_key" ON "webhook_delivery"("endpoint_id", "event_id");

-- CreateIndex
CREATE INDEX "idempotency_record_expires_at_idx" ON "idempotency_record"("expires_at");

-- AddForeignKey
ALTER TABLE "environment" ADD CONSTRAINT "environment_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspace"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "membership" ADD CONSTRAINT "membership_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspace"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "membership" ADD CONSTRAINT "membership_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "user_account"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "session" ADD CONSTRAINT "session_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "user_account"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "session" ADD CONSTRAINT "session_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspace"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "api_key" ADD CONSTRAINT "api_key_environment_id_fkey" FOREIGN KEY ("environment_id") REFERENCES "environment"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "workflow" ADD CONSTRAINT "workflow_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspace"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "workflow_version" ADD CONSTRAINT "workflow_version_workflow_id_fkey" FOREIGN KEY ("workflow_id") REFERENCES "workflow"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "deployment" ADD CONSTRAINT "deployment_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspace"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "deployment" ADD CONSTRAINT "deployment_workflow_id_fkey" FOREIGN KEY ("workflow_id") REFERENCES "workflow"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "deployment" ADD CONSTRAINT "deployment_workflow_id_published_version_fkey" FOREIGN KEY ("workflow_id", "published_version") REFERENCES "workflow_version"("workflow_id", "number") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "conversation" ADD CONSTRAINT "conversation_environment_id_fkey" FOREIGN KEY ("environment_id") REFERENCES "environment"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "conversation" ADD CONSTRAINT "conversation_deployment_id_fkey" FOREIGN KEY ("deployment_id") REFERENCES "deployment"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "conversation" ADD CONSTRAINT "conversation_latest_run_id_fkey" FOREIGN KEY ("latest_run_id") REFERENCES "run"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "run" ADD CONSTRAINT "run_conversation_id_fkey" FOREIGN KEY ("conversation_id") REFERENCES "conversation"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "timeline_item" ADD CONSTRAINT "timeline_item_conversation_id_fkey" FOREIGN KEY ("conversation_id") REFERENCES "conversation"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "timeline_item" ADD CONSTRAINT "timeline_item_run_id_fkey" FOREIGN KEY ("run_id") REFERENCES "run"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "trigger" ADD CONSTRAINT "trigger_environment_id_fkey" FOREIGN KEY ("environment_id") REFERENCES "environment"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "trigger" ADD CONSTRAINT "trigger_deployment_id_fkey" FOREIGN KEY ("deployment_id") REFERENCES "deployment"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "trigger" ADD CONSTRAINT "trigger_workflow_id_fkey" FOREIGN KEY ("workflow_id") REFERENCES "workflow"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "trigger" ADD CONSTRAINT "trigger_conversation_id_fkey" FOREIGN KEY ("conversation_id") REFERENCES "conversation"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "trigger" ADD CONSTRAINT "trigger_workflow_log_id_fkey" FOREIGN KEY ("workflow_log_id") REFERENCES "workflow_log"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "workflow_log" ADD CONSTRAINT "workflow_log_deployment_id_fkey" FOREIGN KEY ("deployment_id") REFERENCES "deployment"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "workflow_log" ADD CONSTRAINT "workflow_log_conversation_id_fkey" FOREIGN KEY ("conversation_id") REFERENCES "conversation"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "workflow_log" ADD CONSTRAINT "workflow_log_run_id_fkey" FOREIGN KEY ("run_id") REFERENCES "run"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "workflow_log" ADD CONSTRAINT "workflow_log_trigger_id_fkey" FOREIGN KEY ("trigger_id") REFERENCES "trigger"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "resource" ADD CONSTRAINT "resource_environment_id_fkey" FOREIGN KEY ("environment_id") REFERENCES "environment"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "event" ADD CONSTRAINT "event_environment_id_fkey" FOREIGN KEY ("environment_id") REFERENCES "environment"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "integration" ADD CONSTRAINT "integration_environment_id_fkey" FOREIGN KEY ("environment_id") REFERENCES "environment"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "webhook_endpoint" ADD CONSTRAINT "webhook_endpoint_environment_id_fkey" FOREIGN KEY ("environment_id") REFERENCES "environment"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "webhook_delivery" ADD CONSTRAINT "webhook_delivery_environment_id_fkey" FOREIGN KEY ("environment_id") REFERENCES "environment"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "webhook_delivery" ADD CONSTRAINT "webhook_delivery_endpoint_id_fkey" FOREIGN KEY ("endpoint_id") REFERENCES "webhook_endpoint"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "webhook_delivery" ADD CONSTRAINT "webhook_delivery_event_id_fkey" FOREIGN KEY ("event_id") REFERENCES "event"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "idempotency_record" ADD CONSTRAINT "idempotency_record_environment_id_fkey" FOREIGN KEY ("environment_id") REFERENCES "environment"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- What Prisma cannot say ---------------------------------------------------------------------------

-- States that must not exist.
ALTER TABLE "conversation" ADD CONSTRAINT "conversation_completed_has_time"
  CHECK ((status = 'completed') = (completed_at IS NOT NULL));
ALTER TABLE "run" ADD CONSTRAINT "run_running_has_lease"
  CHECK (status <> 'running' OR (lease_owner IS NOT NULL AND lease_expires_at IS NOT NULL));
ALTER TABLE "run" ADD CONSTRAINT "run_no_agent_run_expires"
  CHECK (status <> 'expired' OR NOT agent);
ALTER TABLE "timeline_item" ADD CONSTRAINT "timeline_item_message_has_role_and_content"
  CHECK ((kind = 'message') = (role IS NOT NULL AND content IS NOT NULL));
ALTER TABLE "timeline_item" ADD CONSTRAINT "timeline_item_call_has_id_name_and_status"
  CHECK (kind NOT IN ('tool', 'action', 'client_tool')
         OR (call_id IS NOT NULL AND name IS NOT NULL AND arguments IS NOT NULL AND status IS NOT NULL));
ALTER TABLE "user_account" ADD CONSTRAINT "user_account_email_folded" CHECK (email = lower(email));

-- The event log is append-only in the database too.
CREATE FUNCTION "event_is_append_only"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the event log is append-only: % is refused', TG_OP;
END;
$$;
CREATE TRIGGER "event_append_only_rows" BEFORE UPDATE OR DELETE ON "event"
  FOR EACH ROW EXECUTE FUNCTION "event_is_append_only"();
CREATE TRIGGER "event_append_only_table" BEFORE TRUNCATE ON "event"
  FOR EACH STATEMENT EXECUTE FUNCTION "event_is_append_only"();

-- A trigger's conversation is set once.
CREATE FUNCTION "trigger_conversation_is_set_once"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the conversation of trigger % is already set', OLD.id;
END;
$$;
CREATE TRIGGER "trigger_conversation_set_once" BEFORE UPDATE OF "conversation_id" ON "trigger"
  FOR EACH ROW WHEN (OLD.conversation_id IS NOT NULL AND NEW.conversation_id IS DISTINCT FROM OLD.conversation_id)
  EXECUTE FUNCTION "trigger_conversation_is_set_once"();

-- A published version never changes.
CREATE FUNCTION "workflow_version_is_immutable"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'workflow versions are immutable';
END;
$$;
CREATE TRIGGER "workflow_version_immutable" BEFORE UPDATE ON "workflow_version"
  FOR EACH ROW EXECUTE FUNCTION "workflow_version_is_immutable"();
