-- Every key of an environment's rows begins with the environment, and every foreign key compares it. So no row can refer to
-- another environment, and an environment's rows are together in each index. The indexes exist, and the foreign keys are
-- validated later: this changes only the catalog. It locks the tables in the order in which requests lock them.

ALTER TABLE "revoked_end_user" DROP CONSTRAINT "revoked_end_user_environment_id_fkey";
ALTER TABLE "idempotency_record" DROP CONSTRAINT "idempotency_record_environment_id_fkey";
ALTER TABLE "conversation" DROP CONSTRAINT "conversation_environment_id_fkey";
ALTER TABLE "conversation" DROP CONSTRAINT "conversation_latest_run_id_fkey";
ALTER TABLE "queued_turn" DROP CONSTRAINT "queued_turn_conversation_id_fkey";
ALTER TABLE "run" DROP CONSTRAINT "run_conversation_id_fkey";
ALTER TABLE "timeline_item" DROP CONSTRAINT "timeline_item_conversation_id_fkey";
ALTER TABLE "timeline_item" DROP CONSTRAINT "timeline_item_run_id_fkey";
ALTER TABLE "live_text" DROP CONSTRAINT "live_text_run_id_fkey";
ALTER TABLE "trace_span" DROP CONSTRAINT "trace_span_run_id_fkey";
ALTER TABLE "file_content" DROP CONSTRAINT "file_content_environment_id_fkey";
ALTER TABLE "file" DROP CONSTRAINT "file_content_id_fkey";
ALTER TABLE "file" DROP CONSTRAINT "file_environment_id_fkey";
ALTER TABLE "file_use" DROP CONSTRAINT "file_use_conversation_id_fkey";
ALTER TABLE "file_use" DROP CONSTRAINT "file_use_file_id_fkey";
ALTER TABLE "file_use" DROP CONSTRAINT "file_use_trigger_id_fkey";
ALTER TABLE "trigger" DROP CONSTRAINT "trigger_environment_id_fkey";
ALTER TABLE "trigger" DROP CONSTRAINT "trigger_workflow_log_id_fkey";
ALTER TABLE "workflow_log" DROP CONSTRAINT "workflow_log_conversation_id_fkey";
ALTER TABLE "workflow_log" DROP CONSTRAINT "workflow_log_run_id_fkey";
ALTER TABLE "workflow_log" DROP CONSTRAINT "workflow_log_trigger_id_fkey";
ALTER TABLE "resource" DROP CONSTRAINT "resource_environment_id_fkey";
ALTER TABLE "integration" DROP CONSTRAINT "integration_environment_id_fkey";
ALTER TABLE "webhook_endpoint" DROP CONSTRAINT "webhook_endpoint_environment_id_fkey";
ALTER TABLE "webhook_delivery" DROP CONSTRAINT "webhook_delivery_endpoint_id_fkey";
ALTER TABLE "webhook_delivery" DROP CONSTRAINT "webhook_delivery_environment_id_fkey";
ALTER TABLE "webhook_delivery" DROP CONSTRAINT "webhook_delivery_event_id_fkey";
ALTER TABLE "webhook_replay" DROP CONSTRAINT "webhook_replay_endpoint_id_fkey";
ALTER TABLE "webhook_replay" DROP CONSTRAINT "webhook_replay_environment_id_fkey";
ALTER TABLE "webhook_attempt" DROP CONSTRAINT "webhook_attempt_delivery_id_fkey";
ALTER TABLE "webhook_attempt" DROP CONSTRAINT "webhook_attempt_environment_id_fkey";
ALTER TABLE "saved_view" DROP CONSTRAINT "saved_view_environment_id_fkey";
ALTER TABLE "published_document" DROP CONSTRAINT "published_document_environment_id_fkey";
ALTER TABLE "document_version" DROP CONSTRAINT "document_version_document_id_fkey";
ALTER TABLE "document_version" DROP CONSTRAINT "document_version_environment_id_fkey";
ALTER TABLE "document_calls" DROP CONSTRAINT "document_calls_document_id_fkey";
ALTER TABLE "document_calls" DROP CONSTRAINT "document_calls_environment_id_fkey";

