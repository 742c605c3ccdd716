import type { Guard } from '../../db/scope.ts';
import { guardedDb, scopedDb } from '../../db/scoped.ts';
import type { Caller, CallerLimits } from '../caller.ts';
import type { Context, PublicContext } from '../context.ts';
import { claimGuard, guardBy } from './claimed-effect.ts';

/** The limits of callers that only the operator or the service itself can be. */
export const UNLIMITED: CallerLimits = { requestsPerMinute: null, environmentPerMinute: null, concurrentRuns: null };

/**
 * The context of a caller, bound to its environment. With an idempotency key, its writes fail if another process has the
 * key.
 */
export function callerContext(open: PublicContext, caller: Caller): Context {
  return contextOf(open, caller, claimGuard(open.request.claim));
}

function contextOf(
  { request, services, now, newId }: PublicContext,
  caller: Caller,
  guard: Guard | undefined,
): Context {
  const { environment } = caller;
  const sql = services.stores.sql.within(environment, guard);
  const rest = { caller, environment, sql, request, services, now, newId };
  return guard ? guardedContext(rest, guard) : { ...rest, db: scopedDb(services.stores.prisma, environment) };
}

/** Creates the client when it is needed, because that takes longer than most statements. */
function guardedContext(rest: Omit<Context, 'db'>, guard: Guard): Context {
  let db: Context['db'] | undefined;
  return {
    ...rest,
    get db() {
      db ??= guardedDb(rest.services.stores.prisma, guard, rest.environment);
      return db;
    },
  };
}

/** The context of work with the key of a request that is not the effect of the request. */
export function withoutClaim(ctx: Context): Context {
  return ctx.request.claim ? unclaimed(ctx, undefined) : ctx;
}

/** The same, but its writes fail if another process has the key. For work that the request waits for. */
export function guardedByClaim(ctx: Context): Context {
  const { claim } = ctx.request;
  return claim ? unclaimed(ctx, guardBy(claim)) : ctx;
}

function unclaimed({ caller, request, services, now, newId }: Context, guard: Guard | undefined): Context {
  return contextOf({ request: { ...request, claim: undefined }, services, now, newId }, caller, guard);
}
