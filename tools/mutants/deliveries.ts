import type { Mutant } from './mutant.ts';

const IDEMPOTENCY = 'domain/access/idempotency.ts';
const EFFECT = 'domain/access/claimed-effect.ts';
const LOST_CLAIMS = 'spec/lost-claims.test.ts';
const LOST_CLAIM_TURNS = 'spec/lost-claim-turns.test.ts';
const REPLAY = 'operation/idempotency.ts';
const CLAIM = 'domain/webhooks/claim.ts';
const ORDER = 'domain/events/order.ts';
const POSITIONS = 'db/log-positions.ts';
const POSITIONS_TEST = 'db/log-positions.test.ts';

/** Guards of the event log, of idempotency keys and of webhooks. */
export const DELIVERIES: readonly Mutant[] = [
  {
    name: 'a response with 410 disables the address that replaced its own',
    file: 'domain/webhooks/disable.ts',
    find: 'Prisma.sql`w.url = ${url}`',
    replace: 'Prisma.sql`${url}::text IS NOT NULL`',
    test: 'spec/webhook-receivers.test.ts',
  },
  {
    name: 'a receiver can delay its messages for any time',
    file: 'domain/webhooks/waits.ts',
    find: 'Math.min(retryAfterMs, scheduleMs)',
    replace: 'retryAfterMs',
    test: 'spec/webhook-receivers.test.ts',
  },
  {
    name: 'Retry-After does not delay newer messages',
    file: 'domain/webhooks/waits.ts',
    find: 'pauseMs: Math.max(breakerPauseMs(pace, endpointFailures + 1), requestedMs),',
    replace: 'pauseMs: breakerPauseMs(pace, endpointFailures + 1),',
    test: 'spec/webhook-receivers.test.ts',
  },
  {
    name: 'subscribers read past a transaction that is still open',
    file: ORDER,
    find: '.filter(({ xid }) => BigInt(xid) < xmin)',
    replace: '',
    test: 'engine/log-guards.test.ts',
  },
  {
    name: 'subscribers get events again that their list contained',
    file: ORDER,
    find: 'AND NOT pg_visible_in_snapshot(xid, ${snapshot}::pg_snapshot)',
    replace: '',
    test: 'engine/log-guards.test.ts',
  },
  {
    name: 'subscribers with different snapshots share a batch of the log',
    file: 'domain/events/position.ts',
    find: ' && one.snapshot === other.snapshot',
    replace: '',
    test: 'domain/log-tail.test.ts',
  },
  {
    name: 'subscribers get the batch from before a new event again',
    file: 'domain/events/log-tail.ts',
    find: 'this.#latest = undefined;',
    replace: '',
    test: 'domain/log-tail.test.ts',
  },
  {
    name: 'the log of a restored database begins at low positions again',
    file: POSITIONS,
    find: 'if (!continues)',
    replace: 'if (false)',
    test: POSITIONS_TEST,
  },
  {
    name: 'the offset changes while a transaction writes with the old one',
    file: POSITIONS,
    find: "await connection.query('LOCK TABLE conversation, event IN SHARE ROW EXCLUSIVE MODE');",
    replace: '',
    test: POSITIONS_TEST,
  },
  {
    name: 'a subscription ignores its filter by resource',
    file: 'domain/events/batch.ts',
    find: 'AND resource_id = ${resourceId}',
    replace: '',
    test: 'spec/event-stream.test.ts',
  },
  {
    name: 'events of other environments are sent',
    file: 'domain/events/batch.ts',
    find: 'environment_id = ${ctx.environment.id}::uuid',
    replace: 'true',
    test: 'engine/log-guards.test.ts',
  },
  {
    name: 'a change of a resource writes no event',
    file: 'domain/resources/change.ts',
    find: 'WITH logged AS (${event})\n    UPDATE resource',
    replace: 'UPDATE resource',
    test: 'spec/resources.test.ts',
  },
  {
    name: 'the writes of a request do not depend on its key',
    file: EFFECT,
    find: 'if (!claim || claim.runsTurn) return undefined;',
    replace: 'if (!claim || claim) return undefined;',
    test: LOST_CLAIMS,
  },
  {
    name: 'a statement takes effect under a key that another process took over',
    file: EFFECT,
    find: 'return Prisma.sql`held AS MATERIALIZED (',
    replace: 'if (claim) return Prisma.sql`held AS (SELECT 1)`;\n  return Prisma.sql`held AS MATERIALIZED (',
    test: LOST_CLAIM_TURNS,
  },
  {
    name: 'a transaction takes effect under a key that another process took over',
    file: EFFECT,
    find: 'return count > 0;',
    replace: 'return count >= 0;',
    test: LOST_CLAIM_TURNS,
  },
  {
    name: 'the lease of an idempotency key is not renewed',
    file: IDEMPOTENCY,
    find: 'renew: async () => void (await this.#held.renew())',
    replace: 'renew: async () => {}',
    test: 'engine/run-guards.test.ts',
  },
  {
    name: 'an idempotency key is taken from a process that is still working',
    file: IDEMPOTENCY,
    find: 'AND known.lease_expires_at <= now()',
    replace: '',
    test: 'engine/row-guards.test.ts',
  },
  {
    name: 'an idempotency key with another request is replayed',
    file: IDEMPOTENCY,
    find: 'record && record.fingerprint !== fingerprint',
    replace: 'record && record.fingerprint === null',
    test: 'spec/idempotency.test.ts',
  },
  {
    name: 'a replay does not need the permissions of the first caller',
    file: REPLAY,
    find: 'requireScopes(context, claimed.response.scopes);',
    replace: '',
    test: 'spec/idempotency.test.ts',
  },
  {
    name: 'a failure of the server is stored under its idempotency key',
    file: REPLAY,
    find: 'response && status < 500 &&',
    replace: 'response &&',
    test: 'spec/idempotency.test.ts',
  },
  {
    name: 'a rejection before the start uses up its idempotency key',
    file: REPLAY,
    find: '!NOT_STARTED.has(status) && ',
    replace: '',
    test: 'spec/operator-limits.test.ts',
  },
  {
    name: 'callers without credentials may use short idempotency keys',
    file: REPLAY,
    find: 'if (key.length < LIMITS.anonymousKeyLength) {',
    replace: "if (key === '') {",
    test: 'spec/visitor-keys.test.ts',
  },
  {
    name: 'callers without credentials share their idempotency keys',
    file: REPLAY,
    find: '`${id} ${visitor ? `visitor ${visitor.id}` : `address ${addressKey(open.request.address)}`}`',
    replace: '`${id} ${visitor && open ? addressKey.name : addressKey.name}`',
    test: 'spec/visitor-keys.test.ts',
  },
  {
    name: 'an attempt of a webhook is recorded without its lease',
    file: 'domain/webhooks/record.ts',
    find: "AND lease_owner = ${lease}::uuid AND status = 'pending'",
    replace: "AND status = 'pending'",
    test: 'engine/row-guards.test.ts',
  },
  {
    name: 'a process releases the claim of another process',
    file: CLAIM,
    find: 'environment_id = ${environmentId}::uuid AND lease_owner = ${lease}::uuid',
    replace: "environment_id = ${environmentId}::uuid AND ${lease} <> ''",
    test: 'engine/row-guards.test.ts',
  },
  {
    name: 'a webhook is sent to a disabled endpoint',
    file: CLAIM,
    find: 'AND w.enabled\n',
    replace: '\n',
    test: 'spec/webhook-delivery.test.ts',
  },
  {
    name: 'an open circuit breaker stops nothing',
    file: CLAIM,
    find: 'AND (w.paused_until IS NULL OR w.paused_until <= now())',
    replace: '',
    test: 'spec/webhook-fairness.test.ts',
  },
  {
    name: 'a failing endpoint has several attempts at once',
    file: CLAIM,
    find: 'AND (NOT is_failing OR (place = 1 AND NOT is_busy))',
    replace: '',
    test: 'spec/webhook-fairness.test.ts',
  },
  {
    name: 'failing endpoints take the room of the others',
    file: 'domain/webhooks/attempt-pool.ts',
    find: "delivery.endpointFailures > 0 ? 'failing' : 'steady'",
    replace: "delivery.endpointFailures < 0 ? 'failing' : 'steady'",
    test: 'engine/row-guards.test.ts',
  },
  {
    name: 'an endpoint that fails for days stays enabled',
    file: 'domain/webhooks/attempt-pool.ts',
    find: 'if (isExpired && ',
    replace: 'if (!isExpired && isExpired && ',
    test: 'spec/webhook-fairness.test.ts',
  },
];