ALTER TABLE "conversation" DROP CONSTRAINT "conversation_pkey",
  ADD CONSTRAINT "conversation_pkey" PRIMARY KEY USING INDEX "conversation_environment_key";
ALTER TABLE "queued_turn" DROP CONSTRAINT "queued_turn_pkey",
  ADD CONSTRAINT "queued_turn_pkey" PRIMARY KEY USING INDEX "queued_turn_environment_key";
ALTER TABLE "run" DROP CONSTRAINT "run_pkey",
  ADD CONSTRAINT "run_pkey" PRIMARY KEY USING INDEX "run_environment_key";
ALTER TABLE "timeline_item" DROP CONSTRAINT "timeline_item_pkey",
  ADD CONSTRAINT "timeline_item_pkey" PRIMARY KEY USING INDEX "timeline_item_environment_key";
ALTER TABLE "live_text" DROP CONSTRAINT "live_text_pkey",
  ADD CONSTRAINT "live_text_pkey" PRIMARY KEY USING INDEX "live_text_environment_key";
ALTER TABLE "trace_span" DROP CONSTRAINT "trace_span_pkey",
  ADD CONSTRAINT "trace_span_pkey" PRIMARY KEY USING INDEX "trace_span_environment_key";
ALTER TABLE "file_content" DROP CONSTRAINT "file_content_pkey",
  ADD CONSTRAINT "file_content_pkey" PRIMARY KEY USING INDEX "file_content_environment_key";
ALTER TABLE "file" DROP CONSTRAINT "file_pkey",
  ADD CONSTRAINT "file_pkey" PRIMARY KEY USING INDEX "file_environment_key";
ALTER TABLE "file_use" DROP CONSTRAINT "file_use_pkey",
  ADD CONSTRAINT "file_use_pkey" PRIMARY KEY USING INDEX "file_use_environment_key";
ALTER TABLE "file_removal" DROP CONSTRAINT "file_removal_pkey",
  ADD CONSTRAINT "file_removal_pkey" PRIMARY KEY USING INDEX "file_removal_environment_key";
ALTER TABLE "trigger" DROP CONSTRAINT "trigger_pkey",
  ADD CONSTRAINT "trigger_pkey" PRIMARY KEY USING INDEX "trigger_environment_key";
ALTER TABLE "resource" DROP CONSTRAINT "resource_pkey",
  ADD CONSTRAINT "resource_pkey" PRIMARY KEY USING INDEX "resource_environment_key";
ALTER TABLE "integration" DROP CONSTRAINT "integration_pkey",
  ADD CONSTRAINT "integration_pkey" PRIMARY KEY USING INDEX "integration_environment_key";
ALTER TABLE "webhook_endpoint" DROP CONSTRAINT "webhook_endpoint_pkey",
  ADD CONSTRAINT "webhook_endpoint_pkey" PRIMARY KEY USING INDEX "webhook_endpoint_environment_key";
ALTER TABLE "webhook_delivery" DROP CONSTRAINT "webhook_delivery_pkey",
  ADD CONSTRAINT "webhook_delivery_pkey" PRIMARY KEY USING INDEX "webhook_delivery_environment_key";
ALTER TABLE "webhook_replay" DROP CONSTRAINT "webhook_replay_pkey",
  ADD CONSTRAINT "webhook_replay_pkey" PRIMARY KEY USING INDEX "webhook_replay_environment_key";
ALTER TABLE "webhook_attempt" DROP CONSTRAINT "webhook_attempt_pkey",
  ADD CONSTRAINT "webhook_attempt_pkey" PRIMARY KEY USING INDEX "webhook_attempt_environment_key";
ALTER TABLE "saved_view" DROP CONSTRAINT "saved_view_pkey",
  ADD CONSTRAINT "saved_view_pkey" PRIMARY KEY USING INDEX "saved_view_environment_key";
ALTER TABLE "published_document" DROP CONSTRAINT "published_document_pkey",
  ADD CONSTRAINT "published_document_pkey" PRIMARY KEY USING INDEX "published_document_environment_key";
