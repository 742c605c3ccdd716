import { Webhook } from 'standardwebhooks';
import { LIMITS } from '../../contract/limits.ts';
import type { AddressPort } from '../address-port.ts';
import type { SecretBox } from '../secret-box.ts';
import { elapsedMs } from '../telemetry.ts';
import type { Tracing } from '../tracing.ts';
import type { ClaimedDelivery } from './claim.ts';
import { bodyOf, headersOf } from './message.ts';
import type { AttemptOutcome } from './record.ts';
import { retryAfterMs } from './retry-after.ts';
import { openSecrets, signingSecrets } from './secrets.ts';
import { sealResponse } from './stored-response.ts';

export interface AttemptParts {
  readonly addresses: AddressPort;
  readonly secretBox: SecretBox;
  readonly now: () => Date;
  readonly monotonicMs: () => number;
  readonly tracing: Tracing | undefined;
}

/** How long an attempt waits for the start of the response's body. Only the status decides about the delivery. */
const BODY_MS = 500;

/**
 * Sends a message once, signed as Standard Webhooks specifies.
 * @throws the reason of the signal, or {Error} if the service cannot decrypt the endpoint's secrets
 */
export function makeAttempt(
  parts: AttemptParts,
  delivery: ClaimedDelivery,
  limits: AttemptLimits,
): Promise<AttemptOutcome> {
  if (!parts.tracing) return send(parts, delivery, limits);
  const { messageId, endpointId, event, traceparent } = delivery;
  const facts = { messageId, endpointId, type: event?.type, traceparent };
  return parts.tracing.delivery(facts, () => send(parts, delivery, limits));
}

interface AttemptLimits {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

async function send(
  { addresses, secretBox, now, monotonicMs, tracing }: AttemptParts,
  delivery: ClaimedDelivery,
  { timeoutMs, signal }: AttemptLimits,
): Promise<AttemptOutcome> {
  const startedAt = now();
  const startedMs = monotonicMs();
  const secrets = signingSecrets(openSecrets(secretBox, delivery.endpointId, delivery.sealedSecret), startedAt);
  const body = bodyOf(delivery);
  const headers = {
    ...headersOf(delivery.messageId, startedAt),
    'webhook-signature': secrets
      .map((secret) => new Webhook(secret).sign(delivery.messageId, startedAt, body))
      .join(' '),
    ...tracing?.headers(),
  };
  let durationMs: number | undefined;
  const onStatus = () => {
    durationMs = elapsedMs({ monotonicMs }, startedMs);
  };
  const bounds = { timeoutMs, maxBytes: LIMITS.webhookResponseBytes, bodyTimeoutMs: BODY_MS };
  const response = await addresses.post(delivery.url, { headers, body, signal, onStatus, ...bounds });
  durationMs ??= elapsedMs({ monotonicMs }, startedMs);
  if ('problem' in response) {
    const failure = {
      delivered: false,
      responseStatus: null,
      error: response.problem,
      startedAt,
      sealedResponse: null,
      retryAfterMs: 0,
    };
    // The duration of a DNS lookup would show whether a private name exists.
    return { ...failure, durationMs: response.isRefused ? 0 : durationMs };
  }
  const { status } = response;
  const delivered = status >= 200 && status < 300;
  const error = delivered ? null : problemOf(status);
  const sealedResponse = sealResponse(secretBox, delivery.id, response);
  const pause = delivered ? 0 : retryAfterMs(response.headers['retry-after'], now());
  return { delivered, responseStatus: status, error, startedAt, durationMs, sealedResponse, retryAfterMs: pause };
}

function problemOf(status: number): string {
  const hint = status >= 300 && status < 400 ? ' Redirects are not followed.' : '';
  return `The address responded with ${status}.${hint}`;
}
