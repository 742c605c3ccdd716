import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDatabase } from '../../src/db/database.ts';
import { sweepDue } from '../../src/domain/retention/sweep.ts';
import { POSTGRES_URL } from '../support/database.ts';
import { backdate, makeDue, readRetention, setRetention, sweep } from '../support/retention.ts';
import { startService, type TestService } from '../support/service.ts';
import { openSession } from '../support/tenants.ts';

describe.skipIf(!POSTGRES_URL)('sweeps on PostgreSQL', () => {
  let service: TestService;
  let admin: string;
  let url: string;
  beforeAll(async () => {
    service = await startService();
    admin = await openSession(service, 'admin');
    const [row] = await prisma().$queryRaw<{ name: string }[]>`SELECT current_database() AS name`;
    const at = new URL(POSTGRES_URL ?? '');
    at.pathname = `/${row?.name}`;
    url = at.href;
    await setRetention(service, admin, 30);
  });
  afterAll(() => service?.close());

  const prisma = () => service.service.services.stores.prisma;

  async function conversations(count: number, key = service.keys.live): Promise<string[]> {
    const start = async () => {
      const body = { content: [{ type: 'text', text: 'Hello' }] };
      const path = '/v2/runner/00000000-0000-4000-8000-000000000002/conversation';
      return (await service.send('POST', path, { body, key })).body.conversation_id as string;
    };
    const ids = await Promise.all(Array.from({ length: count }, start));
    await backdate(service, ids, 31);
    return ids;
  }

  it('of two processes delete and count everything once', async () => {
    const live = await conversations(230);
    const test = await conversations(70, service.keys.test);
    const headers = { 'x-environment': 'test' };
    await service.graphql(
      'mutation { setRetention(input: { days: 30 }) { __typename ... on SetRetentionPayload { retention { days } } ... on Error { code message path } } }',
      {},
      { key: admin, headers },
    );
    await makeDue(service);
    const others = await Promise.all([0, 1].map(() => openDatabase({ kind: 'postgresql', url, poolSize: 2 })));
    const { process } = service.service.services;
    await Promise.all(others.map((one) => sweepDue({ stores: one, process })));
    await Promise.all(others.map((one) => one.close()));
    expect(await prisma().conversation.count({ where: { id: { in: [...live, ...test] } } })).toBe(0);
    const reports = await prisma().retention.findMany({ include: { environment: true } });
    const counted = Object.fromEntries(reports.map((row) => [row.environment.kind, row.conversations]));
    expect(counted).toEqual({ live: 230, test: 70 });
    expect(reports.every(({ finishedAt }) => finishedAt !== null)).toBe(true);
    const results = await prisma().auditEntry.findMany({ where: { action: 'retention.swept' } });
    expect(results.map(({ environment, details }) => ({ environment, details }))).toEqual(
      expect.arrayContaining([
        { environment: 'live', details: { days: 30, conversations: 230, triggers: 0, workflowLogs: 0 } },
        { environment: 'test', details: { days: 30, conversations: 70, triggers: 0, workflowLogs: 0 } },
      ]),
    );
    expect(results).toHaveLength(2);
  });

  it('continue the sweep of a process that died', async () => {
    const ids = await conversations(60);
    await prisma().retention.deleteMany({ where: { environment: { kind: 'test' } } });
    await makeDue(service);
    const stopped = new AbortController();
    // Only one batch.
    const sweeping = sweepDue(service.service.services, stopped.signal);
    stopped.abort();
    await sweeping;
    const { lastSweep: started } = await readRetention(service, admin);
    expect(started).toMatchObject({ finishedAt: null, duration: null, conversations: 50 });
    await sweep(service);
    const { lastSweep: ended } = await readRetention(service, admin);
    expect(ended).toMatchObject({ startedAt: started.startedAt, conversations: 60, finishedAt: expect.any(String) });
    expect(await prisma().conversation.count({ where: { id: { in: ids } } })).toBe(0);
  });

  it('never delete a conversation during a turn: each turn completes or gets 404', async () => {
    const ids = await conversations(40);
    await makeDue(service);
    const turns = ids.map((id) => service.agentTurn('Still there?', { conversation_id: id }));
    await Promise.all([sweep(service), ...turns]);
    for (const [index, response] of (await Promise.all(turns)).entries()) {
      const id = ids[index] ?? '';
      const stored = await prisma().conversation.findFirst({ where: { id } });
      expect([200, 404]).toContain(response.status);
      expect(stored !== null).toBe(response.status === 200);
      if (!stored) continue;
      expect(stored.messageCount).toBe(4);
      expect(await prisma().timelineItem.count({ where: { conversationId: id } })).toBe(4);
    }
  });

  it('skip locked conversations, and keep those that have a new turn', async () => {
    const [held = '', free = ''] = await conversations(2);
    const holder = new pg.Client({ connectionString: url });
    await holder.connect();
    await holder.query('BEGIN');
    await holder.query('SELECT 1 FROM conversation WHERE id = $1 FOR NO KEY UPDATE', [held]);
    await makeDue(service);
    await sweep(service);
    const remaining = async () =>
      (await prisma().conversation.findMany({ where: { id: { in: [held, free] } } })).length;
    expect(await remaining()).toBe(1);
    await holder.query('UPDATE conversation SET updated_at = now() WHERE id = $1', [held]);
    await holder.query('COMMIT');
    await holder.end();
    await makeDue(service);
    await sweep(service);
    expect(await remaining()).toBe(1);
  });
});
