import { Webhook } from 'standardwebhooks';
import type { AddressPort } from '../address-port.ts';
import type { SecretBox } from '../secret-box.ts';
import type { AttemptOutcome, ClaimedDelivery } from './claim.ts';
import { openSecrets, signingSecrets } from './secrets.ts';

/** The type of a test message, which is no event. */
export const TEST_TYPE = 'webhook.test';

/** What an attempt is made with. */
export interface AttemptParts {
  readonly addresses: AddressPort;
  readonly secretBox: SecretBox;
  readonly now: () => Date;
}

/**
 * Sends a message once, signed by the Standard Webhooks scheme (WIRE 12).
 * @throws the reason of the signal, or {Error} where the endpoint's secrets cannot be opened
 */
export async function makeAttempt(
  { addresses, secretBox, now }: AttemptParts,
  delivery: ClaimedDelivery,
  { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<AttemptOutcome> {
  const startedAt = now();
  const secrets = signingSecrets(openSecrets(secretBox, delivery.endpointId, delivery.sealedSecret), startedAt);
  const body = bodyOf(delivery);
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'Parley-Webhooks/1',
    'webhook-id': delivery.messageId,
    'webhook-timestamp': String(Math.floor(startedAt.getTime() / 1_000)),
    'webhook-signature': secrets
      .map((secret) => new Webhook(secret).sign(delivery.messageId, startedAt, body))
      .join(' '),
  };
  const answer = await addresses.post(delivery.url, { headers, body, timeoutMs, signal });
  const durationMs = now().getTime() - startedAt.getTime();
  if ('problem' in answer) {
    return { delivered: false, responseStatus: null, error: answer.problem, startedAt, durationMs };
  }
  const delivered = answer.status >= 200 && answer.status < 300;
  const error = delivered ? null : problemOf(answer.status);
  return { delivered, responseStatus: answer.status, error, startedAt, durationMs };
}

function problemOf(status: number): string {
  const redirected = status >= 300 && status < 400 ? ' Redirects are not followed.' : '';
  return `The address answered ${status}.${redirected}`;
}

/** The same on each attempt. The payload of an update does not say what was updated, so its id stands beside it. */
function bodyOf({ messageId, endpointId, event, createdAt }: ClaimedDelivery): string {
  const message = event
    ? { type: event.type, timestamp: event.occurredAt, data: { resource_id: event.resourceId, ...event.payload } }
    : { type: TEST_TYPE, timestamp: createdAt, data: { endpoint_id: endpointId } };
  return JSON.stringify({ id: messageId, ...message });
}
