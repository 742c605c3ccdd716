import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connect, publishScripted } from '../support/actions.ts';
import type { FakeReply } from '../support/fake-provider.ts';
import { loseRun } from '../support/lose-run.ts';
import { type ProviderService, startProviderService } from '../support/provider-service.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { until } from '../support/until.ts';
import { workflowsOf } from '../support/workflows.ts';

const QUESTIONS = { questions: [{ id: 'name', question: 'Name?', input_type: 'text' }] };
const ANSWERS = { answers: [{ id: 'name', value: 'Ann' }] };
const CHARGE = { integration: 'Bank', method: 'POST', url: '/charges', inputSchema: { type: 'object' } };
const tool = (name: string, deadline: object) => ({ name, availability: 'ALWAYS', ...deadline });
const always = (deadline: object) => ({ mode: 'ALWAYS', approver: 'EITHER', ...deadline });

const HOUR = { expiresAfterSeconds: 3_600 };

const DRAFT = {
  clientTools: [
    tool('ask_user', { ...HOUR, onExpiry: { mode: 'DEFAULT', output: ANSWERS } }),
    tool('look_up', { ...HOUR, onExpiry: { mode: 'DENY' } }),
    tool('pick', HOUR),
    tool('wait', {}),
  ],
  httpActions: [
    { ...CHARGE, name: 'charge', approval: always({ ...HOUR, onExpiry: { mode: 'DENY' } }) },
    {
      ...CHARGE,
      name: 'charge_anyway',
      approval: always({ ...HOUR, onExpiry: { mode: 'DEFAULT', output: { approved: true } } }),
    },
  ],
};

let provided: ProviderService;
let bank: Receiver;
let workflow: Awaited<ReturnType<typeof publishScripted>>;
beforeAll(async () => {
  [provided, bank] = await Promise.all([startProviderService(), startReceiver()]);
  bank.respondWith((response) => void response.writeHead(200).end('charged'));
  await connect(provided.service, { kind: 'http', name: 'Bank', url: bank.url });
  workflow = await publishScripted(provided.service, workflowsOf(provided.service), DRAFT);
});
afterAll(async () => {
  await Promise.all([provided.close(), bank.close()]);
});

const db = () => provided.service.service.services.stores.prisma;
const call = (name: string, args: object = {}) => ({ name, arguments: JSON.stringify(args) });

/** A turn that pauses for these calls. The next step of the model ends it. */
async function pause(...calls: readonly ReturnType<typeof call>[]) {
  provided.provider.reply({ kind: 'answer', calls } satisfies FakeReply, { kind: 'answer', deltas: ['Done.'] });
  const { body } = await workflow.turn('Hello');
  expect(body.run_status).toBe('waiting_for_client_action');
  return body as {
    readonly conversation_id: string;
    readonly run_id: string;
    readonly client_tool_calls: readonly { call_id: string; name: string; expires_at?: string }[];
  };
}

type Paused = Awaited<ReturnType<typeof pause>>;

const answer = ({ conversation_id, client_tool_calls }: Paused, output: object = {}) =>
  provided.service.send('POST', `/v2/runner/${workflow.deploymentId}/conversation`, {
    body: { conversation_id, tool_results: client_tool_calls.map(({ call_id }) => ({ call_id, output })) },
  });

/** Sets the deadline of a call to now. */
const expire = async ({ client_tool_calls }: Paused, name = client_tool_calls[0]?.name) => {
  const callIds = client_tool_calls.flatMap((one) => (one.name === name ? [one.call_id] : []));
  await db().timelineItem.updateMany({ where: { callId: { in: callIds } }, data: { expiresAt: new Date(0) } });
};

const ended = ({ run_id }: Paused) =>
  until(async () => {
    const run = await db().run.findFirstOrThrow({ where: { id: run_id } });
    return !['running', 'waiting_for_client_action'].includes(run.status) && run;
  });

const seen = () => JSON.stringify(provided.provider.requests.at(-1)?.body.messages);

