import { ServiceError } from '../../../contract/errors.ts';
import { type Sql, sqlIn } from '../../../db/sql.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { configuredLimit, countRequest, RATE_LIMITS } from '../../access/rate-limits.ts';
import type { Context } from '../../context.ts';
import type { PublishedDeployment } from '../../workflows/deployments.ts';

/**
 * Counts a turn or a one-shot run against the limits of its deployment. Anonymous turns also count against the limit of
 * their conversation.
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
  if (caller.kind !== 'anonymous' || typeof conversationId !== 'string') return;
  const ofConversation = conversationTurnsPerMinute ?? RATE_LIMITS.anonymousTurns.points;
  await count(configuredLimit('conversationTurns', ofConversation), conversationId);
}

/**
 * Starts or continues a run if the environment has fewer active turns than its limit. The count is exact, because
 * starts are serialized by the environment's row lock. Without a limit there is no extra cost.
 * @throws {ServiceError} rate_limited
 */
export function withinRunLimit<T>(ctx: Context, begin: (sql: Sql) => Promise<T>): Promise<T> {
  const most = ctx.caller.limits.concurrentRuns;
  // Without row-level security: the policies would add 7 % to the CPU time of a turn.
  if (most === null) return begin(ctx.services.sql);
  return inTransaction(ctx.db, async (tx) => {
    await tx.$queryRaw`SELECT 1 FROM environment WHERE id = ${ctx.environment.id}::uuid FOR NO KEY UPDATE`;
    const running = await tx.run.count({ where: { environmentId: ctx.environment.id, status: 'running' } });
    if (running < most) return begin(sqlIn(tx));
    const limit = { name: 'concurrent-runs', points: most, seconds: 1 };
    ctx.request.reportLimit({ limit, result: { allowed: false, remaining: 0, resetSeconds: 1 } });
    throw new ServiceError(
      'rate_limited',
      `${most} turns of this environment are running, which is its limit. Try again in a moment.`,
      { retryAfterMs: 1_000 },
    );
  });
}
