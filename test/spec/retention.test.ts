import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CAPABLE, lookup } from '../support/agent-turns.ts';
import { expectGraphqlError } from '../support/error-bodies.ts';
import { errorOf } from '../support/results.ts';
import { backdate, daysAgo, makeDue, readRetention, setRetention, sweep } from '../support/retention.ts';
import { startService, type TestService } from '../support/service.ts';
import { openSession } from '../support/tenants.ts';
import { createTrigger } from '../support/triggers.ts';
import { until } from '../support/until.ts';

let service: TestService;
let admin: string;
beforeAll(async () => {
  service = await startService();
  admin = await openSession(service, 'admin');
});
afterAll(() => service.close());

const prisma = () => service.service.services.stores.prisma;

async function conversation(days: number): Promise<string> {
  const { conversation_id: id } = (await service.agentTurn('Hello')).body;
  await backdate(service, [id], days);
  return id;
}

const exists = async (id: string) => (await prisma().conversation.count({ where: { id } })) === 1;

const audit = (action: string) => prisma().auditEntry.findMany({ where: { action }, orderBy: { id: 'asc' } });

/** Sweeps the live environment. Returns the report. */
async function sweepReport(days: number) {
  await setRetention(service, admin, days);
  await makeDue(service);
  await sweep(service);
  return (await readRetention(service, admin)).lastSweep;
}

describe('the setting', () => {
  it('keeps everything until it is set', async () => {
    expect(await readRetention(service, admin)).toEqual({ days: null, lastSweep: null });
    const id = await conversation(5_000);
    await sweep(service);
    expect(await exists(id)).toBe(true);
    await prisma().conversation.updateMany({ where: { id }, data: { updatedAt: new Date() } });
  });

  it('is available only to signed-in owners and admins', async () => {
    for (const role of ['developer', 'viewer'] as const) {
      const response = await setRetention(service, await openSession(service, role), 30);
      expectGraphqlError(response, 'forbidden', { facts: { required_roles: ['owner', 'admin'] } });
    }
    expectGraphqlError(await setRetention(service, service.keys.live, 30), 'session_required');
    expect(errorOf(await setRetention(service, await openSession(service, 'owner'), null))).toBeUndefined();
  });

  it.each([0, -1, 3_651])('rejects %i days', async (days) => {
    expectGraphqlError(await setRetention(service, admin, days), 'invalid_request', { param: 'days' });
  });

  it('applies to one environment, and its changes are audited', async () => {
    await setRetention(service, admin, 30);
    await setRetention(service, admin, 30);
    const headers = { 'x-environment': 'test' };
    const other = await service.graphql('{ retention { days } }', {}, { key: admin, headers });
    expect(other.body.data.retention.days).toBeNull();
    expect(await audit('retention.set')).toMatchObject([
      { actorKind: 'session', environment: 'live', details: { days: 30, before: null } },
    ]);
  });
});

