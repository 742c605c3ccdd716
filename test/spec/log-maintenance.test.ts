import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  AUDIT_LOG,
  EVENT_LOG,
  firstIdOf,
  type PartitionedLog,
  partitionName,
  periodAt,
  WORKFLOW_LOG,
} from '../../src/db/partitions/periods.ts';
import { DEMO_CHAT_ID } from '../../src/domain/first-start.ts';
import { openPool, POSTGRES_URL } from '../support/database.ts';
import { eventIdAt } from '../support/event-log.ts';
import { startService, type TestService } from '../support/service.ts';
import { openSession } from '../support/tenants.ts';
import { until } from '../support/until.ts';

const TEN_MINUTES_MS = 600_000;

describe('a running service', () => {
  let service: TestService;
  beforeAll(async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    service = await startService({ auditLogDays: 1, eventLogDays: 7 });
  });
  afterEach(() => vi.useRealTimers());
  afterAll(() => service?.close());

  const readNames = async () => {
    const rows = await service.service.services.stores.prisma.$queryRaw<{ name: string }[]>`
      SELECT inhrelid::regclass::text AS name FROM pg_inherits
      WHERE inhparent IN ('audit_entry'::regclass, 'workflow_log'::regclass, 'event'::regclass)`;
    return rows.map(({ name }) => name);
  };

  const readLastId = async ({ table }: PartitionedLog) => {
    const { prisma } = service.service.services.stores;
    const [row] = await prisma.$queryRawUnsafe<{ last: bigint }[]>(`SELECT last_value AS last FROM ${table}_id_seq`);
    return row?.last ?? 0n;
  };

  it('maintains the partitions of the logs every ten minutes, with AUDIT_LOG_DAYS and EVENT_LOG_DAYS', async () => {
    const first = ['audit_entry_first', 'event_default', 'event_first', 'workflow_log_first'];
    expect((await readNames()).sort()).toEqual(first);
    if (POSTGRES_URL) await ageLogs();
    vi.advanceTimersByTime(TEN_MINUTES_MS);
    for (const log of [AUDIT_LOG, WORKFLOW_LOG]) {
      const current = partitionName(log, periodAt(log, new Date()));
      await until(async () => (await readNames()).includes(current));
      await until(async () => (await readLastId(log)) >= BigInt(firstIdOf(log, periodAt(log, new Date()))));
    }
    const next = partitionName(EVENT_LOG, periodAt(EVENT_LOG, new Date()) + 2);
    await until(async () => (await readNames()).includes(next));
    for (const dropped of POSTGRES_URL ? ['audit_entry_first', 'event_old'] : [])
      await until(async () => !(await readNames()).includes(dropped));
  });

  it('returns and finds the IDs of the new periods by both APIs', async () => {
    const first = (log: PartitionedLog) => Number(firstIdOf(log, periodAt(log, new Date())));
    const body = { content: [{ type: 'text', text: '/say done' }] };
    const run = await service.send('POST', `/v1/runner/${DEMO_CHAT_ID}`, { body });
    expect(run.body.workflow_log_id).toBe(first(WORKFLOW_LOG));
    const admin = await openSession(service, 'admin');
    const log = await service.graphql(
      '{ workflowLogs(first: 1) { nodes { id workflowLogId } } auditLog(first: 1) { nodes { id auditEntryId } } }',
      {},
      { key: admin },
    );
    const nodes = [log.body.data.workflowLogs.nodes[0], log.body.data.auditLog.nodes[0]];
    expect(nodes).toMatchObject([{ workflowLogId: first(WORKFLOW_LOG) }, { auditEntryId: expect.any(Number) }]);
    expect(nodes[1].auditEntryId).toBeGreaterThanOrEqual(first(AUDIT_LOG));
    for (const { id } of nodes) {
      const found = await service.graphql('query ($id: ID!) { node(id: $id) { id } }', { id }, { key: admin });
      expect(found.body.data.node).toEqual({ id });
    }
  });

  /** Empties the audit log, which is append-only, also for tests. Gives the event log a partition of a time long ago. */
  async function ageLogs(): Promise<void> {
    const [row] = await service.service.services.stores.prisma.$queryRaw<
      { name: string }[]
    >`SELECT current_database() AS name`;
    const url = new URL(POSTGRES_URL ?? '');
    url.pathname = `/${row?.name}`;
    const pool = openPool(url.href, 1);
    await pool.query("SET session_replication_role = 'replica'; DELETE FROM audit_entry");
    await pool.query(`
      ALTER TABLE event DETACH PARTITION event_first;
      CREATE TABLE event_old PARTITION OF event
        FOR VALUES FROM (MINVALUE) TO ('${firstIdOf(EVENT_LOG, periodAt(EVENT_LOG, new Date()) - 8)}');
      INSERT INTO event (id, environment_id, type, resource_id, payload, occurred_at)
      SELECT '${eventIdAt(new Date(Date.now() - 100 * 86_400_000))}', id, 'resource.created', 'r', '{}', now()
      FROM environment LIMIT 1`);
    await pool.end();
  }
});
