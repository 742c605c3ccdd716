import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../src/db/database.ts';
import { recoverDeadRuns } from '../../src/domain/agent/recovery/dead-runs.ts';
import { RUN_LEASES } from '../../src/domain/agent/rows/lease-tables.ts';
import { claimDue, findDue } from '../../src/domain/webhooks/claim.ts';
import { findGrownLogs, queueDeliveries, sweepDeliveries } from '../../src/domain/webhooks/queue.ts';
import { textContent } from '../support/agent-apis.ts';
import { POSTGRES_URL } from '../support/database.ts';
import { insertDeadTurns } from '../support/dead-turns.ts';
import { startService, type TestService } from '../support/service.ts';
import { makeWorkspace } from '../support/tenants.ts';
import { until } from '../support/until.ts';

const WORKSPACES = 3;

const CAPACITY = { steady: 100, failing: 100 };

/** The dispatcher of the service itself must not be faster. */
const PACE = { retriesMs: [60_000], timeoutMs: 10_000, pollMs: 3_600_000 };

describe.skipIf(!POSTGRES_URL)('two processes that found the same work in several environments', () => {
  let service: TestService;
  let other: Database;
  const environments: string[] = [];
  const conversations: string[] = [];
  beforeAll(async () => {
    service = await startService({}, { webhooks: PACE });
    const [row] = await db().$queryRaw<{ name: string }[]>`SELECT current_database() AS name`;
    const url = new URL(POSTGRES_URL ?? '');
    url.pathname = `/${row?.name}`;
    other = await openDatabase({ kind: 'postgresql', url: url.href, poolSize: 4 });
    for (let count = 0; count < WORKSPACES; count += 1) {
      const workspace = await makeWorkspace(service);
      for (const kind of ['live', 'test'] as const) {
        const path = `/v2/runner/${workspace.deploymentId}/conversation`;
        const sent = { body: { content: textContent('Hello') }, key: workspace.keys[kind] };
        environments.push(workspace.environments[kind]);
        conversations.push((await service.send('POST', path, sent)).body.conversation_id);
      }
    }
  });
  afterAll(async () => {
    await other?.close();
    await service?.close();
  });

  const db = () => service.service.services.stores.prisma;
  const sqls = () => [service.service.services.stores.sql, other.sql] as const;
  const raw = (text: string, values: readonly unknown[] = []) => db().$queryRawUnsafe(text, ...values);
  const allOf = <Result>(work: (sql: Database['sql'], id: string) => Promise<Result>) =>
    Promise.all(sqls().flatMap((sql) => environments.map((id) => work(sql, id))));

  it('return each dead run to the queue once', async () => {
    for (const conversationId of conversations) {
      await insertDeadTurns(raw, { conversationId, count: 3, leaseSeconds: 3_600 });
    }
    const { services } = service.service;
    await raw(`UPDATE run SET lease_expires_at = to_timestamp(0) WHERE request_id = 'dead'`);
    const found = await services.stores.leases.deadIn(RUN_LEASES).find([]);
    const others = { stores: { ...services.stores, prisma: other.prisma }, process: services.process };
    await Promise.all([recoverDeadRuns(services, found), recoverDeadRuns(others, [...found].reverse())]);
    const runs = await until(async () => {
      const ended = await db().run.findMany({ where: { requestId: 'dead', status: 'completed' } });
      return ended.length === 3 * environments.length && ended;
    });
    expect(new Set(runs.map(({ environmentId }) => environmentId))).toEqual(new Set(environments));
    expect(runs.every(({ attemptsLeft }) => attemptsLeft === 1)).toBe(true);
  });

  it('queue each event once, and claim each delivery once', async () => {
    for (const [index, id] of environments.entries()) {
      await raw(
        `INSERT INTO webhook_endpoint (id, environment_id, url, event_types, sealed_secret, created_at, updated_at)
         VALUES ($1, $2::uuid, 'https://127.0.0.1:9/', '{}', '', now(), now())`,
        [`whk_${index}`, id],
      );
      await raw(
        `INSERT INTO event (id, environment_id, type, resource_id, payload, occurred_at)
         SELECT 'evt_' || $1 || '_' || number, $2::uuid, 'resource.created', 'res', '{}', now()
         FROM generate_series(1, 5) AS number`,
        [String(index), id],
      );
    }
    const [sql] = sqls();
    // Transactions of other tests hold events back.
    await until(async () => (await allOf(queueDeliveries)).every(({ heldBack }) => !heldBack));
    expect((await findGrownLogs(sql, environments)).ids).toEqual([]);
    expect(await db().webhookDelivery.count()).toBe(5 * environments.length);
    // The time of the first attempt is rounded to milliseconds, so it can be later than now.
    await until(async () => (await findDue(sql, environments, CAPACITY)).length === environments.length);
    const claimed = (await allOf((one, id) => claimDue(one, id, { capacity: CAPACITY, leaseMs: 60_000 }))).flat();
    // An endpoint has one first attempt at a time.
    expect(claimed.map(({ environmentId }) => environmentId).sort()).toEqual([...environments].sort());
  });

  it('claim nothing of an endpoint that was paused or disabled after the finder', async () => {
    await raw('UPDATE webhook_delivery SET lease_owner = NULL, lease_expires_at = NULL');
    const [sql] = sqls();
    expect(await findDue(sql, environments, CAPACITY)).toHaveLength(environments.length);
    await raw(`UPDATE webhook_endpoint SET paused_until = now() + interval '1 hour' WHERE environment_id = $1::uuid`, [
      environments[0],
    ]);
    await raw(
      `UPDATE webhook_endpoint SET enabled = false, disabled_reason = 'requested' WHERE environment_id = $1::uuid`,
      [environments[1]],
    );
    const claims = await allOf((one, id) => claimDue(one, id, { capacity: CAPACITY, leaseMs: 60_000 }));
    expect(claims.flat()).toHaveLength(environments.length - 2);
  });

  it('delete each old delivery, and no other', async () => {
    await raw(
      `UPDATE webhook_delivery SET status = 'failed', finished_at = CASE WHEN event_id LIKE '%_1' THEN now() ELSE to_timestamp(0) END,
              next_attempt_at = NULL, lease_owner = NULL, lease_expires_at = NULL`,
    );
    await Promise.all(sqls().map(sweepDeliveries));
    expect(await db().webhookDelivery.count()).toBe(environments.length);
  });
});
