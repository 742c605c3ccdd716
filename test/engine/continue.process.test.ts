import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { connect, publishScripted } from '../support/actions.ts';
import type { HistoryItem } from '../support/agent-turns.ts';
import { type PostgresStore, postgresStore, startOn } from '../support/data-stores.ts';
import { POSTGRES_URL } from '../support/database.ts';
import { busyMs } from '../support/event-loop.ts';
import { type FakeProvider, type FakeReply, startFakeProvider } from '../support/fake-provider.ts';
import { killAll, LEASE_SECONDS, RECOVERY_MS, type ServiceProcess } from '../support/process.ts';
import { type Receiver, type Responder, startReceiver } from '../support/receiver.ts';
import { until } from '../support/until.ts';
import { workflowsOf } from '../support/workflows.ts';

const SCHEMA = { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] };

const CHARGE = { integration: 'Bank', method: 'POST', url: '/charges', inputSchema: SCHEMA, timeoutSeconds: 30 };

const DRAFT = {
  recovery: 'CONTINUE',
  httpActions: [
    { ...CHARGE, name: 'charge' },
    { ...CHARGE, name: 'charge_again', retrySafe: true },
  ],
};

const calls = (...names: readonly string[]): FakeReply => ({
  kind: 'answer',
  calls: names.map((name, index) => ({ name, arguments: `{"id":"${name}-${index}"}` })),
  usage: { input: 10, cached: 4, written: 1, output: 2 },
});

const charges: Responder = (response) => void response.writeHead(200).end('charged');

const says = (text: string): FakeReply => ({ kind: 'answer', deltas: [text], usage: { input: 20, output: 3 } });

