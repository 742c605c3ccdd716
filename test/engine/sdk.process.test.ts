import { afterEach, describe, expect, it } from 'vitest';
import { POSTGRES_URL } from '../support/database.ts';
import { directory, emptyPostgres, type Place } from '../support/places.ts';
import { killAll, type ServiceProcess, startProcess } from '../support/process.ts';
import { clientFor, stateOf, textsOf } from '../support/sdk.ts';

const PLACES = [
  { name: 'PGlite', place: directory, skip: false },
  { name: 'PostgreSQL', place: emptyPostgres, skip: !POSTGRES_URL },
];

afterEach(killAll);

/** At the same address as before, where one is given. */
function startOn(place: Place, url?: string): Promise<ServiceProcess> {
  return startProcess(place.key, { ...place.env, ...(url && { PORT: new URL(url).port }) });
}

for (const { name, place, skip } of PLACES) {
  describe.skipIf(skip)(`SPEC 4.11, the service killed and started again on ${name}`, () => {
    it('lets the state recover by itself in the middle of a run, and takes the next turn', async () => {
      const home = await place();
      const first = await startOn(home);
      const client = clientFor(first);
      const [own, watching] = [client.agent, client.createAgent()];
      const { conversationId } = await own.start({ content: 'Hello' });
      await watching.open(conversationId ?? '');
      const turn = own.continue({ content: '/slow 60' }).catch((error: unknown) => error);
      await stateOf(watching, ({ status }) => status === 'running');
      await first.kill('SIGKILL');

      const second = await startOn(home, first.url);
      const recovered = await stateOf(watching, ({ status }) => status === 'error');
      expect(recovered).toMatchObject({ runStatus: 'failed', error: { code: 'run_failed' } });
      expect(await turn).toMatchObject({ name: 'ParleyError', details: { conversation_id: conversationId } });
      await stateOf(own, ({ runStatus, status }) => runStatus === 'failed' && status === 'error');
      expect(textsOf(own.getState())).toEqual(['Hello', 'You said: Hello', '/slow 60']);

      const next = await own.continue({ content: 'Still there?' });
      expect(next).toMatchObject({ status: 'success', error: null });
      const seen = await stateOf(watching, ({ messages, status }) => messages.length === 5 && status === 'success');
      expect(seen.history).toEqual(next.history);
      for (const agent of [own, watching]) agent.close();
      await second.kill('SIGTERM');
      await home.remove();
    });

    it('keeps results that were accepted, and goes on with Continue.', async () => {
      const home = await place();
      const first = await startOn(home);
      const agent = clientFor(first).agent;
      const { pendingToolCalls } = await agent.start({
        content: '/call lookup_customer {"customer_id":"c1"}\n/slow 60\n/say done',
        clientCapabilities: ['lookup_customer'],
      });
      const resumed = agent.resolveTool(pendingToolCalls[0]?.callId ?? '', { tier: 'gold' });
      await stateOf(agent, ({ runStatus }) => runStatus === 'running');
      await first.kill('SIGKILL');

      const second = await startOn(home, first.url);
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
      await home.remove();
    });
  });
}
