import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { publishScripted } from '../support/actions.ts';
import { type DataStore, directoryStore, postgresStore, startOn } from '../support/data-stores.ts';
import { POSTGRES_URL } from '../support/database.ts';
import { killAll } from '../support/process.ts';
import { until } from '../support/until.ts';
import { workflowsOf } from '../support/workflows.ts';

const DATABASES = [
  { name: 'PGlite', createStore: directoryStore, skip: false },
  { name: 'PostgreSQL', createStore: postgresStore, skip: !POSTGRES_URL },
];

/** The deadline. It passes while no process runs, because a start takes about as long. */
const expiresAfterSeconds = 1;

const DRAFT = {
  clientTools: [
    { name: 'look_up', availability: 'ALWAYS', expiresAfterSeconds, onExpiry: { mode: 'DENY' } },
    { name: 'pick', availability: 'ALWAYS', expiresAfterSeconds },
  ],
};

for (const { name, createStore, skip } of DATABASES) {
  describe.skipIf(skip)(`a deadline on ${name}`, () => {
    let store: DataStore;
    beforeAll(async () => {
      store = await createStore();
    });
    afterAll(async () => {
      await killAll();
      await store.remove();
    });

    it('is kept while no process runs: the next process continues or cancels the run, once', async () => {
      const first = await startOn(store);
      const { turn, deploymentId } = await publishScripted(first, workflowsOf(first), DRAFT);
      const denied = (await turn('/call look_up {}\n/say Nobody answered')).body;
      const cancelled = (await turn('/call pick {}\n/say Never')).body;
      const [call] = denied.client_tool_calls;
      expect([denied.run_status, cancelled.run_status]).toEqual(Array(2).fill('waiting_for_client_action'));
      await first.kill('SIGKILL');

      const second = await startOn(store);
      const historyOf = (id: string) =>
        second.send('GET', `/v2/runner/${deploymentId}/conversation/${id}/history`).then(({ body }) => body);
      const ended = (id: string) =>
        until(async () => {
          const history = await historyOf(id);
          return ['completed', 'failed'].includes(history.run_status) && history;
        });
      const continued = await ended(denied.conversation_id);
      expect(continued.items.at(-1).content).toEqual([{ type: 'text', text: 'Nobody answered' }]);
      expect((await ended(cancelled.conversation_id)).run_status).toBe('failed');
      const late = await second.send('POST', `/v2/runner/${deploymentId}/conversation`, {
        body: { conversation_id: denied.conversation_id, tool_results: [{ call_id: call.call_id, output: {} }] },
      });
      expect([late.status, late.body.error.code]).toEqual([409, 'action_expired']);
    });
  });
}
