import { addressKey, RATE_LIMITS, setLimit } from '../domain/access/rate-limits.ts';
import type { AnonymousCaller, Caller } from '../domain/context.ts';
import type { GraphContext } from './context.ts';

/** What an operator has limited whoever asks to, beside all others of the environment. */
export async function countCaller(context: GraphContext, { id, environment, limits }: Caller): Promise<void> {
  const { environmentPerMinute, requestsPerMinute } = limits;
  if (environmentPerMinute !== null) {
    await context.count(setLimit('environment', environmentPerMinute), environment.id);
  }
  if (requestsPerMinute !== null) await context.count(setLimit('key', requestsPerMinute), id);
}

/** Requests without credentials, as the deployment's own limit or that of all of them says. */
export async function countAnonymous(
  context: GraphContext,
  { id, anonymousPerMinute, visitor }: AnonymousCaller,
): Promise<void> {
  const address = addressKey(context.open.request.address);
  if (anonymousPerMinute === null) {
    await context.count(RATE_LIMITS.anonymous, address);
    if (visitor) await context.count(RATE_LIMITS.visitor, visitor.id);
    return;
  }
  const limit = setLimit('deploymentAnonymous', anonymousPerMinute);
  await context.count(limit, `${id}:${address}`);
  if (visitor) await context.count(limit, `${id}:${visitor.id}`);
}
