/** `completed`, `interrupted`, `failed` and `expired` are final. */
export const RUN_STATUSES = [
  'running',
  'waiting_for_client_action',
  'completed',
  'interrupted',
  'failed',
  'expired',
] as const;

export type RunStatus = (typeof RUN_STATUSES)[number];

/** Runs that have not ended. */
export const ACTIVE_RUN_STATUSES: readonly RunStatus[] = ['running', 'waiting_for_client_action'];

/** `completed` is permanent. */
export const CONVERSATION_STATUSES = ['active', 'completed'] as const;

export type ConversationStatus = (typeof CONVERSATION_STATUSES)[number];

export const ENVIRONMENT_KINDS = ['live', 'test'] as const;

export type EnvironmentKind = (typeof ENVIRONMENT_KINDS)[number];

/** The status of a call to a server tool, a server action or a client tool. */
export const CALL_STATUSES = ['pending', 'running', 'completed', 'failed', 'not_completed', 'cancelled'] as const;

export type CallStatus = (typeof CALL_STATUSES)[number];

/** A built-in server tool, a configured server action, or a tool that the client runs. */
export const CALL_KINDS = ['tool', 'action', 'client_tool'] as const;

export type CallKind = (typeof CALL_KINDS)[number];

/** Items of a timeline that a caller gets only on request. */
export const HISTORY_INCLUDES = ['summaries', 'handling'] as const;

export type HistoryInclude = (typeof HISTORY_INCLUDES)[number];

/** The items of the active line, or those of all lines. */
export const TIMELINE_BRANCHES = ['active', 'all'] as const;

export type TimelineBranch = (typeof TIMELINE_BRANCHES)[number];

/** The items of a conversation's timeline. */
export const HISTORY_ITEM_TYPES = ['message', ...CALL_KINDS, 'conversation_completed', 'summary', 'handling'] as const;

/** The hosted page of a deployment. */
export const DEPLOYMENT_KINDS = ['chat', 'agent'] as const;

export type DeploymentKind = (typeof DEPLOYMENT_KINDS)[number];

/** What the service does with a message that arrives while a turn of its conversation is running. */
export const DOUBLE_TEXT_POLICIES = ['reject', 'enqueue', 'interrupt'] as const;

export type DoubleTextPolicy = (typeof DOUBLE_TEXT_POLICIES)[number];

/** The events of the feed of a conversation's turns. */
export const TURN_EVENTS = [
  'turn.started',
  'reasoning.delta',
  'text.delta',
  'step.restarted',
  'item',
  'items.superseded',
  'turn.paused',
  'turn.ended',
] as const;

/** Who answers the messages of a conversation's user: the assistant, nobody until a person comes, or a member. */
export const HANDLING_MODES = ['assistant', 'waiting', 'member'] as const;

export type HandlingMode = (typeof HANDLING_MODES)[number];

/** What happens at the deadline of a conversation that waits for a person: it returns to the assistant, or it stays. */
export const HANDLING_EXPIRIES = ['return', 'keep'] as const;

export type HandlingExpiry = (typeof HANDLING_EXPIRIES)[number];

/** How soon a person is needed. */
export const URGENCIES = ['low', 'normal', 'high'] as const;

export type Urgency = (typeof URGENCIES)[number];

/**
 * Why the handling of a conversation changed: the model called `hand_over`, turns failed, a reply was rated down, a person
 * decided, a lease expired, or nobody came in time.
 */
export const HANDLING_CAUSES = ['assistant', 'failures', 'rating', 'person', 'lease_expired', 'wait_expired'] as const;

export type HandlingCause = (typeof HANDLING_CAUSES)[number];

/** Who wrote a message for the assistant: a member of the workspace, or a person of a connected system with an API key. */
export const AUTHOR_KINDS = ['member', 'api_key'] as const;

export type AuthorKind = (typeof AUTHOR_KINDS)[number];

/** Who is in a conversation now: a person who can answer for the assistant, or its user. */
export const PRESENCE_KINDS = [...AUTHOR_KINDS, 'user'] as const;

export type PresenceKind = (typeof PRESENCE_KINDS)[number];

/** What happens to a running turn when a person takes the conversation over: it stops, or the person waits for it. */
export const TAKE_OVER_POLICIES = ['stop', 'wait'] as const;

/** What happens to a streamed v1 reply whose reader disconnects. */
export const READER_GONE_POLICIES = ['stop', 'continue'] as const;

export type ReaderGonePolicy = (typeof READER_GONE_POLICIES)[number];

/** What a caller without credentials solves before a start. */
export const START_CHALLENGES = ['off', 'proof_of_work', 'provider'] as const;

export type StartChallenge = (typeof START_CHALLENGES)[number];

/** What happens to a turn whose process dies: it ends, or another process continues it. */
export const RECOVERY_MODES = ['settle', 'continue'] as const;

/** What the model receives of the conversation: the latest message pairs, or a summary and everything after it. */
export const CONTEXT_POLICIES = ['window', 'compact'] as const;

/** Whether clients get the reasoning of the model. */
export const REASONING_MODES = ['off', 'shown'] as const;

/** How long the model thinks before it replies. */
export const REASONING_EFFORTS = ['low', 'medium', 'high'] as const;

export type ReasoningEffort = (typeof REASONING_EFFORTS)[number];

/** Which calls of a server tool wait for an approval. */
export const APPROVAL_MODES = ['never', 'always', 'when'] as const;

/** Who can approve a call: callers other than members, signed-in members, or both. */
export const APPROVERS = ['client', 'member', 'either'] as const;

export type Approver = (typeof APPROVERS)[number];

/** What happens to a call that nobody answers in time: its run is cancelled, the call fails, or it gets an output. */
export const EXPIRY_MODES = ['cancel', 'deny', 'default'] as const;

