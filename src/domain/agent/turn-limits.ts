import { ServiceError } from '../../contract/errors.ts';
import { type Sql, sqlIn } from '../../db/sql.ts';
import { inTransaction } from '../../db/transaction.ts';
import { countRequest, RATE_LIMITS, setLimit } from '../access/rate-limits.ts';
import type { Context } from '../context.ts';
import type { PublishedDeployment } from '../workflows/deployments.ts';

/**
 * Counts a turn or a one-shot run of a deployment, and where nobody's credentials are behind it, in its conversation.
 * @throws {ServiceError} rate_limited
 */
export async function countTurn(
  ctx: Context,
  { id, turnsPerMinute, conversationTurnsPerMinute }: PublishedDeployment,
  conversationId: unknown,
): Promise<void> {
  const { services, request, caller } = ctx;
  const count = (limit: Parameters<typeof countRequest>[1], key: string) =>
    countRequest(services.rateLimiter, limit, key, request.tellLimit);
  if (turnsPerMinute !== null) await count(setLimit('deploymentTurns', turnsPerMinute), id);
  if (caller.kind !== 'anonymous' || typeof conversationId !== 'string') return;
  const ofConversation = conversationTurnsPerMinute ?? RATE_LIMITS.anonymousTurns.points;
  await count(setLimit('conversationTurns', ofConversation), conversationId);
}

/**
 * Lets a run begin, or go on, where the environment's turns at work are fewer than may be: exactly, since those that
 * begin come one after another under its row lock. Where nothing is set it costs nothing.
 * @throws {ServiceError} rate_limited
 */
export function withinRunLimit<T>(ctx: Context, begin: (sql: Sql) => Promise<T>): Promise<T> {
  const most = ctx.caller.limits.concurrentRuns;
  if (most === null) return begin(ctx.services.sql);
  return inTransaction(ctx.db, async (tx) => {
    await tx.$queryRaw`SELECT 1 FROM environment WHERE id = ${ctx.environment.id}::uuid FOR NO KEY UPDATE`;
    const running = await tx.run.count({ where: { environmentId: ctx.environment.id, status: 'running' } });
    if (running < most) return begin(sqlIn(tx));
    const limit = { name: 'concurrent-runs', points: most, seconds: 1 };
    ctx.request.tellLimit({ limit, allowance: { allowed: false, remaining: 0, resetSeconds: 1 } });
    throw new ServiceError('rate_limited', `${most} turns of this environment are at work. Try again in a moment.`);
  });
}
