import { TEST_MESSAGE_TYPE } from '../../contract/statuses.ts';
import type { ClaimedDelivery } from './claim.ts';

/** What determines the message of a delivery. Nothing of it changes after the delivery is queued. */
export type MessageSource = Pick<ClaimedDelivery, 'messageId' | 'endpointId' | 'event' | 'createdAt'>;

/**
 * The body of a message. Every attempt has the same body, so it is not stored. The payload of an update does not contain
 * the ID of the resource, so the body adds it.
 */
export function bodyOf({ messageId, endpointId, event, createdAt }: MessageSource): string {
  const message = event
    ? { type: event.type, timestamp: event.occurredAt, data: { resource_id: event.resourceId, ...event.payload } }
    : { type: TEST_MESSAGE_TYPE, timestamp: createdAt, data: { endpoint_id: endpointId } };
  return JSON.stringify({ id: messageId, ...message });
}

/** The headers of an attempt, without its signature. */
export function headersOf(messageId: string, startedAt: Date) {
  return {
    'content-type': 'application/json',
    'user-agent': 'Parley-Webhooks/1',
    'webhook-id': messageId,
    'webhook-timestamp': String(Math.floor(startedAt.getTime() / 1_000)),
  };
}