ALTER TABLE "document_version" DROP CONSTRAINT "document_version_pkey",
  ADD CONSTRAINT "document_version_pkey" PRIMARY KEY USING INDEX "document_version_environment_key";
ALTER TABLE "document_calls" DROP CONSTRAINT "document_calls_pkey",
  ADD CONSTRAINT "document_calls_pkey" PRIMARY KEY USING INDEX "document_calls_environment_key";

-- PostgreSQL makes no key of an existing index of a partitioned table. It does of an index of a partition, and then takes the
-- keys of the partitions for the key of the table. Only a partition that is newer than the indexes has none.
DO $$
DECLARE
  log text;
  part regclass;
  found regclass;
BEGIN
  FOREACH log IN ARRAY ARRAY['workflow_log', 'event'] LOOP
    -- Only an embedded database has an index of the whole table.
    EXECUTE format('DROP INDEX IF EXISTS %I', log || '_environment_key');
    EXECUTE format('ALTER TABLE %I DROP CONSTRAINT %I', log, log || '_pkey');
    FOR part IN SELECT inhrelid FROM pg_inherits WHERE inhparent = log::regclass LOOP
      SELECT i.indexrelid INTO found FROM pg_index i
      WHERE i.indrelid = part AND i.indisunique AND i.indisvalid AND i.indpred IS NULL
        AND pg_get_indexdef(i.indexrelid) LIKE '% (environment_id, id)';
      EXECUTE CASE WHEN found IS NULL
        THEN format('ALTER TABLE %s ADD PRIMARY KEY (environment_id, id)', part)
        ELSE format('ALTER TABLE %s ADD CONSTRAINT %I PRIMARY KEY USING INDEX %s', part, part || '_pkey', found) END;
    END LOOP;
    EXECUTE format('ALTER TABLE %I ADD CONSTRAINT %I PRIMARY KEY (environment_id, id)', log, log || '_pkey');
  END LOOP;
END
$$;

DROP INDEX "file_use_file_id_conversation_id_key";
DROP INDEX "file_use_file_id_trigger_id_key";
DROP INDEX "run_one_active_per_conversation";
DROP INDEX "timeline_item_conversation_id_call_id_key";
ALTER INDEX "run_one_active_in_environment" RENAME TO "run_one_active_per_conversation";

ALTER TABLE "revoked_end_user" ADD CONSTRAINT "revoked_end_user_environment_id_fkey" FOREIGN KEY ("environment_id")
  REFERENCES "environment"("id") ON DELETE RESTRICT ON UPDATE NO ACTION NOT VALID;
ALTER TABLE "idempotency_record" ADD CONSTRAINT "idempotency_record_environment_id_fkey" FOREIGN KEY ("environment_id")
  REFERENCES "environment"("id") ON DELETE RESTRICT ON UPDATE NO ACTION NOT VALID;
ALTER TABLE "conversation" ADD CONSTRAINT "conversation_environment_id_fkey" FOREIGN KEY ("environment_id")
  REFERENCES "environment"("id") ON DELETE RESTRICT ON UPDATE NO ACTION NOT VALID;
ALTER TABLE "conversation" ADD CONSTRAINT "conversation_environment_id_latest_run_id_fkey" FOREIGN KEY ("environment_id", "latest_run_id")
  REFERENCES "run"("environment_id", "id") ON DELETE SET NULL ("latest_run_id") ON UPDATE NO ACTION NOT VALID;
