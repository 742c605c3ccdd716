import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { VARIABLES } from '../../src/config/variables.ts';
import { publishScripted } from '../support/actions.ts';
import { textContent } from '../support/agent-apis.ts';
import { directoryStore, type PostgresStore, postgresStore, startOn } from '../support/data-stores.ts';
import { POSTGRES_URL } from '../support/database.ts';
import { busyMs } from '../support/event-loop.ts';
import { type FakeProvider, startFakeProvider } from '../support/fake-provider.ts';
import { killAll, RECOVERY_MS, type ServiceProcess } from '../support/process.ts';
import { openTurnFeed } from '../support/turn-feed.ts';
import { until } from '../support/until.ts';
import { workflowsOf } from '../support/workflows.ts';

const SHUTDOWN_MS = Number(VARIABLES.SHUTDOWN_TIMEOUT.default) * 1_000;

/** Sends SIGTERM. Returns how long the process took to exit, in milliseconds. */
async function stop(process: ServiceProcess): Promise<number> {
  const stoppedAt = performance.now();
  await process.kill('SIGTERM');
  expect(process.child.exitCode, process.output.slice(-5).join('\n')).toBe(0);
  return performance.now() - stoppedAt;
}

let provider: FakeProvider;
beforeAll(async () => {
  provider = await startFakeProvider();
});
afterEach(killAll);
afterAll(() => provider.close());

const modelOf = () => ({ DEFAULT_MODEL: 'openai-compatible:any', OPENAI_BASE_URL: provider.url });

describe.skipIf(!POSTGRES_URL)('SIGTERM during turns whose model does not finish, with another process', () => {
  let store: PostgresStore;
  beforeAll(async () => {
    store = await postgresStore();
  });
  afterAll(() => store.remove());

  it('ends the process within the default time, every client gets a response, and the other process continues', async () => {
    const [leaving, other] = await Promise.all([startOn(store, modelOf()), startOn(store, modelOf())]);
    const flows = workflowsOf(leaving);
    const continued = await publishScripted(leaving, flows, { recovery: 'CONTINUE' });
    const settled = await publishScripted(leaving, flows, {});
    const before = provider.requests.length;
    provider.reply({ kind: 'stall', deltas: ['Half of'] });
    const headers = { 'idempotency-key': 'a-long-turn' };
    const turn = continued.turn('Continue me', {}, { headers });
    const lost = settled.turn('Settle me');
    const streamed = await fetch(`${leaving.url}/v1/runner/${continued.deploymentId}/conversation/stream`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${leaving.key}`,
        'content-type': 'application/json',
        accept: 'text/event-stream',
      },
      body: JSON.stringify({ content: textContent('Stream to me') }),
    });
    const reader = streamed.body?.getReader();
    const decoder = new TextDecoder();
    let read = '';
    while (!read.includes('Half of')) read += decoder.decode((await reader?.read())?.value);
    await until(async () => provider.requests.length === before + 3);
    const [, conversationId = ''] = /"conversation_id":"([^"]+)"/.exec(read) ?? [];
    const feed = await openTurnFeed(leaving, conversationId);
    const { id: cursor } = (await feed.until('text.delta')).at(-1) ?? {};
    provider.reply({ kind: 'answer', deltas: ['Whole'] });

    expect(await stop(leaving)).toBeLessThan(busyMs(SHUTDOWN_MS));
    const { status, body } = await turn;
    expect([status, body.error]).toEqual([
      503,
      expect.objectContaining({ code: 'unavailable', run_id: expect.any(String), conversation_id: expect.any(String) }),
    ]);
    expect(await lost).toMatchObject({ status: 502, body: { error: { code: 'model_error' } } });
    for (let part = await reader?.read(); part && !part.done; part = await reader?.read())
      read += decoder.decode(part.value);
    expect(read).toMatch(/event: error\ndata: .*"code":"unavailable".*"run_id":/);
    const repeated = await other.send('POST', `/v2/runner/${continued.deploymentId}/conversation`, {
      body: { content: textContent('Continue me') },
      headers,
    });
    expect([repeated.status, repeated.body.content, repeated.body.run_id]).toEqual([200, 'Whole', body.error.run_id]);
    const events = await (await openTurnFeed(other, conversationId, { after: cursor as string })).until('turn.ended');
    expect(events.map(({ event }) => event)).toContain('step.restarted');
    expect(events.at(-1)?.data.run_status).toBe('completed');
    const { body: history } = await other.send(
      'GET',
      `/v2/runner/${settled.deploymentId}/conversation/${(await lost).body.error.conversation_id}/history`,
    );
    expect(history.run_status).toBe('failed');
  });
});

describe('SIGTERM during a turn whose model does not finish', () => {
  let silent: Server;
  beforeAll(() => {
    // A collector that accepts exports and never responds.
    silent = createServer(() => {}).listen(0, '127.0.0.1');
  });
  afterAll(() => {
    silent.closeAllConnections();
    silent.close();
  });

  it('ends an only process in SHUTDOWN_TIMEOUT although its collector hangs, and its next start continues the turn', async () => {
    const store = await directoryStore();
    const env = {
      ...modelOf(),
      TRUST_PROXY: '1',
      SHUTDOWN_TIMEOUT: '10',
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(silent.address() as AddressInfo).port}`,
    };
    const first = await startOn(store, env);
    const agent = await publishScripted(first, workflowsOf(first), { recovery: 'CONTINUE' });
    provider.reply({ kind: 'stall', deltas: ['Half of'] });
    const asked = provider.nextRequest();
    const turn = agent.turn('Continue me');
    await asked;
    provider.reply({ kind: 'answer', deltas: ['Whole'] });
    expect(await stop(first)).toBeLessThan(busyMs(10_000));
    const { status, body } = await turn;
    expect([status, body.error.code]).toEqual([503, 'unavailable']);
    const second = await startOn(store, env);
    const path = `/v2/runner/${agent.deploymentId}/conversation/${body.error.conversation_id}/history`;
    const history = await until(
      async () => {
        const { body: stored } = await second.send('GET', path);
        return stored.run_status !== 'running' && stored;
      },
      { withinMs: busyMs(RECOVERY_MS) },
    );
    expect([history.run_status, history.items.at(-1)?.content]).toEqual(['completed', textContent('Whole')]);
    await killAll();
    await store.remove();
  });
});
