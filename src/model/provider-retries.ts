import { APICallError } from '@ai-sdk/provider';
import { retryWithExponentialBackoff } from '@ai-sdk/provider-utils';

const MAX_RETRIES = 2;

/** A provider that asks for a longer pause gets the request after the usual one. */
const LONGEST_PAUSE_MS = 60_000;

/**
 * Sends a request again if the provider failed or limits requests, at most twice. Waits as long as the provider asks for.
 * @throws the error of the last attempt
 */
export function withRetries<Result>(signal: AbortSignal, send: () => PromiseLike<Result>): PromiseLike<Result> {
  const retry = retryWithExponentialBackoff({
    maxRetries: MAX_RETRIES,
    abortSignal: signal,
    shouldRetry: (error) => APICallError.isInstance(error) && error.isRetryable,
    getDelayInMs: ({ error, exponentialBackoffDelay }) => requestedPauseMs(error) ?? exponentialBackoffDelay,
    createRetryError: ({ errors }) => errors.at(-1),
  });
  return retry(send);
}

/** The pause that the provider asks for, in milliseconds. Undefined if it asks for no pause, or for too long a pause. */
function requestedPauseMs(error: unknown): number | undefined {
  const pauses = APICallError.isInstance(error) ? requestedPausesMs(error.responseHeaders) : [];
  return pauses.find((pause) => pause < LONGEST_PAUSE_MS);
}

/** Longer pauses are no advice for a caller, and can be mistakes. */
const DAY_MS = 86_400_000;

/** The pauses that the headers of a provider ask for, in whole milliseconds. */
export function requestedPausesMs(headers: Readonly<Record<string, string>> = {}): number[] {
  const ms = Number.parseFloat(headers['retry-after-ms'] ?? '');
  return [ms, ...retryAfterMs(headers['retry-after'] ?? '')]
    .filter((pause) => pause >= 0 && pause <= DAY_MS)
    .map(Math.ceil);
}

/** The header has seconds or a date (RFC 9110, section 10.2.3). */
function retryAfterMs(value: string): number[] {
  return [Number.parseFloat(value) * 1_000, Date.parse(value) - Date.now()];
}
