import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { connect, scripted } from '../support/actions.ts';
import type { HistoryItem } from '../support/agent-turns.ts';
import type { Client } from '../support/client.ts';
import { POSTGRES_URL } from '../support/database.ts';
import { type PostgresPlace, postgres, startAt } from '../support/places.ts';
import { killAll, type ServiceProcess } from '../support/process.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { until } from '../support/until.ts';
import { workflowsOf } from '../support/workflows.ts';

const SCHEMA = { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] };

const DRAFT = {
  httpActions: [
    { name: 'charge', integration: 'Bank', method: 'POST', url: '/charges', inputSchema: SCHEMA, timeoutSeconds: 5 },
  ],
  resourceTools: ['create_resource'],
  clientTools: [{ name: 'confirm', availability: 'always' }],
};

/** Three calls of one step: the API answers the first, and leaves the second hanging. */
const SCRIPT = ['first', 'second', 'third'].map((id) => `/call charge {"id":"${id}"}`).join(' && ');

describe.skipIf(!POSTGRES_URL)('a run whose process is killed amid a server action', () => {
  let home: PostgresPlace;
  let bank: Receiver;
  let killed: ServiceProcess;
  let left: ServiceProcess;
  let ours: Awaited<ReturnType<typeof scripted>>;
  beforeAll(async () => {
    home = await postgres();
  });
  afterAll(() => home.remove());
  beforeAll(async () => {
    bank = await startReceiver();
    bank.answer((response, { body }) => {
      if (!body.includes('second')) response.writeHead(200).end('charged');
    });
    [killed, left] = await Promise.all([start(), start()]);
    await connect(left, { kind: 'http', name: 'Bank', url: bank.url });
    ours = await scripted(left, workflowsOf(left), DRAFT);
  });
  afterEach(async () => {
    if (killed.child.signalCode) killed = await start();
  });
  afterAll(async () => {
    await killAll();
    await bank.close();
  });
  const start = () => startAt(home, { ALLOW_LOOPBACK: 'true' });

  const post = (client: Client, body: object, headers: Record<string, string> = {}) =>
    client.send('POST', `/v2/runner/${ours.deploymentId}/conversation`, { body, headers });
  const text = (words: string) => [{ type: 'text', text: words }];

  /** Kills the process once the second action is under way, and waits until the other has settled the run. */
  async function killAmid(conversationId: string, before: number) {
    await bank.atLeast(before + 2);
    await killed.kill('SIGKILL');
    const path = `/v2/runner/${ours.deploymentId}/conversation/${conversationId}/history`;
    return until(async () => {
      const { body } = await left.send('GET', path);
      return body.run_status !== 'running' && body;
    });
  }

  const chargesOf = (items: readonly HistoryItem[]) =>
    items.filter(({ name }) => name === 'charge').map(({ status }) => status);

  it('fails, keeps what was done before, and does none of it again: not by itself, nor for the same request', async () => {
    const before = bank.received.length;
    const started = await post(left, { content: text('/say hello') });
    const conversationId: string = started.body.conversation_id;
    const key = { 'idempotency-key': randomUUID() };
    const request = { conversation_id: conversationId, content: text(SCRIPT) };
    const cut = post(killed, request, key).catch(() => 'cut');
    const settled = await killAmid(conversationId, before);
    expect(await cut).toBe('cut');
    expect(settled.run_status).toBe('failed');
    expect(chargesOf(settled.items)).toEqual(['completed', 'failed', 'failed']);

    const again = await until(async () => {
      const answer = await post(left, request, key);
      return answer.body.error?.code === 'request_in_progress' ? undefined : answer;
    });
    expect(again).toMatchObject({ status: 502, body: { error: { code: 'model_error' } } });
    expect(bank.received).toHaveLength(before + 2);

    const next = await post(left, { conversation_id: conversationId, content: text('/say on we go') });
    expect(next).toMatchObject({ status: 200, body: { content: 'on we go' } });
    expect(bank.received).toHaveLength(before + 2);
  });

  it('is interrupted where tool results had been accepted', async () => {
    const before = bank.received.length;
    const paused = await post(left, { content: text(`/call confirm\n${SCRIPT}`) });
    const { conversation_id, client_tool_calls } = paused.body;
    const tool_results = [{ call_id: client_tool_calls[0].call_id, output: { yes: true } }];
    const cut = post(killed, { conversation_id, tool_results }).catch(() => 'cut');
    const settled = await killAmid(conversation_id, before);
    await cut;
    expect(settled.run_status).toBe('interrupted');
    expect(chargesOf(settled.items)).toEqual(['completed', 'failed', 'failed']);
    const retried = await post(left, { conversation_id, tool_results });
    expect(retried).toMatchObject({ status: 200, body: { run_status: 'interrupted' } });
    expect(bank.received).toHaveLength(before + 2);
  });

  it('is worked to its end, each action once, before a process that is told to stop is gone', async () => {
    const before = bank.received.length;
    const turn = post(killed, { content: text(`${SCRIPT}\n/say never`) });
    await bank.atLeast(before + 2);
    await killed.kill('SIGTERM');
    const { status, body } = await turn;
    expect([status, body.error?.code ?? body.run_status]).toEqual([200, 'completed']);
    expect(bank.received).toHaveLength(before + 3);
  });
});
