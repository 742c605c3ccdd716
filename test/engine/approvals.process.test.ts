import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connect, publishScripted } from '../support/actions.ts';
import type { HistoryItem } from '../support/agent-turns.ts';
import type { HttpResponse } from '../support/client.ts';
import { type PostgresStore, postgresStore, startOn } from '../support/data-stores.ts';
import { POSTGRES_URL } from '../support/database.ts';
import { type FakeProvider, startFakeProvider } from '../support/fake-provider.ts';
import { killAll, type ServiceProcess } from '../support/process.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { openStalls, type StatementStalls } from '../support/stall.ts';
import { until } from '../support/until.ts';
import { workflowsOf } from '../support/workflows.ts';

const SCHEMA = { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] };
const CHARGE = {
  ...{ integration: 'Bank', method: 'POST', url: '/charges', inputSchema: SCHEMA, timeoutSeconds: 30 },
  approval: { mode: 'ALWAYS', approver: 'EITHER' },
};
const DRAFT = {
  httpActions: [
    { ...CHARGE, name: 'charge' },
    { ...CHARGE, name: 'charge_again', retrySafe: true },
  ],
};

const APPROVED = { approved: true };
const REFUSED = { approved: false, reason: 'Too much' };

type Workflow = Awaited<ReturnType<typeof publishScripted>>;

/** A conversation whose turn waits for the approval of a call. */
interface Waiting {
  readonly workflow: Workflow;
  /** The argument of the call. */
  readonly id: string;
  readonly conversationId: string;
  readonly callId: string;
}

