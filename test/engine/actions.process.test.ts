import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { connect, publishScripted } from '../support/actions.ts';
import type { HistoryItem } from '../support/agent-turns.ts';
import type { Client } from '../support/client.ts';
import { type PostgresStore, postgresStore, startOn } from '../support/data-stores.ts';
import { POSTGRES_URL } from '../support/database.ts';
import { killAll, type ServiceProcess } from '../support/process.ts';
import { type Receiver, type Responder, startReceiver } from '../support/receiver.ts';
import { until } from '../support/until.ts';
import { workflowsOf } from '../support/workflows.ts';

const SCHEMA = { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] };

const DRAFT = {
  httpActions: [
    { name: 'charge', integration: 'Bank', method: 'POST', url: '/charges', inputSchema: SCHEMA, timeoutSeconds: 5 },
  ],
  resourceTools: ['CREATE_RESOURCE'],
  clientTools: [{ name: 'confirm', availability: 'ALWAYS' }],
};

/** Three calls of one step. The API responds to the first and leaves the second hanging. */
const SCRIPT = ['first', 'second', 'third'].map((id) => `/call charge {"id":"${id}"}`).join(' && ');

const respondExceptSecond: Responder = (response, { body }) => {
  if (!body.includes('second')) response.writeHead(200).end('charged');
};

