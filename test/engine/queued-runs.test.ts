import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { claimRuns } from '../../src/domain/agent/queue/claim-runs.ts';
import { textContent } from '../support/agent-apis.ts';
import { insertDeadTurns } from '../support/dead-turns.ts';
import { dictate } from '../support/dictation.ts';
import { loseRun } from '../support/lose-run.ts';
import { type ProviderService, startProviderService } from '../support/provider-service.ts';
import { until } from '../support/until.ts';

let provided: ProviderService;
let deploymentId: string;
let environmentId: string;
beforeAll(async () => {
  provided = await startProviderService();
  deploymentId = await provided.agent();
  environmentId = (await db().environment.findFirstOrThrow({ where: { kind: 'live' } })).id;
});
afterAll(() => provided.close());
const db = () => provided.service.service.services.stores.prisma;
const start = async (text: string, path = `/v2/runner/${deploymentId}/conversation`) => {
  const { status, body } = await provided.service.send('POST', path, {
    body: { content: textContent(text) },
    headers: { prefer: 'respond-async' },
  });
  expect(status, JSON.stringify(body)).toBe(202);
  return body as { conversation_id: string; run_id: string };
};
const statusOf = async (id: string) => (await db().run.findFirstOrThrow({ where: { id } })).status;
const ended = (id: string) => until(async () => (await statusOf(id)) !== 'running');
const newestRun = () => db().run.findFirstOrThrow({ orderBy: { createdAt: 'desc' } });
const setLimit = (backgroundRuns: number | null) =>
  db().environment.update({ where: { id: environmentId }, data: { backgroundRuns } });

/** What the users said in the requests to the model since the first `count`. */
const asked = (count: number) =>
  provided.provider.requests.slice(count).map(({ body }) => (body.messages as { content: string }[]).at(-1)?.content);

describe('background turns of an environment', () => {
  it('run within its limit, and the others wait in order', async () => {
    await setLimit(1);
    const before = provided.provider.requests.length;
    const first = dictate(provided.provider);
    const runs = [await start('one')];
    await until(async () => provided.provider.requests.length === before + 1);
    for (const text of ['two', 'three', 'four']) runs.push(await start(text));
    expect(asked(before)).toEqual(['one']);
    provided.provider.reply({ kind: 'answer', deltas: ['Done'] });
    first.say('Done');
    first.end();
    for (const { run_id } of runs) await ended(run_id);
    expect(asked(before)).toEqual(['one', 'two', 'three', 'four']);
    expect(await Promise.all(runs.map(({ run_id }) => statusOf(run_id)))).toEqual(Array(4).fill('completed'));
    await setLimit(null);
  });

  it('can be stopped while they wait', async () => {
    await setLimit(1);
    const first = dictate(provided.provider);
    const running = await start('one');
    await until(async () => (await db().run.findFirstOrThrow({ where: { id: running.run_id } })).leaseOwner !== null);
    const waiting = await start('two');
    const path = `/v1/runner/conversation/${waiting.conversation_id}/stop`;
    const stopped = await provided.service.send('POST', path, { body: {} });
    expect([stopped.status, stopped.body.run_status]).toEqual([200, 'interrupted']);
    expect((await db().run.findFirstOrThrow({ where: { id: waiting.run_id } })).finishReason).toBe('stopped');
    first.say('Done');
    first.end();
    await ended(running.run_id);
    await setLimit(null);
  });

  it('count against the limit of all turns only while they run, and wait for it', async () => {
    const limits = (data: object) => db().environment.update({ where: { id: environmentId }, data });
    await limits({ concurrentRuns: 2, backgroundRuns: 1 });
    const first = dictate(provided.provider);
    const running = await start('one');
    await until(async () => (await db().run.findFirstOrThrow({ where: { id: running.run_id } })).leaseOwner !== null);
    const waiting = await start('two');
    provided.provider.reply({ kind: 'answer', deltas: ['Done'] });
    expect((await provided.turn(deploymentId)).status).toBe(200);
    await limits({ concurrentRuns: 1, backgroundRuns: null });
    const rejected = await provided.turn(deploymentId);
    expect([rejected.status, rejected.body.error.code]).toEqual([429, 'rate_limited']);
    const { prisma, leases } = provided.service.service.services.stores;
    expect(await claimRuns(prisma, leases, environmentId, { most: 10, background: 10 })).toEqual([]);
    expect((await db().run.findFirstOrThrow({ where: { id: waiting.run_id } })).leaseOwner).toBeNull();
    first.end();
    await ended(waiting.run_id);
    expect((await provided.turn(deploymentId)).status).toBe(200);
    await limits({ concurrentRuns: null });
  });

  it('start although an earlier one cannot be read', async () => {
    await setLimit(1);
    const first = dictate(provided.provider);
    const running = await start('one');
    await until(async () => (await db().run.findFirstOrThrow({ where: { id: running.run_id } })).leaseOwner !== null);
    const unreadable = await start('two');
    const readable = await start('three');
    await db().run.updateMany({ where: { id: unreadable.run_id }, data: { workflowVersion: 999 } });
    await setLimit(null);
    provided.provider.reply({ kind: 'answer', deltas: ['Done'] });
    first.end();
    await ended(readable.run_id);
    expect(await statusOf(unreadable.run_id)).toBe('running');
    await db().run.updateMany({ where: { id: unreadable.run_id }, data: { workflowVersion: 1 } });
    provided.provider.reply({ kind: 'answer', deltas: ['Done'] });
    await ended(unreadable.run_id);
    expect(await statusOf(unreadable.run_id)).toBe('completed');
  });

  it('are rejected when a thousand wait', async () => {
    const { run_id: id, conversation_id: conversationId } = await start('one');
    await ended(id);
    await setLimit(1);
    await db().$executeRaw`
      WITH other AS (
        INSERT INTO conversation (id, environment_id, deployment_id, name, variables, meta, created_at, updated_at)
        SELECT gen_random_uuid(), environment_id, deployment_id, 'full', '{}', '{}', now(), now()
        FROM conversation, generate_series(1, 1001) WHERE id = ${conversationId}::uuid
        RETURNING id, environment_id
      )
      INSERT INTO run (id, environment_id, conversation_id, workflow_version, agent, status, model, background,
                       lease_owner, lease_expires_at, request_id, created_at, updated_at)
      SELECT gen_random_uuid(), other.environment_id, other.id, 1, true, 'running', 'demo', true,
             CASE WHEN row_number() OVER () = 1 THEN gen_random_uuid() END,
             CASE WHEN row_number() OVER () = 1 THEN now() + interval '3 s' END, 'full', now(), now()
      FROM other`;
    const { status, body } = await provided.service.send('POST', `/v2/runner/${deploymentId}/conversation`, {
      body: { content: textContent('more') },
      headers: { prefer: 'respond-async' },
    });
    expect([status, body.error.code]).toEqual([429, 'rate_limited']);
    await db().$executeRaw`
      UPDATE run SET status = 'failed', lease_owner = NULL, lease_expires_at = NULL WHERE request_id = 'full'`;
    await setLimit(null);
  });
});

