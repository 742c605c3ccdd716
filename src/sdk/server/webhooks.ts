import type { EventType } from '../../contract/statuses.ts';
import { ParleyError } from '../error.ts';
import type { JsonObject } from '../history.ts';

/** A verified message of a webhook. */
export interface WebhookMessage {
  /** The ID of the event. Repeated deliveries have the same one. */
  readonly id: string;
  readonly type: EventType | 'webhook.test';
  /** ISO 8601, UTC: when it happened. */
  readonly timestamp: string;
  readonly data: JsonObject;
}

/** The input of {@link verifyWebhook}. */
export interface VerifyOptions {
  /** The headers of the request: of `fetch`, or an object with lower-case names as in Node. */
  readonly headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The body as it arrived. A body that was parsed and written again has another signature. */
  readonly body: string | Uint8Array;
  /** The secret of the endpoint, `whsec_…`. During a rotation, the new one is enough. */
  readonly secret: string;
  /** How many seconds the message may be old, or in the future. Default: 300. */
  readonly toleranceSeconds?: number | undefined;
}

/** The service sends one signature, and up to five during rotations. */
const MOST_SIGNATURES = 20;

/**
 * Checks the signature and the age of a message, as Standard Webhooks specifies. Works in Node, Deno, Bun, workers and
 * edge functions.
 *
 * @example
 * const message = await verifyWebhook({ headers: request.headers, body: await request.text(), secret });
 * @throws {ParleyError} `invalid_call` if the message is not from Parley, is too old, or was changed. Respond with 400
 */
export async function verifyWebhook({
  headers,
  body,
  secret,
  toleranceSeconds = 300,
}: VerifyOptions): Promise<WebhookMessage> {
  const [id, timestamp, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) =>
    headerOf(headers, name),
  ) as [string, string, string];
  if (!/^\d{1,12}$/.test(timestamp)) throw invalid('webhook-timestamp', 'must be a time in seconds');
  const ageSeconds = Math.abs(Date.now() / 1_000 - Number(timestamp));
  if (ageSeconds > toleranceSeconds) throw invalid('webhook-timestamp', `must be at most ${toleranceSeconds} s away`);
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body;
  const head = new TextEncoder().encode(`${id}.${timestamp}.`);
  const signed = new Uint8Array(head.length + bytes.length);
  signed.set(head);
  signed.set(bytes, head.length);
  const key = await importKey(secret);
  for (const signature of signatures.split(' ').slice(0, MOST_SIGNATURES)) {
    const value = signature.startsWith('v1,') ? fromBase64(signature.slice(3)) : undefined;
    // Compares in constant time.
    if (value && (await crypto.subtle.verify('HMAC', key, value, signed))) {
      return JSON.parse(new TextDecoder().decode(bytes)) as WebhookMessage;
    }
  }
  throw invalid('webhook-signature', 'does not match the body and the secret');
}

async function importKey(secret: string): Promise<CryptoKey> {
  const bytes = fromBase64(secret.replace(/^whsec_/, ''));
  if (!bytes || bytes.length === 0) throw invalid('secret', 'must be the secret of the endpoint: whsec_ and base64');
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

function headerOf(headers: VerifyOptions['headers'], name: string): string {
  const value = headers instanceof Headers ? headers.get(name) : headers[name];
  if (typeof value === 'string' && value !== '') return value;
  throw invalid(name, 'is missing');
}

function invalid(param: string, problem: string): ParleyError {
  return new ParleyError({ code: 'invalid_call', message: `The webhook is not valid: ${param} ${problem}.`, param });
}
