/**
 * `refused`: the service sends no requests to the address, or its name does not resolve. `redirect`: too many redirects, or
 * an invalid one. `failed`: there was no connection, or it was lost.
 */
export type GuardedFetchErrorKind = 'refused' | 'timeout' | 'too_large' | 'failed' | 'redirect';

/** Why there is no response. `message` is safe to show: it does not contain resolved addresses. */
export class GuardedFetchError extends Error {
  readonly kind: GuardedFetchErrorKind;

  constructor(kind: GuardedFetchErrorKind, message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'GuardedFetchError';
    this.kind = kind;
  }
}

/** Finds the error of the guard in an error of `fetch`, which contains it as a cause. */
export function findGuardError(error: unknown): GuardedFetchError | undefined {
  if (error instanceof GuardedFetchError) return error;
  return error instanceof Error ? findGuardError(error.cause) : undefined;
}
