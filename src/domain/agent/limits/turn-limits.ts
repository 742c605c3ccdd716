import { ServiceError } from '../../../contract/errors.ts';
import { LIMITS } from '../../../contract/limits.ts';
import { formatCount } from '../../../contract/quantities.ts';
import { Prisma } from '../../../db/generated/client.ts';
import type { RateLimit } from '../../../db/rate-limiter.ts';
import { type Sql, sqlIn } from '../../../db/sql.ts';
import { inTransaction, type Transaction } from '../../../db/transaction.ts';
import { requireChallenge } from '../../access/challenges/require-challenge.ts';
import {
  addressKey,
  configuredLimit,
  countRequest,
  endUserKey,
  RATE_LIMITS,
  visitorLimit,
} from '../../access/rate-limits.ts';
import { isStranger, isStrangersShare, shareOf, strangerParts } from '../../access/shares.ts';
import type { AnonymousCaller } from '../../caller.ts';
import type { Context } from '../../context.ts';
import type { PublishedDeployment } from '../../workflows/deployments.ts';

/**
 * Counts a turn or a one-shot run against the limits of its deployment. Turns of an end user also count against their own
 * limit, and anonymous turns against the limits of their visitor and their conversation. An anonymous start needs a solved
 * challenge.
 * @throws {ServiceError} rate_limited, challenge_required, unavailable
 */
export async function countTurn(ctx: Context, deployment: PublishedDeployment, conversationId: unknown): Promise<void> {
  const { services, request, caller } = ctx;
  const { id, turnsPerMinute, conversationTurnsPerMinute } = deployment;
  // Before any count, so that nobody uses up the limits of all callers without a solved challenge.
  if (typeof conversationId !== 'string') await requireChallenge(ctx, deployment);
  const count = (limit: Parameters<typeof countRequest>[1], key: string) =>
    countRequest(services.stores.rateLimiter, limit, key, request.reportLimit);
  if (turnsPerMinute !== null) await count(configuredLimit('deploymentTurns', turnsPerMinute), id);
  if (caller.kind === 'end_user') await count(RATE_LIMITS.endUserTurns, endUserKey(caller));
  if (caller.kind !== 'anonymous') return;
  await countVisitor(ctx, deployment, caller);
  if (typeof conversationId !== 'string') return;
  const ofConversation = conversationTurnsPerMinute ?? RATE_LIMITS.anonymousTurns.points;
  await count(configuredLimit('conversationTurns', ofConversation), conversationId);
}

/** Each turn counts for the address, so that a caller without the cookie gains nothing. Visitors keep their count when their address changes. */
async function countVisitor(
  { services, request }: Context,
  { id, visitorTurnsPerHour, visitorTurnsPerDay }: PublishedDeployment,
  { visitor }: AnonymousCaller,
): Promise<void> {
  const keys = [`${id}:${addressKey(request.address)}`, ...(visitor ? [`${id}:visitor:${visitor.id}`] : [])];
  const limits = [
    ...(visitorTurnsPerHour === null ? [] : [visitorLimit('hour', visitorTurnsPerHour)]),
    ...(visitorTurnsPerDay === null ? [] : [visitorLimit('day', visitorTurnsPerDay)]),
  ];
  for (const limit of limits) {
    for (const key of keys) await countRequest(services.stores.rateLimiter, limit, key, request.reportLimit);
  }
}

/**
 * Counts the start of a conversation whose ID the caller chose. The request was counted as one that continues it.
 * @throws {ServiceError} rate_limited, challenge_required, unavailable
 */
export async function countStart(ctx: Context, deployment: PublishedDeployment): Promise<void> {
  const { services, request, caller } = ctx;
  await requireChallenge(ctx, deployment);
  if (caller.kind !== 'anonymous' || caller.anonymousPerMinute !== null) return;
  const { anonymousStarts } = RATE_LIMITS;
  await countRequest(services.stores.rateLimiter, anonymousStarts, addressKey(request.address), request.reportLimit);
}

