import { EVENT_TYPES, REPLY_EVENTS, TURN_EVENTS, WEBHOOK_MESSAGE_TYPES } from '../../contract/statuses.ts';
import { builder } from './builder.ts';
import { valuesOf } from './enums.ts';

const EVENTS = {
  'resource.created': 'A resource was created.',
  'resource.updated': 'Fields of a resource were changed.',
  'resource.deleted': 'A resource was deleted.',
  'integration.connected': 'An integration was connected.',
  'integration.disconnected': 'An integration was disconnected.',
} as const;

export const EventTypeEnum = builder.enumType('EventType', {
  description: 'The type of an entry of the event log.',
  values: valuesOf(EVENT_TYPES, EVENTS),
});

export const WebhookMessageTypeEnum = builder.enumType('WebhookMessageType', {
  description: 'The type of a message to a webhook endpoint: that of its event, or a test.',
  values: valuesOf(WEBHOOK_MESSAGE_TYPES, { ...EVENTS, 'webhook.test': '`sendTestWebhook` sent it.' }),
});

export const ReplyEventEnum = builder.enumType('ReplyEventType', {
  description: 'The type of an event of a streamed reply.',
  values: valuesOf(REPLY_EVENTS, {
    start: 'The service accepted the message.',
    delta: 'The next piece of the reply.',
    done: 'The reply is complete.',
  }),
});

export const TurnEventEnum = builder.enumType('TurnEventType', {
  description: 'The type of an event of `turnEvents`.',
  values: valuesOf(TURN_EVENTS, {
    'turn.started': 'The service accepted a message, and the model runs.',
    'text.delta': 'The model wrote text.',
    'step.restarted': 'The text of a message so far is void.',
    item: 'An item of the timeline was stored or changed.',
    'turn.paused': 'The turn waits for its client.',
    'turn.ended': 'The turn ended. The event has its outcome and the reply.',
  }),
});
