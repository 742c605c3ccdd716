import { afterEach, describe, expect, it } from 'vitest';
import { ParleyError } from '../../src/sdk/index.ts';
import { type DataStore, directoryStore, postgresStore } from '../support/data-stores.ts';
import { POSTGRES_URL } from '../support/database.ts';
import { killAll, type ServiceProcess, startProcess } from '../support/process.ts';
import { clientFor, stateOf, textsOf } from '../support/sdk.ts';

const STORES = [
  { name: 'PGlite', place: directoryStore, skip: false },
  { name: 'PostgreSQL', place: postgresStore, skip: !POSTGRES_URL },
];

afterEach(killAll);

/** At the same address as before, if one is given. */
function startOn(createStore: DataStore, url?: string): Promise<ServiceProcess> {
  return startProcess(createStore.key, { ...createStore.env, ...(url && { PORT: new URL(url).port }) });
}

for (const { name, place: createStore, skip } of STORES) {
  describe.skipIf(skip)(`the service killed and restarted on ${name}`, () => {
    it('recovers the state automatically during a run, and accepts the next turn', async () => {
      const store = await createStore();
      const first = await startOn(store);
      const client = clientFor(first);
      const [own, watching] = [client.agent, client.createAgent()];
      const { conversationId } = await own.start({ content: 'Hello' });
      await watching.open(conversationId ?? '');
      const turn = own.continue({ content: '/slow 60' }).catch((error: unknown) => error);
      await stateOf(watching, ({ status }) => status === 'running');
      await first.kill('SIGKILL');

      const second = await startOn(store, first.url);
      const recovered = await stateOf(watching, ({ status }) => status === 'error');
      expect(recovered).toMatchObject({ runStatus: 'failed', error: { code: 'run_failed' } });
      // The client sends the turn again, unless the service takes longer to start than the client tries.
      const failed = (await turn) as ParleyError;
      expect(failed).toBeInstanceOf(ParleyError);
      if (failed.status > 0) expect(failed.details.conversation_id).toBe(conversationId);
      else expect(failed.code).toBe('connection_error');
      await stateOf(own, ({ runStatus, status }) => runStatus === 'failed' && status === 'error');
      expect(textsOf(own.getState())).toEqual(['Hello', 'You said: Hello', '/slow 60']);

      const next = await own.continue({ content: 'Still there?' });
      expect(next).toMatchObject({ status: 'success', error: null });
      const received = await stateOf(watching, ({ messages, status }) => messages.length === 5 && status === 'success');
      expect(received.history).toEqual(next.history);
      for (const agent of [own, watching]) agent.close();
      await second.kill('SIGTERM');
      await store.remove();
    });

    // The SDK sees nothing of the database. The kill matrix covers the results that either database keeps.
    it.skipIf(name === 'PGlite' && POSTGRES_URL)('keeps accepted results and continues after `Continue.`', async () => {
      const store = await createStore();
      const first = await startOn(store);
      const agent = clientFor(first).agent;
      const { pendingToolCalls } = await agent.start({
        content: '/call lookup_customer {"customer_id":"c1"}\n/slow 60\n/say done',
        clientCapabilities: ['lookup_customer'],
      });
      const resumed = agent.resolveTool(pendingToolCalls[0]?.callId ?? '', { tier: 'gold' });
      await stateOf(agent, ({ runStatus }) => runStatus === 'running');
      await first.kill('SIGKILL');

      const second = await startOn(store, first.url);
      await resumed;
      const state = await stateOf(agent, ({ status }) => status === 'error');
      expect(state).toMatchObject({
        runStatus: 'interrupted',
        error: { code: 'run_interrupted' },
        pendingToolCalls: [],
        toolSummary: [{ name: 'lookup_customer', status: 'completed' }],
      });
      expect(await agent.continue()).toMatchObject({ status: 'success', runStatus: 'completed' });
      agent.close();
      await second.kill('SIGTERM');
      await store.remove();
    });
  });
}