describe('a pending call with a deadline', () => {
  it('names it over both APIs, and a call without a deadline does not', async () => {
    const paused = await pause(call('look_up'), call('wait'));
    const [first, second] = paused.client_tool_calls;
    const leftMs = Date.parse(first?.expires_at ?? '') - Date.now();
    expect(leftMs).toBeGreaterThan(3_500_000);
    expect(leftMs).toBeLessThan(3_700_000);
    expect(second).not.toHaveProperty('expires_at');
    const path = `/v1/runner/conversation/${paused.conversation_id}/messages`;
    const { body } = await provided.service.send('GET', path);
    expect(body.pending_client_actions).toEqual(paused.client_tool_calls);
    const graphql = await provided.service.graphql(
      'query ($id: ID!) { conversation(id: $id) { pendingActions { name expiresAt } } }',
      { id: paused.conversation_id },
    );
    expect(graphql.body.data.conversation.pendingActions).toEqual([
      { name: 'look_up', expiresAt: first?.expires_at },
      { name: 'wait', expiresAt: null },
    ]);
    const rejected = await workflow.turn('More', { conversation_id: paused.conversation_id });
    expect(rejected.body.error.pending_client_actions).toEqual(paused.client_tool_calls);
  });

  it('can be answered until then', async () => {
    const paused = await pause(call('look_up'));
    expect((await answer(paused)).status).toBe(200);
  });

  it('gets its default output, and the run continues without a client', async () => {
    const paused = await pause(call('ask_user', QUESTIONS));
    await expire(paused);
    const run = await ended(paused);
    expect([run.status, run.background]).toEqual(['completed', true]);
    expect(seen()).toContain('Ann');
    const late = await answer(paused, ANSWERS);
    expect([late.status, late.body.error.code]).toEqual([409, 'action_expired']);
  });

  it('fails if its default output does not fit the call', async () => {
    const other = { questions: [{ id: 'age', question: 'Age?', input_type: 'text' }] };
    const paused = await pause(call('ask_user', other));
    await expire(paused);
    expect((await ended(paused)).status).toBe('completed');
    expect(seen()).toContain('Nobody answered in time.');
  });

  it('fails with DENY, and the run continues', async () => {
    const paused = await pause(call('look_up'));
    await expire(paused);
    expect((await ended(paused)).status).toBe('completed');
    expect(seen()).toContain('Nobody answered in time.');
    const items = await workflow.historyOf(paused.conversation_id);
    expect(items.find(({ name }) => name === 'look_up')?.status).toBe('failed');
  });

  it('cancels its run by default, even if other calls of the step could still be answered', async () => {
    const paused = await pause(call('pick'), call('wait'));
    await expire(paused);
    const run = await ended(paused);
    expect([run.status, run.errorCode]).toEqual(['failed', 'action_expired']);
    const late = await answer(paused);
    expect([late.status, late.body.error.code]).toEqual([409, 'action_expired']);
    provided.provider.reply({ kind: 'answer', deltas: ['Hi'] });
    expect((await workflow.turn('Again', { conversation_id: paused.conversation_id })).status).toBe(200);
  });

  it('leaves the run waiting for the other calls of the step', async () => {
    const paused = await pause(call('look_up'), call('wait'));
    await expire(paused);
    const [expired, open] = paused.client_tool_calls;
    await until(
      async () => (await db().timelineItem.findFirst({ where: { callId: expired?.call_id ?? '' } }))?.expired,
    );
    const both = await answer(paused);
    expect([both.status, both.body.error.code]).toEqual([409, 'action_expired']);
    const rest = await answer({ ...paused, client_tool_calls: [open as (typeof paused.client_tool_calls)[0]] });
    expect([rest.status, rest.body.run_status]).toEqual([200, 'completed']);
  });

  it('is handled although the calls of another conversation cannot be', async () => {
    const broken = await pause(call('ask_user', QUESTIONS));
    const [callId] = broken.client_tool_calls.map(({ call_id }) => call_id);
    await db().timelineItem.updateMany({ where: { callId: callId ?? '' }, data: { arguments: { questions: 1 } } });
    const sound = await pause(call('ask_user', QUESTIONS));
    await expire(broken);
    await expire(sound);
    expect((await ended(sound)).status).toBe('completed');
    expect((await db().run.findFirstOrThrow({ where: { id: broken.run_id } })).status).toBe(
      'waiting_for_client_action',
    );
    await db().timelineItem.updateMany({ where: { callId: callId ?? '' }, data: { arguments: QUESTIONS } });
    expect((await ended(broken)).status).toBe('completed');
  });

  it('is rejected after its deadline even before a process has handled it', async () => {
    const paused = await pause(call('look_up'));
    await expire(paused);
    const late = await answer(paused);
    expect([late.status, late.body.error.code]).toEqual([409, 'action_expired']);
    await ended(paused);
  });
});

