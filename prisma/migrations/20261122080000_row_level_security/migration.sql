-- Row-level security: PostgreSQL shows the service's role only the rows of the environment, or of the
-- workspace, that the transaction names in `parley.environment` and `parley.workspace`. A statement that names nothing
-- sees no rows. The owner of the tables is not bound (no FORCE): the service acts as the owner for what concerns all
-- tenants, and so do pg_dump and processes of an earlier release.
--
-- Each policy is one equality. So the planner merges it with the statement's own condition on the same column and checks
-- it once for the statement, not once for a row.

DO $$
DECLARE
  environment CONSTANT text := $sql$nullif(current_setting('parley.environment', true), '')::uuid$sql$;
  workspace CONSTANT text := $sql$nullif(current_setting('parley.workspace', true), '')::uuid$sql$;
  protected record;
BEGIN
  FOR protected IN
    SELECT name, 'environment_id = ' || environment AS visible
    FROM unnest(ARRAY[
      'api_key', 'conversation', 'event', 'idempotency_record', 'integration', 'queued_turn', 'resource', 'retention',
      'run', 'timeline_item', 'trigger', 'webhook_attempt', 'webhook_delivery', 'webhook_endpoint', 'workflow_log'
    ]) AS name
    UNION ALL
    SELECT name, 'workspace_id = ' || workspace
    FROM unnest(ARRAY[
      'audit_entry', 'deployment', 'environment', 'invitation', 'membership', 'model_price', 'session', 'workflow'
    ]) AS name
    UNION ALL
    VALUES
      ('workspace', 'id = ' || workspace),
      -- Their rows belong to the workspace of another row. Its own policy decides.
      ('workflow_version', 'EXISTS (SELECT FROM workflow w WHERE w.id = workflow_version.workflow_id)'),
      ('user_account', 'EXISTS (SELECT FROM membership m WHERE m.user_id = user_account.id)')
  LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', protected.name);
    EXECUTE format('CREATE POLICY tenant ON %I USING (%s)', protected.name, protected.visible);
  END LOOP;
END
$$;
