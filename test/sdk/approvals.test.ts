import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CHARGE, connect, publishScripted } from '../support/actions.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { clientFor, stateOf, textsOf } from '../support/sdk.ts';
import { startService, type TestService } from '../support/service.ts';
import { workflowsOf } from '../support/workflows.ts';

let service: TestService;
let bank: Receiver;
let deploymentId: string;
beforeAll(async () => {
  [service, bank] = await Promise.all([startService(), startReceiver()]);
  await connect(service, { kind: 'http', name: 'Bank', url: bank.url });
  const approval = { mode: 'ALWAYS', approver: 'EITHER', expiresAfterSeconds: 3_600 };
  const draft = { httpActions: [{ ...CHARGE, approval }] };
  ({ deploymentId } = await publishScripted(service, workflowsOf(service), draft));
});
afterAll(async () => {
  await Promise.all([service.close(), bank.close()]);
});

describe('approvals in the SDK', () => {
  it('are given by a handler, like the output of a client tool', async () => {
    const agent = clientFor({ url: service.url, key: service.key }, { deploymentId }).createAgent();
    const asked: unknown[] = [];
    await agent.start({
      content: '/call charge {"amount":5}\n/say done',
      clientTools: {
        approve_action: ({ tool, arguments: args }) => {
          asked.push([tool, args]);
          return { approved: true, arguments: { amount: 4 } };
        },
      },
    });
    const settled = await agent.settled();
    expect([settled.status, textsOf(settled).at(-1)]).toEqual(['success', 'done']);
    expect(asked).toEqual([['charge', { amount: 5 }]]);
    expect(bank.received.map(({ body }) => JSON.parse(body))).toEqual([{ amount: 4 }]);
    agent.close();
  });

  it('are pending calls with their deadline, which a page can answer', async () => {
    const agent = clientFor({ url: service.url, key: service.key }, { deploymentId }).createAgent();
    const count = bank.received.length;
    const { pendingToolCalls } = await agent.start({ content: '/call charge {"amount":5}\n/say done' });
    expect(pendingToolCalls).toMatchObject([{ name: 'approve_action', expiresAt: expect.any(String) }]);
    await agent.resolveTool(pendingToolCalls[0]?.callId ?? '', { approved: false, reason: 'Too much' });
    const { history } = await stateOf(agent, ({ status }) => status === 'success');
    expect(history.find((item) => 'name' in item && item.name === 'charge')).toMatchObject({ status: 'failed' });
    expect(bank.received).toHaveLength(count);
    agent.close();
  });
});