describe('a run that another process has continued', () => {
  it('gives its outcome to the client of the first process, which stores nothing more', async () => {
    const continued = await provided.agent({ recovery: 'continue' });
    const first = dictate(provided.provider);
    const asked = provided.provider.nextRequest();
    const response = provided.turn(continued);
    await asked;
    const { id } = await newestRun();
    provided.provider.reply({ kind: 'answer', deltas: ['Of the second process'] });
    await loseRun(provided.service, id);
    first.say('Of the first process');
    first.end();
    const { status, body } = await response;
    expect([status, body.run_id, body.content]).toEqual([200, id, 'Of the second process']);
    expect(await db().timelineItem.count({ where: { runId: id } })).toBe(2);
  });

  it.each(['continue', 'settle'] as const)('is stopped instead if a client has asked for it: %s', async (recovery) => {
    const continued = await provided.agent({ recovery });
    provided.provider.reply({ kind: 'hang' });
    const asked = provided.provider.nextRequest();
    const response = provided.turn(continued);
    await asked;
    const { id } = await newestRun();
    await db().run.updateMany({ where: { id }, data: { interrupted: true } });
    await loseRun(provided.service, id);
    const { status, finishReason, errorCode } = await db().run.findFirstOrThrow({ where: { id } });
    expect([status, finishReason, errorCode]).toEqual(['interrupted', 'stopped', null]);
    await response;
  });
});

describe('the turns of a dead process', () => {
  it('are all continued at once, and their leases are renewed from the claim on', async () => {
    const own = await startProviderService();
    const { prisma, leases } = own.service.service.services.stores;
    own.provider.reply({ kind: 'answer', deltas: ['Hi'] });
    const { body } = await own.turn(await own.agent({ recovery: 'continue' }));
    own.provider.reply({ kind: 'hang' });
    const count = 320;
    const send = (text: string, values: readonly unknown[]) => prisma.$executeRawUnsafe(text, ...values);
    await insertDeadTurns(send, { conversationId: body.conversation_id, count, leaseSeconds: -1 });
    const before = own.provider.requests.length;
    await until(async () => own.provider.requests.length - before === count);
    const held = { status: 'running', fence: 2, attemptsLeft: 1, leaseOwner: leases.owner } as const;
    expect(await prisma.run.count({ where: held })).toBe(count);
    await own.close();
  });
});

describe('a turn that continues with a stored step', () => {
  it('sends each call once to the model if the message of a failed turn follows the step', async () => {
    const rule = { tool: 'create_resource', mode: 'always', approver: 'client' } as const;
    const agent = await provided.agent({ resourceTools: ['create_resource'], toolApprovals: [rule] });
    const call = { name: 'create_resource', arguments: JSON.stringify({ type: 'order', fields: { id: 7 } }) };
    provided.provider.reply({ kind: 'answer', calls: [call] }, { kind: 'answer', deltas: ['Created'] });
    const { body } = await provided.turn(agent);
    // As recovery stores the queued message of a process that died.
    await db().$executeRaw`
      WITH failed AS (
        INSERT INTO run (id, environment_id, conversation_id, workflow_version, agent, status, model, error_code,
                         attempts_left, background, tools, history_limit, request_id, accepted_at, created_at, updated_at)
        SELECT gen_random_uuid(), environment_id, conversation_id, workflow_version, agent, 'failed', model,
               'process_lost', 0, false, tools, history_limit, 'orphan', now(), now(), now()
        FROM run WHERE id = ${body.run_id}::uuid RETURNING *
      )
      INSERT INTO timeline_item (environment_id, conversation_id, run_id, step, kind, role, content, revision, created_at)
      SELECT environment_id, conversation_id, id, 0, 'message', 'user', ${JSON.stringify(textContent('Hurry'))}::jsonb,
             nextval('timeline_revision'), now() FROM failed`;
    const [{ call_id }] = body.client_tool_calls;
    const results = [{ call_id, output: { approved: true } }];
    const resumed = await provided.turn(agent, { conversation_id: body.conversation_id, tool_results: results });
    expect([resumed.status, resumed.body.content]).toEqual([200, 'Created']);
    const sent = provided.provider.requests.at(-1)?.body.messages as { role: string; tool_calls?: unknown[] }[];
    expect(sent.flatMap(({ tool_calls }) => tool_calls ?? [])).toHaveLength(1);
    expect(sent.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant', 'user']);
  });
});
