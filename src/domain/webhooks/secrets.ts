import { randomBytes } from 'node:crypto';
import type { SecretBox } from '../secret-box.ts';

const SECRET_BYTES = 32;

/** How long a secret still signs beside the one that has replaced it. */
const RETIRING_MS = 24 * 60 * 60 * 1_000;

/** Secrets that sign beside the current one: more than a day of rotations in earnest can make. */
const MOST_RETIRING = 4;

/** What an endpoint's messages are signed with. */
export interface EndpointSecrets {
  readonly current: string;
  /** Newest first. */
  readonly retiring: readonly { readonly secret: string; readonly until: string }[];
}

/** The secrets of a new endpoint. */
export function newSecrets(): EndpointSecrets {
  return { current: newSecret(), retiring: [] };
}

/** A new secret; the one before it still signs for a day. */
export function rotated({ current, retiring }: EndpointSecrets, at: Date): EndpointSecrets {
  const until = new Date(at.getTime() + RETIRING_MS).toISOString();
  const still = retiring.filter((one) => new Date(one.until) > at);
  return { current: newSecret(), retiring: [{ secret: current, until }, ...still].slice(0, MOST_RETIRING) };
}

/** The secrets that sign a message now, the current one first. */
export function signingSecrets({ current, retiring }: EndpointSecrets, at: Date): string[] {
  return [current, ...retiring.filter(({ until }) => new Date(until) > at).map(({ secret }) => secret)];
}

/** Secrets as an endpoint's row keeps them. */
export function sealSecrets(box: SecretBox, endpointId: string, secrets: EndpointSecrets): Uint8Array<ArrayBuffer> {
  return box.seal(JSON.stringify(secrets), endpointId);
}

/** @throws {Error} where this service has no key that opens them */
export function openSecrets(box: SecretBox, endpointId: string, sealed: Uint8Array): EndpointSecrets {
  // What is in the box was put there by sealSecrets.
  return JSON.parse(box.open(sealed, endpointId)) as EndpointSecrets;
}

/** As Standard Webhooks writes it. */
function newSecret(): string {
  return `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;
}