describe.skipIf(!POSTGRES_URL)('a turn whose workflow is continued, when its process is killed', () => {
  let store: PostgresStore;
  let bank: Receiver;
  let provider: FakeProvider;
  let killed: ServiceProcess;
  let survivor: ServiceProcess;
  let workflow: Awaited<ReturnType<typeof publishScripted>>;

  const start = () =>
    startOn(store, { ALLOW_LOOPBACK: 'true', DEFAULT_MODEL: 'openai-compatible:any', OPENAI_BASE_URL: provider.url });
  const send = (client: ServiceProcess, body: object, headers: Record<string, string> = {}) =>
    client.send('POST', `/v2/runner/${workflow.deploymentId}/conversation`, {
      body: { content: [{ type: 'text', text: 'Charge me' }], ...body },
      headers,
    });
  const historyOf = async (conversationId: string) => {
    const path = `/v2/runner/${workflow.deploymentId}/conversation/${conversationId}/history`;
    return (await survivor.send('GET', path)).body;
  };
  const ended = (conversationId: string, withinMs = busyMs(RECOVERY_MS + 2_000)) =>
    until(
      async () => {
        const history = await historyOf(conversationId);
        return history.run_status !== 'running' && history;
      },
      { withinMs },
    );
  const chargesOf = ({ items }: { readonly items: readonly HistoryItem[] }) =>
    items.filter(({ name }) => name?.startsWith('charge')).map(({ status }) => status);
  /** Starts a conversation, and a turn of it on the process to kill. */
  async function startTurn(replies: readonly FakeReply[]) {
    provider.reply(says('Hello'));
    const { body } = await send(survivor, {});
    provider.reply(...replies);
    const turn = send(killed, { conversation_id: body.conversation_id }).catch(() => 'cut');
    return { conversationId: body.conversation_id as string, turn };
  }

  beforeAll(async () => {
    store = await postgresStore();
    [bank, provider] = await Promise.all([startReceiver(), startFakeProvider()]);
    [killed, survivor] = await Promise.all([start(), start()]);
    await connect(survivor, { kind: 'http', name: 'Bank', url: bank.url });
    workflow = await publishScripted(survivor, workflowsOf(survivor), DRAFT);
  });
  beforeEach(() => bank.respondWith(charges));
  afterEach(async () => {
    if (killed.child.signalCode) killed = await start();
    if (survivor.child.signalCode) survivor = await start();
  });
  afterAll(async () => {
    await killAll();
    await Promise.all([bank.close(), provider.close()]);
    await store.remove();
  });

  it('asks the model again for the step that was cut off, and never repeats a stored action', async () => {
    const before = bank.received.length;
    const { conversationId, turn } = await startTurn([calls('charge'), { kind: 'hang' }, says('Charged.')]);
    await until(async () => JSON.stringify(provider.requests.at(-1)?.body).includes('charged'));
    const { run_id: runId } = await historyOf(conversationId);
    const killedAt = performance.now();
    await killed.kill('SIGKILL');
    expect(await turn).toBe('cut');
    const history = await ended(conversationId);
    // 8 s for the default lease of 4 s.
    expect(performance.now() - killedAt).toBeLessThan(LEASE_SECONDS * 2_000 + busyMs(1_000));
    expect([history.run_id, history.run_status]).toEqual([runId, 'completed']);
    expect(history.items.at(-1)?.content).toEqual([{ type: 'text', text: 'Charged.' }]);
    expect([chargesOf(history), bank.received.length - before]).toEqual([['completed'], 1]);
    const { body } = await survivor.graphql(
      '{ workflowLogs(first: 1) { nodes { outcome inputTokens cachedInputTokens cacheWriteTokens outputTokens runId } } }',
    );
    // The tokens of the step that was cut off are unknown.
    expect(body.data.workflowLogs.nodes[0]).toMatchObject({
      ...{ outcome: 'COMPLETED', inputTokens: 30, outputTokens: 5 },
      ...{ cachedInputTokens: 4, cacheWriteTokens: 1 },
    });
  });

  it('tells the model that the outcome of an action is unknown, and runs the later actions', async () => {
    const before = bank.received.length;
    bank.respondWith(() => {});
    const { conversationId } = await startTurn([calls('charge', 'charge'), says('I do not know.')]);
    await bank.waitForCount(before + 1);
    bank.respondWith(charges);
    await killed.kill('SIGKILL');
    const history = await ended(conversationId);
    expect([history.run_status, chargesOf(history)]).toEqual(['completed', ['failed', 'completed']]);
    const ids = bank.received.slice(before).map(({ body }) => JSON.parse(body).id);
    expect(ids).toEqual(['charge-0', 'charge-1']);
    expect(JSON.stringify(provider.requests.at(-1)?.body)).toContain('Outcome unknown');
  });

  it('repeats an action that is marked as safe to repeat, with the same idempotency key', async () => {
    const before = bank.received.length;
    bank.respondWith(() => {});
    const { conversationId } = await startTurn([calls('charge_again'), says('Charged.')]);
    await bank.waitForCount(before + 1);
    bank.respondWith(charges);
    await killed.kill('SIGKILL');
    const history = await ended(conversationId);
    expect([history.run_status, chargesOf(history)]).toEqual(['completed', ['completed']]);
    const keys = bank.received.slice(before).map(({ headers }) => headers['idempotency-key']);
    expect([keys.length, new Set(keys).size]).toEqual([2, 1]);
  });

  it('is not taken from its process, and runs its action once, while the clock of the database jumps by hours', async () => {
    const before = bank.received.length;
    let respond = () => {};
    bank.respondWith((response) => {
      respond = () => void response.writeHead(200).end('charged');
    });
    const { conversationId, turn } = await startTurn([calls('charge'), says('Charged.')]);
    await bank.waitForCount(before + 1);
    const database = new pg.Client({ connectionString: store.url });
    await database.connect();
    // To each process, the end of a lease looks as it does after such a jump. Both look at it twice in this time.
    for (const jump of ['-5 hours', '5 hours', '-5 hours', '5 hours']) {
      await database.query(
        `UPDATE run SET lease_expires_at = lease_expires_at + $1::interval WHERE status = 'running'`,
        [jump],
      );
      await until(async () => {
        const { rows } = await database.query(
          `SELECT FROM run WHERE status = 'running' AND abs(extract(epoch FROM lease_expires_at - now())) > 60`,
        );
        return rows.length === 0;
      });
    }
    await database.end();
    respond();
    const requests = provider.requests.length;
    expect(await turn).toMatchObject({ status: 200, body: { run_status: 'completed' } });
    expect(chargesOf(await historyOf(conversationId))).toEqual(['completed']);
    expect([bank.received.length - before, provider.requests.length - requests]).toEqual([1, 1]);
  });

  it('runs a message that waited for its turn in the process', async () => {
    await workflowsOf(survivor).updateDeployment({ id: workflow.deploymentId, input: { doubleTextPolicy: 'ENQUEUE' } });
    const { conversationId } = await startTurn([{ kind: 'hang' }]);
    await until(async () => (await historyOf(conversationId)).run_status === 'running');
    const waiting = send(killed, {
      conversation_id: conversationId,
      content: [{ type: 'text', text: 'And me' }],
    }).catch(() => 'cut');
    await until(async () => (await rowsIn(store.url, 'queued_turn')) === 1);
    provider.reply(says('First.'), says('Second.'));
    await killed.kill('SIGKILL');
    expect(await waiting).toBe('cut');
    const texts = await until(
      async () => {
        const { items } = await historyOf(conversationId);
        const found = items.map(({ content }: HistoryItem) => content?.[0]?.text);
        return found.at(-1) === 'Second.' && found;
      },
      { withinMs: busyMs(RECOVERY_MS * 2) },
    );
    expect(texts.slice(-4)).toEqual(['Charge me', 'First.', 'And me', 'Second.']);
    await workflowsOf(survivor).updateDeployment({ id: workflow.deploymentId, input: { doubleTextPolicy: 'REJECT' } });
  });

  it('gives the outcome to the same request with its idempotency key', async () => {
    provider.reply({ kind: 'hang' });
    const headers = { 'idempotency-key': `continued-${Date.now()}` };
    const asked = provider.nextRequest();
    const turn = send(killed, {}, headers).catch(() => 'cut');
    await asked;
    provider.reply(says('Here it is.'));
    await killed.kill('SIGKILL');
    expect(await turn).toBe('cut');
    const repeated = await until(
      async () => {
        const response = await send(survivor, {}, headers);
        return response.body.error?.code === 'request_in_progress' ? undefined : response;
      },
      { withinMs: busyMs(RECOVERY_MS * 2) },
    );
    expect([repeated.status, repeated.body.content]).toEqual([200, 'Here it is.']);
  });

  it('runs a background turn that was only accepted', async () => {
    provider.reply({ kind: 'hang' });
    const asked = provider.nextRequest();
    // Any process can run it, so only one is awake.
    survivor.child.kill('SIGSTOP');
    const { status, body } = await send(killed, {}, { prefer: 'respond-async' });
    expect(status).toBe(202);
    await asked;
    provider.reply(says('In the background.'));
    await killed.kill('SIGKILL');
    survivor.child.kill('SIGCONT');
    const history = await ended(body.conversation_id);
    expect([history.run_id, history.run_status]).toEqual([body.run_id, 'completed']);
    expect(history.items.at(-1)?.content?.[0]?.text).toBe('In the background.');
  });

  it('fails after the last attempt', async () => {
    const flows = workflowsOf(survivor);
    await flows.updateWorkflow({ id: workflow.workflowId, input: { draft: { maxAttempts: 2 } } });
    await flows.publish({ id: workflow.workflowId, deployments: [workflow.deploymentId] });
    const before = provider.requests.length;
    const { conversationId } = await startTurn([{ kind: 'hang' }]);
    // The first message, and the turn.
    await until(async () => provider.requests.length === before + 2);
    await killed.kill('SIGKILL');
    await until(async () => provider.requests.length === before + 3);
    await survivor.kill('SIGKILL');
    survivor = await start();
    const history = await ended(conversationId, busyMs(RECOVERY_MS * 2));
    expect([history.run_status, history.items.at(-1)?.role]).toEqual(['failed', 'user']);
  });
});

/** The number of rows of a table. */
async function rowsIn(url: string, table: string): Promise<number> {
  const client = new pg.Client(url);
  await client.connect();
  const { rows } = await client.query(`SELECT count(*)::int AS count FROM ${table}`);
  await client.end();
  return rows[0].count;
}
