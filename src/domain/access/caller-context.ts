import { scopedDb } from '../../db/scoped.ts';
import type { Caller, CallerLimits } from '../caller.ts';
import type { Context, PublicContext } from '../context.ts';

/** The limits of callers that only the operator or the service itself can be. */
export const UNLIMITED: CallerLimits = { requestsPerMinute: null, environmentPerMinute: null, concurrentRuns: null };

/** The context of a caller, bound to its environment. */
export function callerContext({ request, services, now, newId }: PublicContext, caller: Caller): Context {
  const { environment } = caller;
  const db = scopedDb(services.prisma, environment);
  const sql = services.sql.within(environment);
  return { caller, environment, db, sql, request, services, now, newId };
}
