import { EVENT_TYPES, REPLY_EVENTS, TURN_EVENTS, WEBHOOK_MESSAGE_TYPES } from '../../../contract/statuses.ts';
import { EVENT_INCLUDES } from '../../../domain/events/filter.ts';
import { enumType } from '../enum-type.ts';

const EVENTS = {
  'resource.created': 'A resource was created.',
  'resource.updated': 'Fields of a resource were changed.',
  'resource.deleted': 'A resource was deleted.',
  'integration.connected': 'An integration was connected.',
  'integration.disconnected': 'An integration was disconnected.',
  'run.started': 'A turn was accepted. A run has one, even if it pauses and resumes.',
  'run.waiting': 'A turn paused, and waits for its client.',
  'run.completed': 'A turn ended with a reply.',
  'run.failed': 'A turn failed. If its payload has the run_status expired, its client did not return in time.',
  'run.interrupted': 'A turn was stopped, or failed after it had accepted tool results.',
  'conversation.completed': 'A conversation was completed.',
  'conversation.handed_over': 'A conversation waits for a person.',
  'conversation.taken': 'A person took a conversation over.',
  'conversation.handed_back': 'A conversation was handed back to the assistant.',
  'conversation.message_received':
    'A message was stored in a conversation that waits for a person or that a person has.',
  'trigger.used': 'A trigger started its conversation.',
  'budget.warned': 'The spending of a period passed the share at which its budget warns.',
  'budget.reached': 'A budget had no room for a model step, for the first time in its period.',
} as const;

export const EventTypeEnum = enumType('EventType', EVENT_TYPES, {
  description: 'The type of an entry of the event log.',
  values: EVENTS,
});

export const EventIncludeEnum = enumType('EventInclude', EVENT_INCLUDES, {
  description: 'Further events of the log, which a list or subscription has on request.',
  values: {
    runs: 'The lifecycle events of runs, conversations, triggers and budgets. Scope: conversations:read.',
  },
});

export const WebhookMessageTypeEnum = enumType('WebhookMessageType', WEBHOOK_MESSAGE_TYPES, {
  description: 'The type of a message to a webhook endpoint: that of its event, or a test.',
  values: { ...EVENTS, 'webhook.test': '`sendTestWebhook` sent it.' },
});

export const ReplyEventEnum = enumType('ReplyEventType', REPLY_EVENTS, {
  description: 'The type of an event of a streamed reply.',
  values: {
    start: 'The service accepted the message.',
    delta: 'The next piece of the reply.',
    done: 'The reply is complete.',
  },
});

export const TurnEventEnum = enumType('TurnEventType', TURN_EVENTS, {
  description: 'The type of an event of `turnEvents`.',
  values: {
    'turn.started': 'The service accepted a message, and the model runs.',
    'reasoning.delta': 'The model wrote reasoning, which its workflow shows to clients.',
    'text.delta': 'The model wrote text.',
    'step.restarted': 'The text and the reasoning of a message so far are void.',
    item: 'An item of the timeline was stored or changed.',
    'items.superseded': 'Items left the active line of the conversation.',
    'turn.paused': 'The turn waits for its client.',
    'turn.ended': 'The turn ended. The event has its outcome and the reply.',
  },
});
