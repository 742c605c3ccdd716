import { randomBytes } from 'node:crypto';
import { LIMITS } from '../../contract/limits.ts';
import type { SecretBox } from '../secret-box.ts';

const SECRET_BYTES = 32;

const OVERLAP_MS = LIMITS.webhookSecretHours * 60 * 60 * 1_000;

/** Old secrets that still sign. A day of real rotations does not create more. */
const MAX_RETIRING = 4;

/** The secrets that sign an endpoint's messages. */
export interface EndpointSecrets {
  readonly current: string;
  /** Newest first. */
  readonly retiring: readonly { readonly secret: string; readonly until: string }[];
}

export function newSecrets(): EndpointSecrets {
  return { current: newSecret(), retiring: [] };
}

/** Creates a new current secret. The old secret still signs for a day. */
export function rotateSecrets({ current, retiring }: EndpointSecrets, at: Date): EndpointSecrets {
  const until = new Date(at.getTime() + OVERLAP_MS).toISOString();
  const unexpired = retiring.filter((old) => new Date(old.until) > at);
  return { current: newSecret(), retiring: [{ secret: current, until }, ...unexpired].slice(0, MAX_RETIRING) };
}

/** The secrets that sign a message at this time, the current secret first. */
export function signingSecrets({ current, retiring }: EndpointSecrets, at: Date): string[] {
  return [current, ...retiring.filter(({ until }) => new Date(until) > at).map(({ secret }) => secret)];
}

/** Encrypts secrets for the endpoint's row. */
export function sealSecrets(box: SecretBox, endpointId: string, secrets: EndpointSecrets): Uint8Array<ArrayBuffer> {
  return box.seal(JSON.stringify(secrets), endpointId);
}

/** @throws {Error} if the service has no key that decrypts them */
export function openSecrets(box: SecretBox, endpointId: string, sealed: Uint8Array): EndpointSecrets {
  // Written by `sealSecrets`.
  return JSON.parse(box.open(sealed, endpointId)) as EndpointSecrets;
}

/** The format of Standard Webhooks. */
function newSecret(): string {
  return `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;
}
