import { CONTENT_PART_TYPES } from '../contract/content.ts';
import {
  CALL_STATUSES,
  CONVERSATION_STATUSES,
  DELIVERY_STATUSES,
  DEPLOYMENT_KINDS,
  INTEGRATION_KINDS,
  MESSAGE_ROLES,
  RUN_STATUSES,
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

export const DeliveryStatusEnum = builder.enumType('WebhookDeliveryStatus', {
  description: 'Where a message to an endpoint stands. pending: it is being sent, or waits for its next attempt.',
  values: DELIVERY_STATUSES,
});

export const IntegrationKindEnum = builder.enumType('IntegrationKind', {
  description: 'What is at the address: mcp is a server of the Model Context Protocol, http any API.',
  values: INTEGRATION_KINDS,
});
