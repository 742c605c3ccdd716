import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { recoverDeadRuns } from '../../src/domain/agent/recovery/dead-runs.ts';
import { CAPABLE, lookup, resume } from '../support/agent-turns.ts';
import { makeLegacyRun } from '../support/legacy-run.ts';
import { lifecycleTypes, terminalEvents } from '../support/lifecycle.ts';
import { mutationOf } from '../support/results.ts';
import { DEMO_CHAT_ID, startService, type TestService } from '../support/service.ts';
import { createTrigger } from '../support/triggers.ts';

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

const act = (field: string, conversationId: string) =>
  service.graphql(mutationOf(field, '{ conversation { status } }'), { input: { conversationId } });

describe('a lifecycle event and its change', () => {
  /** Makes the insertion of events of a type fail. Returns a function that ends this. */
  async function rejectEvents(type: string) {
    const name = `reject_${randomUUID().replaceAll('-', '')}`;
    await db().$executeRawUnsafe(`ALTER TABLE event ADD CONSTRAINT "${name}" CHECK (type <> '${type}') NOT VALID`);
    return () => db().$executeRawUnsafe(`ALTER TABLE event DROP CONSTRAINT "${name}"`);
  }

  it('are both missing if the event of a start cannot be written', async () => {
    const { id } = await start();
    const count = () => db().run.count({ where: { conversationId: id } });
    const accept = await rejectEvents('run.started');
    expect((await service.agentTurn('More', { conversation_id: id })).status).toBe(500);
    await accept();
    expect([await count(), await types(id)]).toEqual([1, ['run.started', 'run.completed']]);
  });

  it.each([
    ['cancelRun', 'run.failed'],
    ['stopTurn', 'run.interrupted'],
  ])('are both missing if the event of %s cannot be written', async (field, type) => {
    const paused = await waiting();
    const accept = await rejectEvents(type);
    await act(field, paused.conversationId);
    await accept();
    const { status } = await db().run.findFirstOrThrow({ where: { id: paused.runId } });
    expect(status).toBe('waiting_for_client_action');
    expect((await resume(service, paused, { name: 'Ann' })).body.run_status).toBe('completed');
    expect(await types(paused.conversationId)).toEqual(['run.started', 'run.waiting', 'run.completed']);
  });

  it('leaves a trigger unused if its event cannot be written', async () => {
    const triggerId: string = (await createTrigger(service, {})).body.id;
    const path = `/v1/runner/${DEMO_CHAT_ID}/conversation`;
    const accept = await rejectEvents('trigger.used');
    expect((await service.send('POST', path, { body: { trigger_id: triggerId } })).status).toBe(500);
    await accept();
    expect((await service.send('POST', path, { body: { trigger_id: triggerId } })).status).toBe(200);
  });
});

describe('a run has exactly one terminal event', () => {
  const ROUNDS = 20;

  async function expectOneEach(id: string) {
    const { runs, events } = await terminalEvents(service, id);
    expect(events).toEqual(runs);
  }

  it('when a stop races with the end of the turn', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const { id } = await start();
      const response = service.agentTurn('Short', { conversation_id: id });
      await Promise.all([act('stopTurn', id), response]);
      await expectOneEach(id);
    }
  });

  it('when a cancellation, a stop and the results race', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const paused = await waiting();
      const { conversationId: id } = paused;
      await Promise.all([act('cancelRun', id), act('stopTurn', id), resume(service, paused, { name: 'Ann' })]);
      await expectOneEach(id);
      const { status } = await db().run.findFirstOrThrow({ where: { id: paused.runId } });
      expect(status).not.toBeOneOf(['running', 'waiting_for_client_action']);
    }
  });

  it('when recovery races with the process that it believes dead', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const { id } = await start();
      const response = service.agentTurn('Short', { conversation_id: id });
      const run = await db().run.findFirst({ where: { conversationId: id, status: 'running' } });
      if (run) {
        await db().run.updateMany({
          where: { id: run.id, status: 'running' },
          data: { leaseOwner: randomUUID(), leaseExpiresAt: new Date(0) },
        });
        await recoverDeadRuns(service.service.services, [run]);
      }
      await response;
      await expectOneEach(id);
    }
  });

  it('when results race with the expiry of a legacy run', async () => {
    const legacy = await makeLegacyRun(service, new Date(Date.now() - 1));
    await Promise.all(Array.from({ length: 5 }, () => resume(service, legacy, {})));
    expect((await types(legacy.conversationId)).filter((type) => type === 'run.failed')).toHaveLength(1);
  });
});
