/** SPEC 3. Nothing leaves `completed`, `interrupted`, `failed` or `expired`. */
export const RUN_STATUSES = [
  'running',
  'waiting_for_client_action',
  'completed',
  'interrupted',
  'failed',
  'expired',
] as const;

export type RunStatus = (typeof RUN_STATUSES)[number];

/** SPEC 3. `completed` is permanent. */
export const CONVERSATION_STATUSES = ['active', 'completed'] as const;

export type ConversationStatus = (typeof CONVERSATION_STATUSES)[number];

export const ENVIRONMENT_KINDS = ['live', 'test'] as const;

export type EnvironmentKind = (typeof ENVIRONMENT_KINDS)[number];

/** What became of a tool call: of a server tool or action, or of a client tool. */
export const CALL_STATUSES = ['pending', 'running', 'completed', 'failed', 'not_completed', 'cancelled'] as const;

export type CallStatus = (typeof CALL_STATUSES)[number];

/** A server tool built in, a configured server action, or a tool that the client runs. */
export const CALL_KINDS = ['tool', 'action', 'client_tool'] as const;

export type CallKind = (typeof CALL_KINDS)[number];

/** Which hosted page a deployment is made for. */
export const DEPLOYMENT_KINDS = ['chat', 'agent'] as const;

export type DeploymentKind = (typeof DEPLOYMENT_KINDS)[number];

/** What becomes of a message that comes while a turn of its conversation is still running. */
export const DOUBLE_TEXT_POLICIES = ['reject', 'enqueue', 'interrupt'] as const;

export type DoubleTextPolicy = (typeof DOUBLE_TEXT_POLICIES)[number];

/** When a client tool may be called (SPEC 2): only where the request advertises it, or always. */
export const TOOL_AVAILABILITIES = ['when_connected', 'always'] as const;

export const MESSAGE_ROLES = ['user', 'assistant'] as const;

export type MessageRole = (typeof MESSAGE_ROLES)[number];

/** How a turn or a one-shot run ended, as the workflow log has it. */
export const TURN_OUTCOMES = ['completed', 'waiting_for_client_action', 'interrupted', 'failed'] as const;

export type TurnOutcome = (typeof TURN_OUTCOMES)[number];

/** What usage is told apart by. */
export const USAGE_GROUPS = ['day', 'deployment', 'model'] as const;

export type UsageGroup = (typeof USAGE_GROUPS)[number];

/** What became of a message to a webhook endpoint; pending until it is delivered or its last attempt has failed. */
export const DELIVERY_STATUSES = ['pending', 'delivered', 'failed'] as const;

export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** What an integration speaks. */
export const INTEGRATION_KINDS = ['mcp', 'http'] as const;

export type IntegrationKind = (typeof INTEGRATION_KINDS)[number];

/** How an HTTP action asks. */
export const HTTP_METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

/** What runs an action or a built-in server tool. */
export type ActionSource = 'http' | 'mcp' | 'resource';