describe('a sweep', () => {
  it('deletes conversations of this environment whose last turn is older, and reports it once', async () => {
    const [old, young] = [await conversation(31), await conversation(29)];
    const { body } = await service.send('POST', '/v1/runner/00000000-0000-4000-8000-000000000001/conversation', {
      body: { content: [{ type: 'text', text: 'Elsewhere' }] },
      key: service.keys.test,
    });
    await backdate(service, [body.conversation_id], 31);
    const report = await sweepReport(30);
    expect(report).toMatchObject({ days: 30, conversations: 1, triggers: 0, workflowLogs: 0 });
    expect(report.duration).toBeCloseTo((Date.parse(report.finishedAt) - Date.parse(report.startedAt)) / 1_000, 3);
    expect(await Promise.all([old, young, body.conversation_id].map(exists))).toEqual([false, true, true]);
    const results = { environment: 'live', actorKind: 'service', actorId: null, address: null };
    const details = { days: 30, conversations: 1, triggers: 0, workflowLogs: 0 };
    expect(await audit('retention.swept')).toMatchObject([{ ...results, details }]);
  });

  it('reports but does not audit a sweep without deletions, and schedules the next one in an hour', async () => {
    const before = (await audit('retention.swept')).length;
    expect(await sweepReport(30)).toMatchObject({ conversations: 0 });
    expect((await audit('retention.swept')).length).toBe(before);
    const id = await conversation(31);
    await sweep(service);
    expect(await exists(id)).toBe(true);
    const { nextSweepAt } = await prisma().retention.findFirstOrThrow({ where: { days: 30 } });
    expect(nextSweepAt.getTime() - Date.now()).toBeGreaterThan(3_500_000);
    await makeDue(service);
    await sweep(service);
    expect(await exists(id)).toBe(false);
  });

  it('continues in batches until nothing is left, and adds up their counts', async () => {
    const ids = await Promise.all(Array.from({ length: 120 }, () => conversation(40)));
    expect(await sweepReport(30)).toMatchObject({ conversations: 120 });
    expect(await prisma().conversation.count({ where: { id: { in: ids } } })).toBe(0);
    expect((await audit('retention.swept')).at(-1)?.details).toMatchObject({ conversations: 120 });
  });

  it('deletes conversations that wait for their user, and keeps those with a running turn', async () => {
    const { conversation_id: waiting } = (await service.agentTurn(lookup('c1'), CAPABLE)).body;
    const running = await conversation(1);
    const response = service.agentTurn('/slow 1\n/say Still here.', { conversation_id: running });
    await until(async () => (await prisma().run.count({ where: { status: 'running' } })) > 0);
    await backdate(service, [waiting, running], 31);
    expect(await sweepReport(30)).toMatchObject({ conversations: 1 });
    expect(await Promise.all([waiting, running].map(exists))).toEqual([false, true]);
    expect((await response).body).toMatchObject({ run_status: 'completed', content: 'Still here.' });
  });

  it('deletes triggers that expired that long ago, unless their conversation still exists', async () => {
    const make = async (fields: object = {}): Promise<string> => {
      const { id } = (await createTrigger(service, {})).body;
      await prisma().trigger.updateMany({ where: { id }, data: { expiresAt: daysAgo(31), ...fields } });
      return id;
    };
    const stored = await conversation(1);
    const [unused, used] = [await make(), await make({ conversationId: stored })];
    const [young, endless] = [await make({ expiresAt: daysAgo(29) }), await make({ expiresAt: null })];
    expect(await sweepReport(30)).toMatchObject({ triggers: 1 });
    const remaining = await prisma().trigger.findMany({ where: { id: { in: [unused, used, young, endless] } } });
    expect(remaining.map(({ id }) => id).sort()).toEqual([used, young, endless].sort());
  });

  it('deletes workflow log entries after 400 days once their conversation is deleted', async () => {
    const line = async (days: number, conversationId: string | null) => {
      const { id: _id, ...like } = await prisma().workflowLog.findFirstOrThrow({
        where: { deploymentId: { not: null } },
      });
      const data = { ...like, conversationId, runId: null, triggerId: null, createdAt: daysAgo(days) };
      return (await prisma().workflowLog.create({ data })).id;
    };
    const existing = await conversation(1);
    const ids = [await line(401, null), await line(399, null), await line(401, existing)];
    expect(await sweepReport(30)).toMatchObject({ workflowLogs: 1 });
    const remaining = await prisma().workflowLog.findMany({ where: { id: { in: ids } }, orderBy: { id: 'asc' } });
    expect(remaining.map(({ id }) => id)).toEqual(ids.slice(1));
    // Longer settings keep the entries longer.
    expect(await sweepReport(500)).toMatchObject({ workflowLogs: 0 });
  });

  it('keeps the audit log and the event log', async () => {
    const counts = async () => [await prisma().event.count(), await prisma().auditEntry.count()];
    await setRetention(service, admin, 1);
    const before = await counts();
    await makeDue(service);
    await sweep(service);
    const [events, entries] = await counts();
    expect(events).toBe(before[0]);
    expect(entries).toBeGreaterThanOrEqual(before[1] ?? 0);
  });

  it('is postponed for an hour if it fails, without delaying other environments', async () => {
    const id = await conversation(31);
    await prisma().$executeRawUnsafe(`
      CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'no'; END $$`);
    await prisma().$executeRawUnsafe(
      'CREATE TRIGGER refuse BEFORE DELETE ON conversation FOR EACH ROW EXECUTE FUNCTION refuse()',
    );
    await setRetention(service, admin, 30);
    await makeDue(service);
    await sweep(service);
    expect(await exists(id)).toBe(true);
    expect(service.logLines.join('')).toContain('could not be deleted');
    await prisma().$executeRawUnsafe('DROP TRIGGER refuse ON conversation');
    expect(await prisma().retention.count({ where: { days: 30, nextSweepAt: { gt: new Date() } } })).toBe(1);
    expect(await sweepReport(30)).toMatchObject({ conversations: 1 });
  });
});
