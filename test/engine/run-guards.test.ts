import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { recoverDeadRuns } from '../../src/domain/agent/recovery/dead-runs.ts';
import { publishScripted } from '../support/actions.ts';
import { readHistory, textOf } from '../support/agent-turns.ts';
import { busyMs } from '../support/event-loop.ts';
import { loseRun } from '../support/lose-run.ts';
import { DEMO_AGENT_ID, startService, type TestService } from '../support/service.ts';
import { makeDeployment } from '../support/tenants.ts';
import { until } from '../support/until.ts';
import { workflowsOf } from '../support/workflows.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const db = () => service.service.services.stores.prisma;

/** Starts a conversation, then a turn of it that runs while the test goes on. */
async function startTurn(script: string, { fields = {}, deploymentId = DEMO_AGENT_ID, headers = {} } = {}) {
  const path = `/v2/runner/${deploymentId}/conversation`;
  const send = (text: string, more: object = {}) =>
    service.send('POST', path, { headers, body: { content: [{ type: 'text', text }], ...more } });
  const { conversation_id: conversationId } = (
    await service.send('POST', path, { body: { content: [{ type: 'text', text: 'Hello' }] } })
  ).body;
  const response = send(script, { conversation_id: conversationId, ...fields });
  const { id: runId } = await until(
    async () => (await db().run.findFirst({ where: { conversationId, status: 'running' } })) ?? undefined,
  );
  return { conversationId, runId, response };
}

const texts = async (conversationId: string) =>
  (await readHistory(service, conversationId)).items.filter(({ type }) => type === 'message').map(textOf);

describe('the owner of a run', () => {
  it('stores nothing after another process has raised the fence', async () => {
    const { conversationId, runId, response } = await startTurn('/slow 1\n/say too late');
    await db().run.updateMany({ where: { id: runId }, data: { fence: { increment: 1 } } });
    expect((await response).status).toBe(502);
    expect(await texts(conversationId)).not.toContain('too late');
    expect((await db().run.findFirstOrThrow({ where: { id: runId } })).status).toBe('running');
  });

  it('stops its work with the next heartbeat when it has lost the lease', async () => {
    const { runId, response } = await startTurn('/slow 30\n/say too late');
    const lostAt = performance.now();
    await db().run.updateMany({ where: { id: runId }, data: { leaseOwner: randomUUID() } });
    expect((await response).status).toBe(502);
    expect(performance.now() - lostAt).toBeLessThan(busyMs(15_000));
  });

  it('keeps a run whose lease was renewed before the recovery locked it', async () => {
    const { runId, response } = await startTurn('/slow 1\n/say done');
    await recoverDeadRuns(service.service.services, [await db().run.findFirstOrThrow({ where: { id: runId } })]);
    expect((await response).body.content).toBe('done');
  });

  it.each([
    ['failed', 'without accepted tool results', false],
    ['interrupted', 'with accepted tool results', true],
  ])('finds the run %s %s after another process has settled it, and leaves it so', async (status, _when, accepted) => {
    const { runId, response } = await startTurn('/slow 1\n/say too late');
    await db().run.updateMany({ where: { id: runId }, data: { resultsAccepted: accepted } });
    await loseRun(service, runId);
    expect((await response).status).toBe(502);
    const run = await db().run.findFirstOrThrow({ where: { id: runId } });
    expect([run.status, run.errorCode]).toEqual([status, 'process_lost']);
  });

  it('renews the lease of an Idempotency-Key while its request runs', async () => {
    const key = `renewed-${randomUUID()}`;
    const { response } = await startTurn('/slow 3\n/say done', {
      headers: { 'idempotency-key': key },
    });
    const find = () => db().idempotencyRecord.findFirstOrThrow({ where: { key } });
    const first = (await find()).leaseExpiresAt?.getTime() ?? 0;
    const renewed = await until(async () => ((await find()).leaseExpiresAt?.getTime() ?? 0) > first);
    expect(renewed).toBe(true);
    expect((await response).body.content).toBe('done');
  });
});

