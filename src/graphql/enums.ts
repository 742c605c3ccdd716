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

/** Enum values are the wire's own words, so that both doors and the database say the same. */
export const ConversationStatusEnum = builder.enumType('ConversationStatus', {
  description: 'Whether a conversation still takes turns.',
  values: CONVERSATION_STATUSES,
});

export const RunStatusEnum = builder.enumType('RunStatus', {
  description: 'Where a turn stands. Nothing leaves completed, interrupted, failed or expired.',
  values: RUN_STATUSES,
});

export const MessageRoleEnum = builder.enumType('MessageRole', {
  description: 'Who wrote a message.',
  values: MESSAGE_ROLES,
});

export const CallStatusEnum = builder.enumType('CallStatus', {
  description: 'What became of a call. A client tool is pending until its result is sent.',
  values: CALL_STATUSES,
});

export const ContentPartTypeEnum = builder.enumType('ContentPartType', {
  description: 'image, video and audio are url with a hint; data is a file inline.',
  values: CONTENT_PART_TYPES,
});

export const DeploymentKindEnum = builder.enumType('DeploymentKind', {
  description: 'Which hosted page a deployment is made for.',
  values: DEPLOYMENT_KINDS,
});

export const DoubleTextPolicyEnum = builder.enumType('DoubleTextPolicy', {
  description: 'What becomes of a message that comes while a turn of its conversation is still running.',
  values: DOUBLE_TEXT_POLICIES,
});

export const ToolAvailabilityEnum = builder.enumType('ToolAvailability', {
  description: 'When a client tool may be called: only where the request advertises it, or always.',
  values: TOOL_AVAILABILITIES,
});

export const EnvironmentKindEnum = builder.enumType('EnvironmentKind', {
  description: 'One of the two environments of a workspace: nothing of one is seen from the other.',
  values: ENVIRONMENT_KINDS,
});

export const RoleEnum = builder.enumType('Role', {
  description:
    'What a member is: owner and admin may do everything, developer all but manage keys, viewer what ends in read.',
  values: ROLES,
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
  values: TURN_OUTCOMES,
});

export const UsageGroupEnum = builder.enumType('UsageGroup', {
  description: 'What usage can be told apart by.',
  values: USAGE_GROUPS,
});

export const DeliveryStatusEnum = builder.enumType('WebhookDeliveryStatus', {
  description: 'Where a message to an endpoint stands. pending: it is being sent, or waits for its next attempt.',
  values: DELIVERY_STATUSES,
});

export const IntegrationKindEnum = builder.enumType('IntegrationKind', {
  description: 'What is at the address: mcp is a server of the Model Context Protocol, http any API.',
  values: INTEGRATION_KINDS,
});
