import { APICallError } from '@ai-sdk/provider';
import { LIMITS } from '../contract/limits.ts';
import type { ProviderFailure } from '../domain/agent/model-port.ts';
import { stepFault } from './error-message.ts';

const MASKED = '[secret]';

/** What keys of the known providers, and bearer tokens, look like. Providers quote the key that they reject. */
const KEY_LIKE = /\b(?:sk|pk|rk)-[\w*.-]{6,}|(?<=\bBearer\s+)[\w.~+/=*-]{6,}/gi;

/** Describes a failed attempt for the trace. */
export function providerFailure(fault: unknown, apiKey: string | undefined): ProviderFailure {
  const { message } = stepFault(fault);
  const response = responseOf(fault);
  if (response.body === null) return { message, ...response };
  // Masked before it is cut to its length, because half a key would not be recognized.
  const first = response.body.slice(0, 4 * LIMITS.traceErrorLength);
  return { message, ...response, body: masked(first, apiKey).slice(0, LIMITS.traceErrorLength) };
}

function responseOf(fault: unknown): Pick<ProviderFailure, 'status' | 'body'> {
  if (APICallError.isInstance(fault)) return { status: fault.statusCode ?? null, body: fault.responseBody ?? null };
  // An error within a streamed reply is a value of the provider.
  if (fault instanceof Error || fault === undefined) return { status: null, body: null };
  return { status: null, body: typeof fault === 'string' ? fault : (JSON.stringify(fault) ?? null) };
}

function masked(text: string, apiKey: string | undefined): string {
  const withoutKey = apiKey ? formsOf(apiKey).reduce((left, form) => left.replaceAll(form, MASKED), text) : text;
  return withoutKey.replace(KEY_LIKE, MASKED);
}

function formsOf(key: string): string[] {
  return [key, JSON.stringify(key).slice(1, -1), encodeURIComponent(key), Buffer.from(key).toString('base64')];
}
