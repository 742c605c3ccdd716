import { Webhook } from 'standardwebhooks';
import { TEST_MESSAGE_TYPE } from '../../contract/statuses.ts';
import type { AddressPort } from '../address-port.ts';
import type { SecretBox } from '../secret-box.ts';
import { elapsedMs } from '../telemetry.ts';
import type { ClaimedDelivery } from './claim.ts';
import type { AttemptOutcome } from './record.ts';
import { openSecrets, signingSecrets } from './secrets.ts';

export interface AttemptParts {
  readonly addresses: AddressPort;
  readonly secretBox: SecretBox;
  readonly now: () => Date;
  readonly monotonicMs: () => number;
}

/**
 * Sends a message once, signed as Standard Webhooks specifies (WIRE 12).
 * @throws the reason of the signal, or {Error} if the service cannot decrypt the endpoint's secrets
 */
export async function makeAttempt(
  { addresses, secretBox, now, monotonicMs }: AttemptParts,
  delivery: ClaimedDelivery,
  { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<AttemptOutcome> {
  const startedAt = now();
  const startedMs = monotonicMs();
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
  const response = await addresses.post(delivery.url, { headers, body, timeoutMs, signal });
  const durationMs = elapsedMs({ monotonicMs }, startedMs);
  if ('problem' in response) {
    const failure = { delivered: false, responseStatus: null, error: response.problem, startedAt };
    // The duration of a DNS lookup would show whether a private name exists.
    return { ...failure, durationMs: response.isRefused ? 0 : durationMs };
  }
  const { status } = response;
  const delivered = status >= 200 && status < 300;
  const error = delivered ? null : problemOf(status);
  return { delivered, responseStatus: status, error, startedAt, durationMs };
}

function problemOf(status: number): string {
  const hint = status >= 300 && status < 400 ? ' Redirects are not followed.' : '';
  return `The address responded with ${status}.${hint}`;
}

/**
 * Every attempt has the same body. The payload of an update does not contain the ID of the resource, so the body adds it.
 */
function bodyOf({ messageId, endpointId, event, createdAt }: ClaimedDelivery): string {
  const message = event
    ? { type: event.type, timestamp: event.occurredAt, data: { resource_id: event.resourceId, ...event.payload } }
    : { type: TEST_MESSAGE_TYPE, timestamp: createdAt, data: { endpoint_id: endpointId } };
  return JSON.stringify({ id: messageId, ...message });
}
