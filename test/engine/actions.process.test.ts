import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { connect, scripted } from '../support/actions.ts';
import type { HistoryItem } from '../support/agent-turns.ts';
import type { Client } from '../support/client.ts';
import { POSTGRES_URL } from '../support/database.ts';
import { type PostgresPlace, postgres, startAt } from '../support/places.ts';
import { killAll, type ServiceProcess } from '../support/process.ts';
import { type Answering, type Receiver, startReceiver } from '../support/receiver.ts';
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

const leaveSecond: Answering = (response, { body }) => {
  if (!body.includes('second')) response.writeHead(200).end('charged');
};

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
    bank.answer(leaveSecond);
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

  it('leaves no client tool of the same step waiting, and takes no results for it', async () => {
    const before = bank.received.length;
    const { conversation_id } = (await post(left, { content: text('/say hello') })).body;
    const turn = post(killed, { conversation_id, content: text(`${SCRIPT} && /call confirm`) }).catch(() => 'cut');
    const settled = await killAmid(conversation_id, before);
    expect(await turn).toBe('cut');
    expect([settled.run_status, settled.pending_client_actions]).toEqual(['failed', []]);
    const call = settled.items.find(({ name }: HistoryItem) => name === 'confirm');
    expect(call.status).toBe('cancelled');
    const tool_results = [{ call_id: call.call_id, output: { yes: true } }];
    const late = await post(left, { conversation_id, tool_results });
    expect(late).toMatchObject({ status: 400, body: { error: { code: 'unknown_call_id' } } });
  });

  it('takes results for a client tool once the server actions of its step have ended', async () => {
    const { conversation_id } = (await post(left, { content: text('/say hello') })).body;
    let charge: (() => void) | undefined;
    bank.answer((response) => {
      charge = () => response.writeHead(200).end('charged');
    });
    const script = '/call charge {"id":"first"} && /call confirm\n/say confirmed';
    const turn = post(left, { conversation_id, content: text(script) });
    const path = `/v2/runner/${ours.deploymentId}/conversation/${conversation_id}/history`;
    const [{ call_id }] = await until(async () => {
      const { body } = await left.send('GET', path);
      return charge !== undefined && body.pending_client_actions.length > 0 && body.pending_client_actions;
    });
    const early = post(killed, { conversation_id, tool_results: [{ call_id, output: { yes: true } }] });
    expect(await Promise.race([early.then(() => 'answered'), turn.then(() => 'answered'), pause(300, 'waits')])).toBe(
      'waits',
    );
    charge?.();
    expect(await turn).toMatchObject({ status: 200, body: { run_status: 'waiting_for_client_action' } });
    expect(await early).toMatchObject({ status: 200, body: { run_status: 'completed', content: 'confirmed' } });
    bank.answer(leaveSecond);
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
