import { ServiceError } from '../../../contract/errors.ts';
import { LIMITS } from '../../../contract/limits.ts';
import type { RateLimit } from '../../../db/rate-limiter.ts';
import { type Sql, sqlIn } from '../../../db/sql.ts';
import { inTransaction, type Transaction } from '../../../db/transaction.ts';
import { addressKey, configuredLimit, countRequest, endUserKey, RATE_LIMITS } from '../../access/rate-limits.ts';
import type { Context } from '../../context.ts';
import type { PublishedDeployment } from '../../workflows/deployments.ts';

/**
 * Counts a turn or a one-shot run against the limits of its deployment. Turns of an end user also count against their own
 * limit, and anonymous turns against the limit of their conversation.
 * @throws {ServiceError} rate_limited
 */
export async function countTurn(
  ctx: Context,
  { id, turnsPerMinute, conversationTurnsPerMinute }: PublishedDeployment,
  conversationId: unknown,
): Promise<void> {
  const { services, request, caller } = ctx;
  const count = (limit: Parameters<typeof countRequest>[1], key: string) =>
    countRequest(services.rateLimiter, limit, key, request.reportLimit);
  if (turnsPerMinute !== null) await count(configuredLimit('deploymentTurns', turnsPerMinute), id);
  if (caller.kind === 'end_user') await count(RATE_LIMITS.endUserTurns, endUserKey(caller));
  if (caller.kind !== 'anonymous' || typeof conversationId !== 'string') return;
  const ofConversation = conversationTurnsPerMinute ?? RATE_LIMITS.anonymousTurns.points;
  await count(configuredLimit('conversationTurns', ofConversation), conversationId);
}

/**
 * Counts the start of a conversation whose ID the caller chose. The request was counted as one that continues it.
 * @throws {ServiceError} rate_limited
 */
export async function countStart({ services, request, caller }: Context): Promise<void> {
  if (caller.kind !== 'anonymous' || caller.anonymousPerMinute !== null) return;
  const { anonymousStarts } = RATE_LIMITS;
  await countRequest(services.rateLimiter, anonymousStarts, addressKey(request.address), request.reportLimit);
}

/**
 * Starts or continues a run if the environment has fewer active turns than its limit. A background turn only needs a
 * place in the queue. The counts are exact, because starts are serialized by the environment's row lock. Without a limit
 * there is no extra cost.
 * @throws {ServiceError} rate_limited
 */
export function withinRunLimit<T>(ctx: Context, background: boolean, begin: (sql: Sql) => Promise<T>): Promise<T> {
  if (background) return withinQueueLimit(ctx, begin);
  const most = ctx.caller.limits.concurrentRuns;
  // Without row-level security: the policies would add 7 % to the CPU time of a turn.
  if (most === null) return begin(ctx.services.sql);
  return inTransaction(ctx.db, async (tx) => {
    await lockEnvironment(ctx, tx);
    const running = await tx.run.count({ where: { ...runningIn(ctx), leaseOwner: { not: null } } });
    if (running < most) return begin(sqlIn(tx));
    throw full(
      ctx,
      { name: 'concurrent-runs', points: most, seconds: 1 },
      `${most} turns of this environment are running, which is its limit. Try again in a moment.`,
    );
  });
}

function withinQueueLimit<T>(ctx: Context, begin: (sql: Sql) => Promise<T>): Promise<T> {
  return inTransaction(ctx.db, async (tx) => {
    await lockEnvironment(ctx, tx);
    const queued = await tx.run.count({ where: { ...runningIn(ctx), leaseOwner: null } });
    if (queued < LIMITS.queuedRuns) return begin(sqlIn(tx));
    throw full(
      ctx,
      { name: 'queued-runs', points: LIMITS.queuedRuns, seconds: 10 },
      `${LIMITS.queuedRuns} background turns of this environment are waiting, which is the limit. Try again later.`,
    );
  });
}

function full({ request }: Context, limit: RateLimit, message: string): ServiceError {
  const { seconds } = limit;
  request.reportLimit({ limit, result: { allowed: false, remaining: 0, resetSeconds: seconds } });
  return new ServiceError('rate_limited', message, { retryAfterMs: seconds * 1_000 });
}

const runningIn = ({ environment }: Context) => ({ environmentId: environment.id, status: 'running' }) as const;

function lockEnvironment(ctx: Context, tx: Transaction): Promise<unknown> {
  return tx.$queryRaw`SELECT 1 FROM environment WHERE id = ${ctx.environment.id}::uuid FOR NO KEY UPDATE`;
}
