import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { storeOrphanedMessages } from '../../src/domain/agent/recovery/orphaned-messages.ts';
import { textContent } from '../support/agent-apis.ts';
import { CAPABLE, lookup, resume } from '../support/agent-turns.ts';
import { makeLegacyRun } from '../support/legacy-run.ts';
import { lifecycleOf, lifecycleTypes } from '../support/lifecycle.ts';
import { loseRun } from '../support/lose-run.ts';
import { mutationOf } from '../support/results.ts';
import { DEMO_AGENT_ID, DEMO_CHAT_ID, startService, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const db = () => service.service.services.stores.prisma;
const types = (id: string) => lifecycleTypes(service, id);

async function start(script = 'Hello') {
  const { body } = await service.agentTurn(script);
  return { id: body.conversation_id as string, runId: body.run_id as string };
}

/** A conversation that waits for its client in its first turn. */
async function waiting(script = `${lookup('c1')}\n/say Done`) {
  const { body } = await service.agentTurn(script, CAPABLE);
  return {
    conversationId: body.conversation_id as string,
    runId: body.run_id as string,
    callId: body.client_tool_calls[0].call_id as string,
  };
}

const runningOf = (conversationId: string) =>
  until(async () => (await db().run.findFirst({ where: { conversationId, status: 'running' } })) ?? undefined);

/** A turn that runs until it is stopped or lost. */
async function running(script = '/slow 20\n/say late') {
  const { id } = await start();
  const response = service.agentTurn(script, { conversation_id: id });
  const { id: runId } = await runningOf(id);
  return { id, runId, response };
}

const act = (field: string, conversationId: string) =>
  service.graphql(mutationOf(field, '{ conversation { status } }'), { input: { conversationId } });

const lastOf = async (id: string) => (await lifecycleOf(service, id)).at(-1);

describe('the lifecycle events of a run', () => {
  it('are run.started and run.completed, with IDs and statuses and without content', async () => {
    const { id, runId } = await start('A secret text');
    const [started, completed, ...more] = await lifecycleOf(service, id);
    const ids = { run_id: runId, conversation_id: id, deployment_id: DEMO_AGENT_ID };
    expect(more).toEqual([]);
    expect(started).toMatchObject({ type: 'run.started', resource_id: runId });
    expect(started?.payload).toEqual({
      ...ids,
      run_status: 'running',
      step: 0,
      finish_reason: null,
      error_code: null,
      trigger_id: null,
    });
    expect(completed).toMatchObject({ type: 'run.completed', resource_id: runId });
    expect(completed?.payload).toEqual({
      ...ids,
      run_status: 'completed',
      step: 1,
      finish_reason: 'stop',
      error_code: null,
    });
    expect(JSON.stringify([started, completed])).not.toContain('secret');
  });

  it('are the same for a chat turn and a turn that continues', async () => {
    const path = `/v1/runner/${DEMO_CHAT_ID}/conversation`;
    const send = async (body: object) => (await service.send('POST', path, { body })).body;
    const { conversation_id: id } = await send({ content: textContent('One') });
    await send({ content: textContent('Two'), conversation_id: id });
    expect(await types(id)).toEqual(['run.started', 'run.completed', 'run.started', 'run.completed']);
  });

  it('have a pause with its pending calls, and no second start after the resume', async () => {
    const paused = await waiting(`${lookup('c1')}\n${lookup('c2')}\n/say Done`);
    const { conversationId: id } = paused;
    expect(await types(id)).toEqual(['run.started', 'run.waiting']);
    expect((await lastOf(id))?.payload).toMatchObject({
      run_status: 'waiting_for_client_action',
      pending_calls: [{ call_id: paused.callId, name: 'lookup_customer' }],
    });
    const { body } = await resume(service, paused, { name: 'Ann' });
    await resume(service, { conversationId: id, callId: body.client_tool_calls[0].call_id }, { name: 'Bob' });
    expect(await types(id)).toEqual(['run.started', 'run.waiting', 'run.waiting', 'run.completed']);
    expect(JSON.stringify(await lifecycleOf(service, id))).not.toMatch(/Ann|customer_id/);
  });

  it('end with run.failed and the error code if the model fails', async () => {
    const { id } = await start();
    expect((await service.agentTurn('/fail', { conversation_id: id })).status).toBe(502);
    expect((await types(id)).slice(2)).toEqual(['run.started', 'run.failed']);
    expect((await lastOf(id))?.payload).toMatchObject({ run_status: 'failed', error_code: 'model_error' });
  });

  it('end with run.interrupted if a client stops the turn', async () => {
    const { id, response } = await running();
    await act('stopTurn', id);
    await response;
    expect((await types(id)).slice(2)).toEqual(['run.started', 'run.interrupted']);
    expect((await lastOf(id))?.payload).toMatchObject({ run_status: 'interrupted', finish_reason: 'stopped' });
  });

  it.each([
    ['stopTurn', 'run.interrupted'],
    ['cancelRun', 'run.failed'],
    ['deleteConversation', 'run.failed'],
  ])('end when %s ends a waiting run', async (field, type) => {
    const { conversationId: id } = await waiting();
    const payload = field === 'deleteConversation' ? '{ deletedId }' : '{ conversation { status } }';
    await service.graphql(mutationOf(field, payload), { input: { conversationId: id } });
    expect(await types(id)).toEqual(['run.started', 'run.waiting', type]);
    expect((await lastOf(id))?.payload).toMatchObject({ deployment_id: DEMO_AGENT_ID });
  });

  it('stay unchanged when a conversation without a waiting run is deleted', async () => {
    const { id } = await start();
    await service.graphql(mutationOf('deleteConversation', '{ deletedId }'), { input: { conversationId: id } });
    expect(await types(id)).toEqual(['run.started', 'run.completed']);
  });

  it('end with run.failed and the status expired if a legacy run expires', async () => {
    const legacy = await makeLegacyRun(service, new Date(Date.now() - 1));
    expect((await resume(service, legacy, {})).body.error.code).toBe('run_expired');
    expect(await lastOf(legacy.conversationId)).toMatchObject({
      type: 'run.failed',
      payload: { run_status: 'expired', error_code: null },
    });
  });

  it.each([
    ['run.failed', false],
    ['run.interrupted', true],
  ])('end with %s if the processes of several runs died', async (type, resultsAccepted) => {
    const runs = [await running('/slow 2'), await running('/slow 2')];
    const ids = runs.map(({ runId }) => runId);
    await db().run.updateMany({ where: { id: { in: ids } }, data: { resultsAccepted } });
    await loseRun(service, ...ids);
    for (const { id, runId, response } of runs) {
      await response;
      expect((await types(id)).slice(2)).toEqual(['run.started', type]);
      expect(await lastOf(id)).toMatchObject({
        resource_id: runId,
        payload: { run_id: runId, deployment_id: DEMO_AGENT_ID, error_code: 'process_lost' },
      });
    }
  });

  it('are only run.failed for queued messages whose process died', async () => {
    const { id } = await start();
    const { environmentId } = await db().conversation.findFirstOrThrow({ where: { id } });
    const runIds = [randomUUID(), randomUUID()];
    for (const runId of runIds) {
      await db().$executeRaw`
        INSERT INTO queued_turn (run_id, environment_id, conversation_id, content, agent, workflow_version, model,
                                 request_id, lease_owner, lease_expires_at, created_at)
        VALUES (${runId}::uuid, ${environmentId}::uuid, ${id}::uuid, '[]', true, 1, 'demo', 'r', ${randomUUID()}::uuid,
                ${new Date(0)}, now())`;
    }
    const messages = runIds.map((runId) => ({ environmentId, id: runId }));
    await storeOrphanedMessages(service.service.services, messages);
    // A sweep of the service can be first.
    const events = await until(async () => {
      const found = (await lifecycleOf(service, id)).slice(2);
      return found.length === runIds.length && found;
    });
    expect(events.map(({ type, resource_id }) => [type, resource_id])).toEqual(
      runIds.map((runId) => ['run.failed', runId]),
    );
    expect(events[0]?.payload).toMatchObject({ error_code: 'process_lost', deployment_id: DEMO_AGENT_ID });
  });

  it('do not exist for one-shot runs', async () => {
    const before = await db().event.count();
    const { status } = await service.send('POST', `/v2/runner/${DEMO_AGENT_ID}`, {
      body: { content: textContent('Hello') },
    });
    expect([status, await db().event.count()]).toEqual([200, before]);
  });
});
