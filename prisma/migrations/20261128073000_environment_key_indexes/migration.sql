-- parley: outside a transaction
-- The next migration makes every key of an environment's rows begin with the environment. These are its indexes.
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS "conversation_environment_key" ON "conversation"("environment_id", "id");
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS "queued_turn_environment_key" ON "queued_turn"("environment_id", "run_id");
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS "run_environment_key" ON "run"("environment_id", "id");
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS "timeline_item_environment_key" ON "timeline_item"("environment_id", "id");
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS "live_text_environment_key" ON "live_text"("environment_id", "run_id", "fence", "step", "position");
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS "trace_span_environment_key" ON "trace_span"("environment_id", "id");
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS "file_content_environment_key" ON "file_content"("environment_id", "id");
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS "file_environment_key" ON "file"("environment_id", "id");
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS "file_use_environment_key" ON "file_use"("environment_id", "id");
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS "file_removal_environment_key" ON "file_removal"("environment_id", "prefix");
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS "trigger_environment_key" ON "trigger"("environment_id", "id");
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS "workflow_log_environment_key" ON "workflow_log"("environment_id", "id");
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS "resource_environment_key" ON "resource"("environment_id", "id");
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS "integration_environment_key" ON "integration"("environment_id", "id");
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS "event_environment_key" ON "event"("environment_id", "id");
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS "webhook_endpoint_environment_key" ON "webhook_endpoint"("environment_id", "id");
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS "webhook_delivery_environment_key" ON "webhook_delivery"("environment_id", "id");
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS "webhook_replay_environment_key" ON "webhook_replay"("environment_id", "id");
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS "webhook_attempt_environment_key" ON "webhook_attempt"("environment_id", "id");
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS "saved_view_environment_key" ON "saved_view"("environment_id", "id");
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS "published_document_environment_key" ON "published_document"("environment_id", "id");
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS "document_version_environment_key" ON "document_version"("environment_id", "document_id", "number");
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS "document_calls_environment_key" ON "document_calls"("environment_id", "document_id", "day");

CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS "file_use_environment_id_file_id_conversation_id_key" ON "file_use"("environment_id", "file_id", "conversation_id");
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS "file_use_environment_id_file_id_trigger_id_key" ON "file_use"("environment_id", "file_id", "trigger_id");
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS "run_one_active_in_environment" ON "run"("environment_id", "conversation_id")
  WHERE (status = ANY (ARRAY['running'::run_status, 'waiting_for_client_action'::run_status]));
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS "timeline_item_environment_id_conversation_id_call_id_key" ON "timeline_item"("environment_id", "conversation_id", "call_id")
  WHERE call_id IS NOT NULL;
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS "webhook_delivery_environment_id_endpoint_id_event_id_key" ON "webhook_delivery"("environment_id", "endpoint_id", "event_id");

-- Public addresses have only the ID.
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS "conversation_id_key" ON "conversation"("id");
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS "trigger_id_key" ON "trigger"("id");

-- Statements of the previous release name these columns in ON CONFLICT.
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS "document_calls_document_id_day_key" ON "document_calls"("document_id", "day");
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS "file_removal_prefix_key" ON "file_removal"("prefix");
-- URLs of files that the previous release signed do not name the environment.
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS "file_id_key" ON "file"("id");