ALTER TABLE "queued_turn" ADD CONSTRAINT "queued_turn_environment_id_conversation_id_fkey" FOREIGN KEY ("environment_id", "conversation_id")
  REFERENCES "conversation"("environment_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION NOT VALID;
ALTER TABLE "run" ADD CONSTRAINT "run_environment_id_conversation_id_fkey" FOREIGN KEY ("environment_id", "conversation_id")
  REFERENCES "conversation"("environment_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION NOT VALID;
ALTER TABLE "timeline_item" ADD CONSTRAINT "timeline_item_environment_id_conversation_id_fkey" FOREIGN KEY ("environment_id", "conversation_id")
  REFERENCES "conversation"("environment_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION NOT VALID;
ALTER TABLE "timeline_item" ADD CONSTRAINT "timeline_item_environment_id_run_id_fkey" FOREIGN KEY ("environment_id", "run_id")
  REFERENCES "run"("environment_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION NOT VALID;
ALTER TABLE "live_text" ADD CONSTRAINT "live_text_environment_id_run_id_fkey" FOREIGN KEY ("environment_id", "run_id")
  REFERENCES "run"("environment_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION NOT VALID;
ALTER TABLE "trace_span" ADD CONSTRAINT "trace_span_environment_id_run_id_fkey" FOREIGN KEY ("environment_id", "run_id")
  REFERENCES "run"("environment_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION NOT VALID;
ALTER TABLE "file_content" ADD CONSTRAINT "file_content_environment_id_fkey" FOREIGN KEY ("environment_id")
  REFERENCES "environment"("id") ON DELETE RESTRICT ON UPDATE NO ACTION NOT VALID;
ALTER TABLE "file" ADD CONSTRAINT "file_environment_id_fkey" FOREIGN KEY ("environment_id")
  REFERENCES "environment"("id") ON DELETE RESTRICT ON UPDATE NO ACTION NOT VALID;
ALTER TABLE "file" ADD CONSTRAINT "file_environment_id_content_id_fkey" FOREIGN KEY ("environment_id", "content_id")
  REFERENCES "file_content"("environment_id", "id") ON DELETE SET NULL ("content_id") ON UPDATE NO ACTION NOT VALID;
ALTER TABLE "file_use" ADD CONSTRAINT "file_use_environment_id_file_id_fkey" FOREIGN KEY ("environment_id", "file_id")
  REFERENCES "file"("environment_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION NOT VALID;
ALTER TABLE "file_use" ADD CONSTRAINT "file_use_environment_id_conversation_id_fkey" FOREIGN KEY ("environment_id", "conversation_id")
  REFERENCES "conversation"("environment_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION NOT VALID;
ALTER TABLE "file_use" ADD CONSTRAINT "file_use_environment_id_trigger_id_fkey" FOREIGN KEY ("environment_id", "trigger_id")
  REFERENCES "trigger"("environment_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION NOT VALID;
ALTER TABLE "trigger" ADD CONSTRAINT "trigger_environment_id_fkey" FOREIGN KEY ("environment_id")
  REFERENCES "environment"("id") ON DELETE RESTRICT ON UPDATE NO ACTION NOT VALID;
ALTER TABLE "trigger" ADD CONSTRAINT "trigger_environment_id_workflow_log_id_fkey" FOREIGN KEY ("environment_id", "workflow_log_id")
  REFERENCES "workflow_log"("environment_id", "id") ON DELETE SET NULL ("workflow_log_id") ON UPDATE NO ACTION NOT VALID;
ALTER TABLE "resource" ADD CONSTRAINT "resource_environment_id_fkey" FOREIGN KEY ("environment_id")
  REFERENCES "environment"("id") ON DELETE RESTRICT ON UPDATE NO ACTION NOT VALID;
ALTER TABLE "integration" ADD CONSTRAINT "integration_environment_id_fkey" FOREIGN KEY ("environment_id")
  REFERENCES "environment"("id") ON DELETE RESTRICT ON UPDATE NO ACTION NOT VALID;
ALTER TABLE "webhook_endpoint" ADD CONSTRAINT "webhook_endpoint_environment_id_fkey" FOREIGN KEY ("environment_id")
  REFERENCES "environment"("id") ON DELETE RESTRICT ON UPDATE NO ACTION NOT VALID;
ALTER TABLE "webhook_delivery" ADD CONSTRAINT "webhook_delivery_environment_id_fkey" FOREIGN KEY ("environment_id")
  REFERENCES "environment"("id") ON DELETE RESTRICT ON UPDATE NO ACTION NOT VALID;
ALTER TABLE "webhook_delivery" ADD CONSTRAINT "webhook_delivery_environment_id_endpoint_id_fkey" FOREIGN KEY ("environment_id", "endpoint_id")
  REFERENCES "webhook_endpoint"("environment_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION NOT VALID;
ALTER TABLE "webhook_delivery" ADD CONSTRAINT "webhook_delivery_environment_id_event_id_fkey" FOREIGN KEY ("environment_id", "event_id")
  REFERENCES "event"("environment_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION NOT VALID;
ALTER TABLE "webhook_replay" ADD CONSTRAINT "webhook_replay_environment_id_fkey" FOREIGN KEY ("environment_id")
  REFERENCES "environment"("id") ON DELETE RESTRICT ON UPDATE NO ACTION NOT VALID;
ALTER TABLE "webhook_replay" ADD CONSTRAINT "webhook_replay_environment_id_endpoint_id_fkey" FOREIGN KEY ("environment_id", "endpoint_id")
  REFERENCES "webhook_endpoint"("environment_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION NOT VALID;
ALTER TABLE "webhook_attempt" ADD CONSTRAINT "webhook_attempt_environment_id_fkey" FOREIGN KEY ("environment_id")
  REFERENCES "environment"("id") ON DELETE RESTRICT ON UPDATE NO ACTION NOT VALID;
ALTER TABLE "webhook_attempt" ADD CONSTRAINT "webhook_attempt_environment_id_delivery_id_fkey" FOREIGN KEY ("environment_id", "delivery_id")
  REFERENCES "webhook_delivery"("environment_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION NOT VALID;
ALTER TABLE "saved_view" ADD CONSTRAINT "saved_view_environment_id_fkey" FOREIGN KEY ("environment_id")
  REFERENCES "environment"("id") ON DELETE RESTRICT ON UPDATE NO ACTION NOT VALID;
ALTER TABLE "published_document" ADD CONSTRAINT "published_document_environment_id_fkey" FOREIGN KEY ("environment_id")
  REFERENCES "environment"("id") ON DELETE RESTRICT ON UPDATE NO ACTION NOT VALID;
ALTER TABLE "document_version" ADD CONSTRAINT "document_version_environment_id_fkey" FOREIGN KEY ("environment_id")
  REFERENCES "environment"("id") ON DELETE RESTRICT ON UPDATE NO ACTION NOT VALID;
ALTER TABLE "document_version" ADD CONSTRAINT "document_version_environment_id_document_id_fkey" FOREIGN KEY ("environment_id", "document_id")
  REFERENCES "published_document"("environment_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION NOT VALID;
ALTER TABLE "document_calls" ADD CONSTRAINT "document_calls_environment_id_fkey" FOREIGN KEY ("environment_id")
  REFERENCES "environment"("id") ON DELETE RESTRICT ON UPDATE NO ACTION NOT VALID;
ALTER TABLE "document_calls" ADD CONSTRAINT "document_calls_environment_id_document_id_fkey" FOREIGN KEY ("environment_id", "document_id")
  REFERENCES "published_document"("environment_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION NOT VALID;

-- A foreign key of a partitioned table cannot be added without reading it. Those of its partitions can, and the table takes
-- them in a later migration.
DO $$
DECLARE
  part regclass;
BEGIN
  FOR part IN SELECT inhrelid FROM pg_inherits WHERE inhparent = 'workflow_log'::regclass LOOP
    EXECUTE format('ALTER TABLE %s
      ADD CONSTRAINT "workflow_log_environment_id_conversation_id_fkey" FOREIGN KEY ("environment_id", "conversation_id")
        REFERENCES "conversation"("environment_id", "id") ON DELETE SET NULL ("conversation_id") ON UPDATE NO ACTION NOT VALID,
      ADD CONSTRAINT "workflow_log_environment_id_run_id_fkey" FOREIGN KEY ("environment_id", "run_id")
        REFERENCES "run"("environment_id", "id") ON DELETE SET NULL ("run_id") ON UPDATE NO ACTION NOT VALID,
      ADD CONSTRAINT "workflow_log_environment_id_trigger_id_fkey" FOREIGN KEY ("environment_id", "trigger_id")
        REFERENCES "trigger"("environment_id", "id") ON DELETE SET NULL ("trigger_id") ON UPDATE NO ACTION NOT VALID', part);
  END LOOP;
END
$$;