describe.skipIf(!POSTGRES_URL)('a run whose process is killed during a server action', () => {
  let store: PostgresStore;
  let bank: Receiver;
  let killed: ServiceProcess;
  let survivor: ServiceProcess;
  let workflow: Awaited<ReturnType<typeof publishScripted>>;
  beforeAll(async () => {
    store = await postgresStore();
  });
  afterAll(() => store.remove());
  beforeAll(async () => {
    bank = await startReceiver();
    bank.respondWith(respondExceptSecond);
    [killed, survivor] = await Promise.all([start(), start()]);
    await connect(survivor, { kind: 'http', name: 'Bank', url: bank.url });
    workflow = await publishScripted(survivor, workflowsOf(survivor), DRAFT);
  });
  afterEach(async () => {
    if (killed.child.signalCode) killed = await start();
  });
  afterAll(async () => {
    await killAll();
    await bank.close();
  });
  const start = () => startOn(store, { ALLOW_LOOPBACK: 'true' });

  const post = (client: Client, body: object, headers: Record<string, string> = {}) =>
    client.send('POST', `/v2/runner/${workflow.deploymentId}/conversation`, { body, headers });
  const text = (message: string) => [{ type: 'text', text: message }];

  /** Kills the process during the second action. Waits until the other process has settled the run. */
  async function killAmid(conversationId: string, before: number) {
    await bank.waitForCount(before + 2);
    await killed.kill('SIGKILL');
    const path = `/v2/runner/${workflow.deploymentId}/conversation/${conversationId}/history`;
    return until(async () => {
      const { body } = await survivor.send('GET', path);
      return body.run_status !== 'running' && body;
    });
  }

  const chargesOf = (items: readonly HistoryItem[]) =>
    items.filter(({ name }) => name === 'charge').map(({ status }) => status);

  it('fails, keeps completed actions, and does not repeat them automatically or for the same request', async () => {
    const before = bank.received.length;
    const started = await post(survivor, { content: text('/say hello') });
    const conversationId: string = started.body.conversation_id;
    const key = { 'idempotency-key': randomUUID() };
    const request = { conversation_id: conversationId, content: text(SCRIPT) };
    const disconnected = post(killed, request, key).catch(() => 'cut');
    const settled = await killAmid(conversationId, before);
    expect(await disconnected).toBe('cut');
    expect(settled.run_status).toBe('failed');
    expect(chargesOf(settled.items)).toEqual(['completed', 'failed', 'failed']);

    const repeated = await until(async () => {
      const result = await post(survivor, request, key);
      return result.body.error?.code === 'request_in_progress' ? undefined : result;
    });
    expect(repeated).toMatchObject({ status: 502, body: { error: { code: 'model_error' } } });
    expect(bank.received).toHaveLength(before + 2);

    const next = await post(survivor, { conversation_id: conversationId, content: text('/say continue') });
    expect(next).toMatchObject({ status: 200, body: { content: 'continue' } });
    expect(bank.received).toHaveLength(before + 2);
  });

  it('is interrupted if tool results were accepted', async () => {
    const before = bank.received.length;
    const paused = await post(survivor, { content: text(`/call confirm\n${SCRIPT}`) });
    const { conversation_id, client_tool_calls } = paused.body;
    const tool_results = [{ call_id: client_tool_calls[0].call_id, output: { yes: true } }];
    const disconnected = post(killed, { conversation_id, tool_results }).catch(() => 'cut');
    const settled = await killAmid(conversation_id, before);
    await disconnected;
    expect(settled.run_status).toBe('interrupted');
    expect(chargesOf(settled.items)).toEqual(['completed', 'failed', 'failed']);
    const retried = await post(survivor, { conversation_id, tool_results });
    expect(retried).toMatchObject({ status: 200, body: { run_status: 'interrupted' } });
    expect(bank.received).toHaveLength(before + 2);
  });

  it('leaves no client tool of the same step pending and accepts no results for it', async () => {
    const before = bank.received.length;
    const { conversation_id } = (await post(survivor, { content: text('/say hello') })).body;
    const turn = post(killed, { conversation_id, content: text(`${SCRIPT} && /call confirm`) }).catch(() => 'cut');
    const settled = await killAmid(conversation_id, before);
    expect(await turn).toBe('cut');
    expect([settled.run_status, settled.pending_client_actions]).toEqual(['failed', []]);
    const call = settled.items.find(({ name }: HistoryItem) => name === 'confirm');
    expect(call.status).toBe('cancelled');
    const tool_results = [{ call_id: call.call_id, output: { yes: true } }];
    const late = await post(survivor, { conversation_id, tool_results });
    expect(late).toMatchObject({ status: 400, body: { error: { code: 'unknown_call_id' } } });
  });

  it('accepts results for a client tool after the server actions of its step have ended', async () => {
    const { conversation_id } = (await post(survivor, { content: text('/say hello') })).body;
    let charge: (() => void) | undefined;
    bank.respondWith((response) => {
      charge = () => response.writeHead(200).end('charged');
    });
    const script = '/call charge {"id":"first"} && /call confirm\n/say confirmed';
    const turn = post(survivor, { conversation_id, content: text(script) });
    const path = `/v2/runner/${workflow.deploymentId}/conversation/${conversation_id}/history`;
    const [{ call_id }] = await until(async () => {
      const { body } = await survivor.send('GET', path);
      return charge !== undefined && body.pending_client_actions.length > 0 && body.pending_client_actions;
    });
    const early = post(killed, { conversation_id, tool_results: [{ call_id, output: { yes: true } }] });
    expect(await Promise.race([early.then(() => 'responded'), turn.then(() => 'responded'), pause(300, 'waits')])).toBe(
      'waits',
    );
    charge?.();
    expect(await turn).toMatchObject({ status: 200, body: { run_status: 'waiting_for_client_action' } });
    expect(await early).toMatchObject({ status: 200, body: { run_status: 'completed', content: 'confirmed' } });
    bank.respondWith(respondExceptSecond);
  });

  it('completes, with each action once, before a stopping process exits', async () => {
    const before = bank.received.length;
    const turn = post(killed, { content: text(`${SCRIPT}\n/say never`) });
    await bank.waitForCount(before + 2);
    await killed.kill('SIGTERM');
    const { status, body } = await turn;
    expect([status, body.error?.code ?? body.run_status]).toEqual([200, 'completed']);
    expect(bank.received).toHaveLength(before + 3);
  });
});
