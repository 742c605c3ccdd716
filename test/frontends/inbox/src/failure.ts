import { CombinedGraphQLErrors } from '@apollo/client/errors';

/** The result of a mutation: its payload, or an error, for example that a run is in progress. */
interface Result {
  readonly __typename: string;
  readonly message?: string;
}

/** An error that a mutation returned as its result. Its message is for people. */
class ReturnedError extends Error {}

/** The payload of a result. @throws {ReturnedError} if the result is an error */
export function payloadOf<R extends Result, Name extends R['__typename']>(
  result: R | null | undefined,
  name: Name,
): Extract<R, { __typename: Name }> {
  if (result?.__typename === name) return result as Extract<R, { __typename: Name }>;
  throw new ReturnedError(result?.message);
}

/** What to show for an error: one that a mutation returned, or a fault like a lost connection or a rate limit. */
export function messageOf(error: unknown): string {
  if (error instanceof ReturnedError) return error.message;
  if (!CombinedGraphQLErrors.is(error)) return 'The service cannot be reached. Try again.';
  const [first] = error.errors;
  const waitMs = Number(first?.extensions?.retryAfterMs);
  return waitMs ? `Too many requests. Try again in ${Math.ceil(waitMs / 1_000)} s.` : `${first?.message}`;
}
