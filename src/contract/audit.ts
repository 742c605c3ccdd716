/** What the audit log tells of. */
export const AUDIT_ACTIONS = [
  'session.created',
  'session.refused',
  'session.used',
  'session.revoked',
  'password.changed',
  'api_key.created',
  'api_key.used',
  'api_key.rotated',
  'api_key.revoked',
  'workflow.trigger_settings_changed',
  'model_price.set',
  'model_price.removed',
  'resource.deleted',
  'integration.connected',
  'integration.updated',
  'integration.disconnected',
  'webhook_endpoint.created',
  'webhook_endpoint.updated',
  'webhook_endpoint.secret_rotated',
  'webhook_endpoint.deleted',
] as const;

export type AuditAction = (typeof AUDIT_ACTIONS)[number];