describe.skipIf(!POSTGRES_URL)('a call that needs an approval, when its process is killed', () => {
  let store: PostgresStore;
  let bank: Receiver;
  let provider: FakeProvider;
  let stalls: StatementStalls;
  let survivor: ServiceProcess;
  let continued: Workflow;
  let settled: Workflow;
  let turns: Record<'undecided' | 'approved' | 'refused' | 'running' | 'safe' | 'interrupted' | 'lost', Waiting>;

  const start = () =>
    startOn(store, { ALLOW_LOOPBACK: 'true', DEFAULT_MODEL: 'openai-compatible:any', OPENAI_BASE_URL: provider.url });
  const pathOf = ({ deploymentId }: Workflow) => `/v2/runner/${deploymentId}/conversation`;

  async function waitForApproval(workflow: Workflow, id: string, name = 'charge'): Promise<Waiting> {
    provider.reply(
      { kind: 'answer', calls: [{ name, arguments: JSON.stringify({ id }) }] },
      { kind: 'answer', deltas: ['Done.'] },
    );
    const { body } = await workflow.turn('Charge me');
    return { workflow, id, conversationId: body.conversation_id, callId: body.client_tool_calls[0].call_id };
  }

  function decide(process: ServiceProcess, { workflow, conversationId, callId }: Waiting, output: object) {
    const body = { conversation_id: conversationId, tool_results: [{ call_id: callId, output }] };
    return process.send('POST', pathOf(workflow), { body });
  }

  const historyOf = async ({ workflow, conversationId }: Waiting): Promise<HttpResponse['body']> =>
    (await survivor.send('GET', `${pathOf(workflow)}/${conversationId}/history`)).body;

  const ended = (turn: Waiting) =>
    until(async () => {
      const history = await historyOf(turn);
      return history.run_status !== 'running' && history;
    });

  const chargesOf = ({ id }: Waiting) => bank.received.filter(({ body }) => JSON.parse(body).id === id);
  const statusOfCharge = ({ items }: HttpResponse['body']) =>
    items.filter(({ name }: HistoryItem) => name?.startsWith('charge')).map(({ status }: HistoryItem) => status);
  /** The last request to the model about a call, as text. */
  const promptOf = ({ id }: Waiting) =>
    provider.requests.map(({ body }) => JSON.stringify(body.messages)).findLast((text) => text.includes(id));

  beforeAll(async () => {
    store = await postgresStore();
    [bank, provider, stalls] = await Promise.all([startReceiver(), startFakeProvider(), openStalls(store.url)]);
    const [first, second, third] = await Promise.all([start(), start(), start()]);
    survivor = third;
    const flows = workflowsOf(survivor);
    await connect(survivor, { kind: 'http', name: 'Bank', url: bank.url });
    continued = await publishScripted(survivor, flows, { ...DRAFT, recovery: 'CONTINUE' });
    settled = await publishScripted(survivor, flows, { ...DRAFT, recovery: 'SETTLE' });
    turns = {
      undecided: await waitForApproval(continued, 'undecided'),
      approved: await waitForApproval(continued, 'approved'),
      refused: await waitForApproval(continued, 'refused'),
      running: await waitForApproval(continued, 'running'),
      safe: await waitForApproval(continued, 'safe', 'charge_again'),
      interrupted: await waitForApproval(settled, 'interrupted'),
      lost: await waitForApproval(continued, 'lost'),
    };
    const cut: Promise<unknown>[] = [];
    const send = (process: ServiceProcess, turn: Waiting, output: object) =>
      void cut.push(decide(process, turn, output).catch(() => 'cut'));

    // The first process dies while two calls run and three decisions are being stored. They are stored without it.
    bank.respondWith(() => {});
    send(first, turns.running, APPROVED);
    send(first, turns.safe, APPROVED);
    await bank.waitForCount(2);
    const stored = [turns.approved, turns.refused, turns.interrupted];
    await stalls.hold(
      stored.map(({ conversationId }) => conversationId),
      'within',
    );
    for (const turn of stored) send(first, turn, turn === turns.refused ? REFUSED : APPROVED);
    await stalls.waiting(stored.length);
    bank.respondWith((response) => void response.writeHead(200).end('charged'));
    await first.kill('SIGKILL');
    await stalls.release('committed');

    // The second process dies before its decision is stored.
    await stalls.hold([turns.lost.conversationId], 'within');
    send(second, turns.lost, APPROVED);
    await stalls.waiting(1);
    await second.kill('SIGKILL');
    await stalls.release('aborted');
    expect(await Promise.all(cut)).toEqual(Array(6).fill('cut'));
  });
  afterAll(async () => {
    await killAll();
    await Promise.all([bank.close(), provider.close(), stalls.close()]);
    await store.remove();
  });

  it('runs once if its approval was stored, and a repeated approval gets the same result', async () => {
    const history = await ended(turns.approved);
    expect([history.run_status, statusOfCharge(history)]).toEqual(['completed', ['completed']]);
    const repeated = await decide(survivor, turns.approved, APPROVED);
    expect([repeated.status, repeated.body.run_status, repeated.body.content]).toEqual([200, 'completed', 'Done.']);
    expect(chargesOf(turns.approved)).toHaveLength(1);
  });

  it('never runs if its refusal was stored, and the model gets the reason', async () => {
    const history = await ended(turns.refused);
    expect([history.run_status, statusOfCharge(history)]).toEqual(['completed', ['failed']]);
    expect(promptOf(turns.refused)).toContain('Too much');
    expect(chargesOf(turns.refused)).toEqual([]);
  });

  it('is not repeated if it was running, and the model gets to know that the outcome is unknown', async () => {
    const history = await ended(turns.running);
    expect([history.run_status, statusOfCharge(history)]).toEqual(['completed', ['failed']]);
    expect(promptOf(turns.running)).toContain('Outcome unknown');
    expect(chargesOf(turns.running)).toHaveLength(1);
  });

  it('is repeated with the same idempotency key if it was running and is marked as safe to repeat', async () => {
    const history = await ended(turns.safe);
    expect([history.run_status, statusOfCharge(history)]).toEqual(['completed', ['completed']]);
    const keys = chargesOf(turns.safe).map(({ headers }) => headers['idempotency-key']);
    expect([keys.length, new Set(keys).size]).toEqual([2, 1]);
  });

  it('never runs if its workflow is not continued, and the run is interrupted', async () => {
    const history = await ended(turns.interrupted);
    expect([history.run_status, statusOfCharge(history)]).toEqual(['interrupted', ['cancelled']]);
    const repeated = await decide(survivor, turns.interrupted, APPROVED);
    expect([repeated.status, repeated.body.run_status]).toEqual([200, 'interrupted']);
    expect(chargesOf(turns.interrupted)).toEqual([]);
  });

  it.each(['undecided', 'lost'] as const)('still waits if its approval was not stored: %s', async (name) => {
    const turn = turns[name];
    expect((await historyOf(turn)).run_status).toBe('waiting_for_client_action');
    expect(chargesOf(turn)).toEqual([]);
    const decided = await decide(survivor, turn, APPROVED);
    expect([decided.status, decided.body.run_status, decided.body.content]).toEqual([200, 'completed', 'Done.']);
    expect(chargesOf(turn)).toHaveLength(1);
  });
});
