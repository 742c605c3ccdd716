/**
 * How `parley distribute` spreads the tables over the servers of Citus. `environment_id` is the distribution column: all rows
 * of an environment are on one server. docs/scale.md says what is missing.
 */
export const DISTRIBUTION_COLUMN = 'environment_id';

/** Small tables that every server has a copy of. They belong to the service or to a workspace, and change rarely. */
export const REFERENCE_TABLES = [
  'api_key',
  'authorization_record',
  'connected_app',
  'deployment',
  'deployment_logo',
  'end_user_issuer',
  'environment',
  'invitation',
  'membership',
  'model_price',
  'password_reset',
  'recovery_code',
  'registered_app',
  'retention',
  'second_factor',
  'session',
  'sign_in_domain',
  'sign_in_ticket',
  'sso_identity',
  'sso_provider',
  'used_sign_in_state',
  'user_account',
  'workflow',
  'workflow_version',
  'workspace',
] as const;

/**
 * Tables of one server: the coordinator. The audit log has a workspace, and only members who administer read it. A token of
 * an end user does not name its environment, and a JWT is checked against all issuers.
 */
export const LOCAL_TABLES = [
  '_prisma_migrations',
  'audit_entry',
  'end_user_token',
  'outgoing_mail',
  'rate_limit',
  'revoked_end_user',
] as const;

/** Tables whose rows are spread by environment. */
export const DISTRIBUTED_TABLES = [
  'budget',
  'budget_reservation',
  'conversation',
  'conversation_count',
  'conversation_note',
  'conversation_presence',
  'document_calls',
  'document_version',
  'event',
  'file',
  'file_content',
  'file_removal',
  'file_use',
  'idempotency_record',
  'integration',
  'live_text',
  'published_document',
  'queued_turn',
  'resource',
  'run',
  'saved_view',
  'timeline_item',
  'trace_span',
  'trigger',
  'webhook_attempt',
  'webhook_delivery',
  'webhook_endpoint',
  'webhook_replay',
  'workflow_log',
] as const;