describe('settling a run', () => {
  it('ends the calls that are still open', async () => {
    const { conversationId, runId, response } = await startTurn('/slow 1\n/fail');
    await db().$executeRaw`
      INSERT INTO timeline_item (environment_id, conversation_id, run_id, step, kind, call_id, name, arguments, status,
                                 revision, created_at)
      SELECT environment_id, conversation_id, id, 0, call.kind::timeline_kind, call.call_id, call.name, '{}',
             call.status::call_status, nextval('timeline_revision'), now()
      FROM run, (VALUES ('client_tool', 'call_open_1', 'lookup', 'pending'),
                        ('action', 'call_open_2', 'post', 'running')) AS call(kind, call_id, name, status)
      WHERE id = ${runId}::uuid`;
    expect((await response).status).toBe(502);
    const calls = await db().timelineItem.findMany({
      where: { conversationId, callId: { not: null } },
      orderBy: { id: 'asc' },
    });
    expect(calls.map(({ status }) => status)).toEqual(['cancelled', 'failed']);
  });

  it('completes the conversation only if complete_conversation was the last server tool of the turn', async () => {
    const { turn } = await publishScripted(service, workflowsOf(service), {
      allowConversationCompletion: true,
      resourceTools: ['FIND_RESOURCES'],
    });
    const { body } = await turn('/complete && /call find_resources {"type":"order"}\n/say still open');
    expect([body.content, body.conversation_status]).toEqual(['still open', 'active']);
    const where = { conversationId: body.conversation_id, name: 'complete_conversation' };
    expect((await db().timelineItem.findFirstOrThrow({ where })).status).toBe('not_completed');
  });
});

describe('messages that wait for their turn', () => {
  /** A message that waits in a process that lives. */
  async function queueElsewhere(conversationId: string): Promise<string> {
    const runId = randomUUID();
    await db().$executeRaw`
      INSERT INTO queued_turn (run_id, environment_id, conversation_id, content, agent, workflow_version, model, request_id,
                               lease_owner, lease_expires_at, created_at)
      SELECT ${runId}::uuid, environment_id, id, ${JSON.stringify([{ type: 'text', text: 'First' }])}::jsonb, true, 1, 'demo',
             'req_elsewhere', ${randomUUID()}::uuid, now() + interval '4 s', now()
      FROM conversation WHERE id = ${conversationId}::uuid`;
    return runId;
  }

  const renewElsewhere = (runId: string) =>
    db().$executeRaw`UPDATE queued_turn SET lease_expires_at = now() + interval '4 s' WHERE run_id = ${runId}::uuid`;

  it('are not overtaken, neither by a message that finds the conversation idle nor by one that waits', async () => {
    const { id: deploymentId } = await makeDeployment(service, {}, { kind: 'agent', doubleTextPolicy: 'enqueue' });
    const path = `/v2/runner/${deploymentId}/conversation`;
    const send = (text: string, fields: object = {}) =>
      service.send('POST', path, { body: { content: [{ type: 'text', text }], ...fields } });
    const { conversation_id } = (await send('Hello')).body;
    const runId = await queueElsewhere(conversation_id);
    let isDone = false;
    const second = send('Second', { conversation_id }).finally(() => {
      isDone = true;
    });
    await until(async () => (await db().queuedTurn.count({ where: { conversationId: conversation_id } })) === 2);
    for (let heartbeat = 0; heartbeat < 5; heartbeat += 1) {
      await renewElsewhere(runId);
      await new Promise((resolve) => setTimeout(resolve, 200));
      expect(isDone).toBe(false);
    }
    await db().queuedTurn.deleteMany({ where: { runId } });
    expect((await second).body.content).toBe('You said: Second');
  });
});

describe('a shutdown', () => {
  it('waits for a turn whose client has disconnected, and accepts no other', async () => {
    const leaving = await startService();
    const abort = new AbortController();
    const { prisma } = leaving.service.services.stores;
    const request = fetch(`${leaving.url}/v2/runner/${DEMO_AGENT_ID}/conversation`, {
      method: 'POST',
      headers: { authorization: `Bearer ${leaving.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ content: [{ type: 'text', text: '/slow 1.5\n/say done' }] }),
      signal: abort.signal,
    }).catch(() => undefined);
    await until(async () => (await prisma.run.count({ where: { status: 'running' } })) === 1);
    abort.abort();
    await request;
    const drained = leaving.service.services.process.runs.drain(10_000);
    expect((await leaving.agentTurn('Too late')).status).toBe(503);
    await drained;
    expect((await prisma.run.findMany()).map(({ status }) => status)).toEqual(['completed']);
    await leaving.close();
  });
});
