/**
 * `refused`: not an address that this service goes to. `redirect`: redirected too often, or to nowhere.
 * `failed`: no connection, or one that broke off.
 */
export type GuardedFetchErrorKind = 'refused' | 'timeout' | 'too_large' | 'failed' | 'redirect';

/** Why there is no answer. `message` may be shown: it holds nothing of what a name resolves to. */
export class GuardedFetchError extends Error {
  readonly kind: GuardedFetchErrorKind;

  constructor(kind: GuardedFetchErrorKind, message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'GuardedFetchError';
    this.kind = kind;
  }
}

/** The guard's own error in what `fetch` throws, which hides it among its causes. */
export function guardErrorIn(fault: unknown): GuardedFetchError | undefined {
  if (fault instanceof GuardedFetchError) return fault;
  return fault instanceof Error ? guardErrorIn(fault.cause) : undefined;
}