describe('an approval with a deadline', () => {
  it('is refused with DENY', async () => {
    const before = bank.received.length;
    const paused = await pause(call('charge'));
    await expire(paused);
    expect((await ended(paused)).status).toBe('completed');
    expect(bank.received.length).toBe(before);
    expect(seen()).toContain('refused');
  });

  it('can be given by default', async () => {
    const before = bank.received.length;
    const paused = await pause(call('charge_anyway'));
    await expire(paused);
    expect((await ended(paused)).status).toBe('completed');
    expect(bank.received.length).toBe(before + 1);
  });
});

describe('an answer that races with the deadline', () => {
  it('is accepted or rejected as a whole, and the run ends once', async () => {
    for (let round = 0; round < 10; round += 1) {
      const paused = await pause(call('look_up'));
      await db().timelineItem.updateMany({
        where: { callId: paused.client_tool_calls[0]?.call_id ?? '' },
        data: { expiresAt: new Date(Date.now() + 200 + round * 100) },
      });
      const answered = await new Promise<Awaited<ReturnType<typeof answer>>>((resolve) => {
        setTimeout(() => resolve(answer(paused, { found: true })), 250 + round * 100);
      });
      expect([200, 409]).toContain(answered.status);
      expect((await ended(paused)).status).toBe('completed');
      const item = await db().timelineItem.findFirstOrThrow({
        where: { callId: paused.client_tool_calls[0]?.call_id ?? '' },
      });
      expect(item.output).toEqual(answered.status === 200 ? { found: true } : { error: 'Nobody answered in time.' });
      expect(await db().workflowLog.count({ where: { runId: paused.run_id, outcome: 'completed' } })).toBe(1);
    }
  });
});

describe('a run that continues after a deadline', () => {
  it('is taken over if its process dies', async () => {
    const paused = await pause(call('look_up'));
    provided.provider.reply({ kind: 'hang' });
    const asked = provided.provider.nextRequest();
    await expire(paused);
    await asked;
    provided.provider.reply({ kind: 'answer', deltas: ['Continued.'] });
    await loseRun(provided.service, paused.run_id);
    expect((await ended(paused)).status).toBe('completed');
  });
});

describe('the configuration of deadlines', () => {
  it.each([
    [{ clientTools: [{ name: 'x', expiresAfterSeconds: 0 }] }, 'draft.clientTools.0.expiresAfterSeconds'],
    [{ clientTools: [{ name: 'x', expiresAfterSeconds: 2_592_001 }] }, 'draft.clientTools.0.expiresAfterSeconds'],
    [{ clientTools: [{ name: 'x', onExpiry: { mode: 'DENY' } }] }, 'draft.clientTools.0.onExpiry'],
    [{ clientTools: [{ name: 'x', ...HOUR, onExpiry: { mode: 'DEFAULT' } }] }, 'draft.clientTools.0.onExpiry.output'],
    [
      { clientTools: [{ name: 'x', ...HOUR, onExpiry: { mode: 'DENY', output: {} } }] },
      'draft.clientTools.0.onExpiry.output',
    ],
    [{ toolApprovals: [{ tool: 'x', mode: 'ALWAYS', onExpiry: { mode: 'DENY' } }] }, 'draft.toolApprovals.0.onExpiry'],
  ])('rejects %j', async (draft, path) => {
    const flows = workflowsOf(provided.service);
    const { updateWorkflow } = (await flows.updateWorkflow({ id: workflow.workflowId, input: { draft } })).body.data;
    expect([updateWorkflow.code, updateWorkflow.path.join('.')]).toEqual(['INVALID_REQUEST', path]);
  });
});
