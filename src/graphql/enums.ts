import { AUDIT_ACTIONS } from '../contract/audit.ts';
import { CONTENT_PART_TYPES } from '../contract/content.ts';
import { ROLES } from '../contract/roles.ts';
import { SCOPES } from '../contract/scopes.ts';
import {
  CALL_STATUSES,
  CONVERSATION_STATUSES,
  DELIVERY_STATUSES,
  DEPLOYMENT_KINDS,
  DOUBLE_TEXT_POLICIES,
  ENVIRONMENT_KINDS,
  INTEGRATION_KINDS,
  MESSAGE_ROLES,
  RUN_STATUSES,
  TOOL_AVAILABILITIES,
  TURN_OUTCOMES,
  USAGE_GROUPS,
} from '../contract/statuses.ts';
import { builder } from './builder.ts';
import { valuesOf } from './enum-values.ts';

/** Enum values are the wire's own words, so that both doors and the database say the same. */
export const ConversationStatusEnum = builder.enumType('ConversationStatus', {
  description: 'Whether a conversation still takes turns.',
  values: valuesOf(CONVERSATION_STATUSES, {
    active: 'It takes turns.',
    completed: 'It is over for ever: every further turn is refused.',
  }),
});

export const RunStatusEnum = builder.enumType('RunStatus', {
  description: 'Where a turn stands. Nothing leaves completed, interrupted, failed or expired.',
  values: valuesOf(RUN_STATUSES, {
    running: 'The model, or a tool that the server runs, is at work.',
    waiting_for_client_action: 'Its client has calls to answer: see `pendingActions`.',
    completed: 'It has ended with a reply.',
    interrupted: 'It was stopped, or broke off after results had been accepted; they are kept for the next turn.',
    failed: 'The model failed or took too long, or the process died, before any result was accepted.',
    expired: 'A legacy run whose client did not answer in time.',
  }),
});

export const MessageRoleEnum = builder.enumType('MessageRole', {
  description: 'Who wrote a message.',
  values: valuesOf(MESSAGE_ROLES, {
    user: 'Whoever talks to the assistant.',
    assistant: 'The model.',
  }),
});

export const CallStatusEnum = builder.enumType('CallStatus', {
  description: 'What became of a call. A client tool is pending until its result is sent.',
  values: valuesOf(CALL_STATUSES, {
    pending: 'A client tool whose result has not been sent yet.',
    running: 'The server is carrying it out.',
    completed: 'It has a result.',
    failed: 'It ended with an error, which the model was told.',
    not_completed: 'A request to complete the conversation whose conditions did not hold.',
    cancelled: 'Its run ended before a result came.',
  }),
});

export const ContentPartTypeEnum = builder.enumType('ContentPartType', {
  description: 'image, video and audio are url with a hint; data is a file inline.',
  values: valuesOf(CONTENT_PART_TYPES, {
    text: 'Words, in `text`.',
    url: 'A file of any type, by its address.',
    image: 'The same, of which the type is known to be an image.',
    video: 'The same for a video.',
    audio: 'The same for a recording.',
    data: 'A file inline, in base64.',
  }),
});

export const DeploymentKindEnum = builder.enumType('DeploymentKind', {
  description: 'Which hosted page a deployment is made for.',
  values: valuesOf(DEPLOYMENT_KINDS, {
    chat: 'The hosted chat: ordinary conversations.',
    agent: 'The hosted agent: conversations with client tools.',
  }),
});

export const DoubleTextPolicyEnum = builder.enumType('DoubleTextPolicy', {
  description: 'What becomes of a message that comes while a turn of its conversation is still running.',
  values: valuesOf(DOUBLE_TEXT_POLICIES, {
    reject: 'It is refused as `run_in_progress`.',
    enqueue: 'It waits for its turn, behind at most nine others.',
    interrupt: 'It stops the running turn, whose text so far is kept, and comes next.',
  }),
});

export const ToolAvailabilityEnum = builder.enumType('ToolAvailability', {
  description: 'When a client tool may be called: only where the request advertises it, or always.',
  values: valuesOf(TOOL_AVAILABILITIES, {
    when_connected: 'Only in turns whose request names it in `clientCapabilities`.',
    always: 'In every turn, whether a client says that it is connected or not.',
  }),
});

export const EnvironmentKindEnum = builder.enumType('EnvironmentKind', {
  description: 'One of the two environments of a workspace: nothing of one is seen from the other.',
  values: valuesOf(ENVIRONMENT_KINDS, {
    live: 'What customers use; keys begin with `sk_live_`.',
    test: 'For trying things out; keys begin with `sk_test_`.',
  }),
});

export const RoleEnum = builder.enumType('Role', {
  description:
    'What a member is: owner and admin may do everything, developer all but manage keys, viewer what ends in read.',
  values: valuesOf(ROLES, {
    owner: 'Every scope, and the only one to make, change and remove owners.',
    admin: 'Every scope, and members and invitations other than owners.',
    developer: 'Every scope but `keys:manage`.',
    viewer: 'Every scope that ends in `:read`.',
  }),
});

/** Written with a colon on the wire, which GraphQL has no enum value for. */
export const ScopeEnum = builder.scalarType('Scope', {
  description: `What a key may be allowed: one of ${SCOPES.join(', ')}. A write scope does not imply its read scope.`,
  parseValue: (value) => {
    const known = SCOPES.find((scope) => scope === value);
    if (known) return known;
    throw new TypeError(`must be one of ${SCOPES.join(', ')}`);
  },
  serialize: (value) => value,
});

/** The same: actions have a dot. */
export const AuditActionEnum = builder.scalarType('AuditAction', {
  description: `What the audit log tells of: one of ${AUDIT_ACTIONS.join(', ')}.`,
  parseValue: (value) => {
    const known = AUDIT_ACTIONS.find((action) => action === value);
    if (known) return known;
    throw new TypeError(`must be one of ${AUDIT_ACTIONS.join(', ')}`);
  },
  serialize: (value) => value,
});

export const TurnOutcomeEnum = builder.enumType('TurnOutcome', {
  description: 'How a turn or a one-shot run ended, or that it paused for its client.',
  values: valuesOf(TURN_OUTCOMES, {
    completed: 'It ended with a reply.',
    waiting_for_client_action: 'It paused for its client; what follows is logged by its own line.',
    interrupted: 'It was stopped, or broke off after results had been accepted.',
    failed: 'The model failed or took too long, or the process died.',
  }),
});

export const UsageGroupEnum = builder.enumType('UsageGroup', {
  description: 'What usage can be told apart by.',
  values: valuesOf(USAGE_GROUPS, {
    day: 'By the day, in UTC, on which it was logged.',
    deployment: 'By the deployment that ran it.',
    model: 'By the model that was asked.',
  }),
});

export const DeliveryStatusEnum = builder.enumType('WebhookDeliveryStatus', {
  description: 'Where a message to an endpoint stands. pending: it is being sent, or waits for its next attempt.',
  values: valuesOf(DELIVERY_STATUSES, {
    pending: 'It is being sent, or waits for its first or next attempt.',
    delivered: 'An attempt was answered with 2xx.',
    failed: 'Its last attempt has failed; it can be replayed.',
  }),
});

export const IntegrationKindEnum = builder.enumType('IntegrationKind', {
  description: 'What is at the address: mcp is a server of the Model Context Protocol, http any API.',
  values: valuesOf(INTEGRATION_KINDS, {
    mcp: 'A server of the Model Context Protocol, over streamable HTTP.',
    http: 'Any API over HTTP, for actions.',
  }),
});