/**
 * Counts a copy of a conversation as a turn of it, and as a start.
 * @throws {ServiceError} rate_limited, challenge_required, unavailable
 */
export async function countFork(ctx: Context, deployment: PublishedDeployment, conversationId: string): Promise<void> {
  await countTurn(ctx, deployment, conversationId);
  await countStart(ctx, deployment);
}

/**
 * Starts or continues a run if the environment has fewer active turns than its limit, and the caller fewer than their share
 * of it. A background turn only needs a place in the queue. The counts are exact, because starts are serialized by the
 * environment's row lock. Without a limit there is no extra cost.
 * @throws {ServiceError} rate_limited
 */
export function withinRunLimit<T>(ctx: Context, background: boolean, begin: (sql: Sql) => Promise<T>): Promise<T> {
  const most = background ? LIMITS.queuedRuns : ctx.caller.limits.concurrentRuns;
  // Without row-level security: the policies would add 7 % to the CPU time of a turn.
  if (most === null) return begin(ctx.services.stores.sql);
  return inTransaction(ctx.db, async (tx) => {
    await lockEnvironment(ctx, tx);
    const of = background ? QUEUED : RUNNING;
    const problem = problemOf(ctx, await countRuns(ctx, tx, of.condition), most);
    if (!problem) return begin(sqlIn(tx));
    throw full(
      ctx,
      { name: of.name, points: problem.most, seconds: of.seconds },
      `${problem.who} ${of.text(problem.most)}`,
    );
  });
}

const RUNNING = {
  name: 'concurrent-runs',
  seconds: 1,
  condition: Prisma.sql`lease_owner IS NOT NULL`,
  text: (most: number) => `${formatCount(most)} running turns. Try again in a moment.`,
};

const QUEUED = {
  name: 'queued-runs',
  seconds: 10,
  condition: Prisma.sql`lease_owner IS NULL`,
  text: (most: number) => `${formatCount(most)} waiting background turns. Try again later.`,
};

interface RunCounts {
  readonly of_all: number;
  readonly of_one: number;
  readonly of_strangers: number;
}

async function countRuns(ctx: Context, tx: Transaction, condition: Prisma.Sql): Promise<RunCounts> {
  const [counts] = await tx.$queryRaw<RunCounts[]>`
    SELECT count(*)::int AS of_all, (count(*) FILTER (WHERE share_key = ${shareOf(ctx)}))::int AS of_one,
           (count(*) FILTER (WHERE ${isStrangersShare(Prisma.sql`share_key`)}))::int AS of_strangers
    FROM run WHERE environment_id = ${ctx.environment.id}::uuid AND status = 'running' AND ${condition}`;
  if (!counts) throw new Error('a query of counts has no row');
  return counts;
}

/** Whose limit is reached. Undefined: nobody's. */
function problemOf(
  { caller }: Context,
  { of_all, of_one, of_strangers }: RunCounts,
  most: number,
): { readonly who: string; readonly most: number } | undefined {
  if (of_all >= most) return { who: 'This environment has reached its limit of', most };
  if (!isStranger(caller)) return undefined;
  const { one, all } = strangerParts(most);
  if (of_one >= one) return { who: 'You have reached your share of', most: one };
  if (of_strangers >= all) return { who: 'Callers like you have reached their share of', most: all };
  return undefined;
}

function full({ request }: Context, limit: RateLimit, message: string): ServiceError {
  const { seconds } = limit;
  request.reportLimit({ limit, result: { allowed: false, remaining: 0, resetSeconds: seconds } });
  return new ServiceError('rate_limited', message, { retryAfterMs: seconds * 1_000 });
}

function lockEnvironment(ctx: Context, tx: Transaction): Promise<unknown> {
  return tx.$queryRaw`SELECT 1 FROM environment WHERE id = ${ctx.environment.id}::uuid FOR NO KEY UPDATE`;
}
