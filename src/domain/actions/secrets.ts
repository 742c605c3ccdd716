import type { Header } from '../../shapes/headers.ts';

/** Replaces secrets in a text. */
export type Mask = (text: string) => string;

const MASKED = '[secret]';

/** Shorter values are not secrets, and would match ordinary words. */
const SHORTEST = 6;

/**
 * Masks the values of headers if a server repeats them: whole, without their scheme (`Bearer …`), the password of a
 * Basic header, and each of these as JSON, percent-encoded or in base64.
 */
export function maskOf(headers: readonly Header[]): Mask {
  const secrets = headers.flatMap(({ value }) => partsOf(value)).filter((secret) => secret.length >= SHORTEST);
  const forms = [...new Set(secrets.flatMap(formsOf))].sort((one, other) => other.length - one.length);
  return (text) =>
    text.length < SHORTEST ? text : forms.reduce((masked, form) => masked.replaceAll(form, MASKED), text);
}

function partsOf(value: string): string[] {
  const [, scheme = '', token] = /^(\S+)\s+(.+)$/.exec(value) ?? [];
  if (token === undefined) return [value];
  if (scheme.toLowerCase() !== 'basic') return [value, token];
  const pair = Buffer.from(token, 'base64').toString();
  return [value, token, pair, pair.slice(pair.indexOf(':') + 1)];
}

function formsOf(secret: string): string[] {
  const base64 = Buffer.from(secret).toString('base64');
  const bare = base64.replace(/=+$/, '');
  const url = Buffer.from(secret).toString('base64url');
  const json = JSON.stringify(secret).slice(1, -1);
  // A text in JSON can be JSON too.
  const nested = JSON.stringify(json).slice(1, -1);
  return [secret, json, nested, encodeURIComponent(secret), base64, bare, url];
}