/** Who can answer a call of a client tool: the client of the conversation, or a signed-in member. */
export const CALL_ANSWERERS = ['client', 'member'] as const;

export type CallAnswerer = (typeof CALL_ANSWERERS)[number];

/** When the model can call a client tool: only if the request advertises it, or always. */
export const TOOL_AVAILABILITIES = ['when_connected', 'always'] as const;

export const MESSAGE_ROLES = ['user', 'assistant'] as const;

export type MessageRole = (typeof MESSAGE_ROLES)[number];

/** What a user thinks of a reply. */
export const RATING_VALUES = ['up', 'down'] as const;

export type RatingValue = (typeof RATING_VALUES)[number];

/** What can depend on a workflow, a deployment, a trigger, a model price or a time zone. */
export const DEPENDANT_KINDS = [
  'deployment',
  'conversation',
  'trigger',
  'api_key',
  'end_user_issuer',
  'budget',
] as const;

export type DependantKind = (typeof DEPENDANT_KINDS)[number];

/** How a turn or one-shot run ended, in the workflow log. */
export const TURN_OUTCOMES = ['completed', 'waiting_for_client_action', 'interrupted', 'failed'] as const;

export type TurnOutcome = (typeof TURN_OUTCOMES)[number];

/**
 * Why a reply ended. `max_steps`: the round used all its steps, so the model replied without tools. `stopped`: the turn
 * was stopped. `budget`: the next step could have cost more than a budget has left.
 */
export const FINISH_REASONS = ['stop', 'length', 'content_filter', 'max_steps', 'stopped', 'budget'] as const;

export type FinishReason = (typeof FINISH_REASONS)[number];

/** Dimensions that a usage report can group by. */
export const USAGE_GROUPS = ['day', 'deployment', 'version', 'model', 'end_user'] as const;

export type UsageGroup = (typeof USAGE_GROUPS)[number];

/** Dimensions that a report of ratings can group by. */
export const RATING_GROUPS = ['day', 'deployment', 'version'] as const;

export type RatingGroup = (typeof RATING_GROUPS)[number];

/** The status of a webhook message: pending until it is delivered or its last attempt failed. */
export const DELIVERY_STATUSES = ['pending', 'delivered', 'failed'] as const;

export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** Why a webhook endpoint is disabled: on request, because every attempt failed for days, or because it responded with 410. */
export const WEBHOOK_DISABLED_REASONS = ['requested', 'failing', 'gone'] as const;

export type WebhookDisabledReason = (typeof WEBHOOK_DISABLED_REASONS)[number];

/** The protocol of an integration. */
export const INTEGRATION_KINDS = ['mcp', 'http'] as const;

export type IntegrationKind = (typeof INTEGRATION_KINDS)[number];

/** Request methods of an HTTP action. */
export const HTTP_METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

/** The kind of backend that runs an action or a built-in server tool. */
export type ActionSource = 'http' | 'mcp' | 'resource' | 'file';

/** The operation of a published document. */
export const DOCUMENT_KINDS = ['query', 'mutation'] as const;

export type DocumentKind = (typeof DOCUMENT_KINDS)[number];

/** Events of resources and integrations. Readers get only these by default. */
export const CHANGE_EVENT_TYPES = [
  'resource.created',
  'resource.updated',
  'resource.deleted',
  'integration.connected',
  'integration.disconnected',
] as const;

/** Events of runs, conversations, triggers and budgets. Readers get them on request. */
export const LIFECYCLE_EVENT_TYPES = [
  'run.started',
  'run.waiting',
  'run.completed',
  'run.failed',
  'run.interrupted',
  'conversation.completed',
  'conversation.handed_over',
  'conversation.taken',
  'conversation.handed_back',
  'conversation.message_received',
  'trigger.used',
  'budget.warned',
  'budget.reached',
] as const;

export type LifecycleEventType = (typeof LIFECYCLE_EVENT_TYPES)[number];

/** Event types of the log. The list is closed, so that filters can reject unknown types. */
export const EVENT_TYPES = [...CHANGE_EVENT_TYPES, ...LIFECYCLE_EVENT_TYPES] as const;

export type EventType = (typeof EVENT_TYPES)[number];

/** The type of a test message to a webhook endpoint. It has no event. */
export const TEST_MESSAGE_TYPE = 'webhook.test';

/** The types of messages to webhook endpoints. */
export const WEBHOOK_MESSAGE_TYPES = [...EVENT_TYPES, TEST_MESSAGE_TYPE] as const;

/** The events of a streamed reply. */
export const REPLY_EVENTS = ['start', 'delta', 'done'] as const;

/** Trusted documents: not used, accepted by ID as well, or required. */
export const TRUST_MODES = ['off', 'prefer', 'only'] as const;

export type TrustMode = (typeof TRUST_MODES)[number];

/** The period of a budget. A day and a month begin in the time zone of the environment. */
export const BUDGET_PERIODS = ['total', 'day', 'month'] as const;

export type BudgetPeriod = (typeof BUDGET_PERIODS)[number];

/**
 * What happens when a budget is used up: new steps are refused, running steps are stopped too, or the turn waits until a
 * member raises the budget.
 */
export const BUDGET_REACHED_POLICIES = ['refuse', 'stop', 'pause'] as const;

export type BudgetReachedPolicy = (typeof BUDGET_REACHED_POLICIES)[number];

/** What a budget limits. */
export const BUDGET_UNITS = ['money', 'tokens'] as const;

export type BudgetUnit = (typeof BUDGET_UNITS)[number];

/** What a budget applies to. */
export const BUDGET_PLACES = ['environment', 'deployment', 'end_user', 'visitors', 'conversation', 'run'] as const;

export type BudgetPlace = (typeof BUDGET_PLACES)[number];
