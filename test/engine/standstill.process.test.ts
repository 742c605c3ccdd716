import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { lookup, pauseTurn, readHistory, resume } from '../support/agent-turns.ts';
import { type DataStore, directoryStore, startOn } from '../support/data-stores.ts';
import { killAll, LEASE_SECONDS, type ServiceProcess } from '../support/process.ts';
import { errorOf } from '../support/results.ts';
import { DEMO_AGENT_ID } from '../support/service.ts';
import { until } from '../support/until.ts';

/** Longer than a lease and the grace period in which its owner can still renew it. */
const STANDSTILL_MS = LEASE_SECONDS * 2_250;

/** Takes some seconds longer than the standstill: background tasks of that time must not settle it. */
const WORK = '/slow 8\n/say done';

describe('a process with an embedded database that does not respond for a while', () => {
  let store: DataStore;
  let service: ServiceProcess;
  beforeAll(async () => {
    store = await directoryStore();
  });
  beforeEach(async () => {
    service = await startOn(store);
  });
  afterEach(killAll);
  afterAll(() => store.remove());

  async function pauseProcess(conversationIds: readonly string[]): Promise<void> {
    await until(async () => {
      const all = await Promise.all(conversationIds.map((id) => readHistory(service, id)));
      return all.every(({ run_status }) => run_status === 'running');
    });
    service.child.kill('SIGSTOP');
    await pause(STANDSTILL_MS);
    service.child.kill('SIGCONT');
  }

  async function start(): Promise<string> {
    return (await service.agentTurn('Hello')).body.conversation_id;
  }

  it('continues its runs, new and resumed ones, and the messages that wait for them', async () => {
    const queue =
      'mutation ($id: ID!) { updateDeployment(input: { deploymentId: $id, doubleTextPolicy: ENQUEUE }) { __typename ... on UpdateDeploymentPayload { deployment { id } } ... on Error { code message path } } }';
    expect(errorOf(await service.graphql(queue, { id: DEMO_AGENT_ID }))).toBeUndefined();
    const conversation_id = await start();
    const turn = service.agentTurn(WORK, { conversation_id });
    const paused = await pauseTurn(service, await start(), `${lookup('one')}\n${WORK}`);
    const resumed = resume(service, paused, { name: 'Ada' });
    await until(async () => (await readHistory(service, conversation_id)).run_status === 'running');
    const waiting = service.agentTurn('Next', { conversation_id });
    await pauseProcess([conversation_id, paused.conversationId]);
    const done = { status: 200, body: { run_status: 'completed', content: 'done' } };
    expect(await turn).toMatchObject(done);
    expect(await resumed).toMatchObject(done);
    expect(await waiting).toMatchObject({ status: 200, body: { content: 'You said: Next' } });
  });
});
