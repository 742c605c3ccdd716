import { LIMITS } from '../../contract/limits.ts';
import type { ParleyError } from '../../sdk/index.ts';
import { formats, texts } from '../texts/current.ts';

/** An error as a sentence for the user of a hosted page, in the language of the page. */
export function errorText({ code, message, param, details }: ParleyError): string {
  const t = texts();
  if (code === 'connection_error' && !navigator.onLine) return t.network.offline;
  if (code === 'rate_limited') {
    const { retry_after: seconds } = details;
    return typeof seconds === 'number' ? t.errors.rateLimited(seconds) : t.errors.rateLimitedLong;
  }
  if (code === 'invalid_request') {
    const isContent = param?.startsWith('content') === true;
    return t.errors.invalid_request(message, isContent ? LIMITS.textLength.toLocaleString(formats().locale) : null);
  }
  const text = Object.hasOwn(t.errors, code) ? t.errors[code as keyof typeof t.errors] : undefined;
  return typeof text === 'string' ? text : t.errors.other;
}
