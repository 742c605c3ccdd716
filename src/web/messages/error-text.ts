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
    // The service's message says more, but it is in English.
    if (formats().locale.startsWith('en')) return message;
    const isContent = param?.startsWith('content') === true;
    return isContent
      ? t.errors.contentRejected(LIMITS.textLength.toLocaleString(formats().locale))
      : t.errors.invalid_request;
  }
  const text = Object.hasOwn(t.errors, code) ? t.errors[code as keyof typeof t.errors] : undefined;
  return typeof text === 'string' ? text : t.errors.other;
}
