import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connect, publishScripted } from '../support/actions.ts';
import { startService, type TestService } from '../support/service.ts';
import { subscribe } from '../support/subscriptions.ts';
import { workflowsOf } from '../support/workflows.ts';

const ACTION = { integration: 'Bank', url: '/charges', inputSchema: { type: 'object' } };
const DRAFT = {
  httpActions: [{ ...ACTION, name: 'charge', approval: { mode: 'ALWAYS', approver: 'CLIENT', allowAnonymous: true } }],
  clientTools: [{ name: 'pick_date', availability: 'ALWAYS', expiresAfterSeconds: 3_600 }],
};

/** Everything that a page shows of a call that waits. */
const FIELDS = `callId name arguments waitingSince expiresAt approver answerableBy
  call { id status } conversation { conversationId } run { runId status }`;

const TURN = `mutation ($input: RunAgentTurnInput!) { runAgentTurn(input: $input) {
  ... on RunAgentTurnPayload { turn { ... on PausedTurn { conversationId runId pendingActions { ${FIELDS} } } } }
  ... on ClientActionRequired { pendingActions { ${FIELDS} } } } }`;

let service: TestService;
let workflow: Awaited<ReturnType<typeof publishScripted>>;
beforeAll(async () => {
  service = await startService();
  await connect(service, { kind: 'http', name: 'Bank', url: 'http://127.0.0.1:9' });
  workflow = await publishScripted(service, workflowsOf(service), DRAFT);
});
afterAll(() => service.close());

async function pause(key: string | null = service.keys.live) {
  const text = '/call charge {} && /call pick_date {}';
  const input = { deploymentId: workflow.deploymentId, content: [{ text }] };
  const { body } = await service.graphql(TURN, { input }, { key });
  const { turn } = body.data.runAgentTurn;
  return { ...turn, input: { ...input, conversationId: turn.conversationId } };
}

describe('a call that waits', () => {
  it('has the same fields in every result, list, feed and error', async () => {
    const { conversationId, runId, pendingActions, input } = await pause();
    expect(pendingActions).toHaveLength(2);
    const shared = {
      waitingSince: expect.stringMatching(/Z$/),
      answerableBy: ['CLIENT'],
      call: { id: expect.any(String), status: 'PENDING' },
      conversation: { conversationId },
      run: { runId, status: 'WAITING_FOR_CLIENT_ACTION' },
    };
    expect(pendingActions).toEqual([
      expect.objectContaining({ ...shared, name: 'approve_action', approver: 'CLIENT', expiresAt: null }),
      expect.objectContaining({ ...shared, name: 'pick_date', approver: null, expiresAt: expect.stringMatching(/Z$/) }),
    ]);
    const read = await service.graphql(
      `query ($id: ID!) { conversation(id: $id) { pendingActions { ${FIELDS} } }
        pendingActions(filter: { conversationId: $id }) { nodes { ${FIELDS} } } }`,
      { id: conversationId },
    );
    expect(read.body.data.conversation.pendingActions).toEqual(pendingActions);
    expect(read.body.data.pendingActions.nodes).toEqual(pendingActions);
    const refused = await service.graphql(TURN, { input });
    expect(refused.body.data.runAgentTurn.pendingActions).toEqual(pendingActions);
    const feed = await subscribe(
      service,
      `subscription ($id: ID!) { turnEvents(conversationId: $id) { ... on TurnPaused { pendingActions { ${FIELDS} } } } }`,
      { id: conversationId },
      service.keys.live,
    );
    let event = await feed.next();
    while (!event.data.turnEvents.pendingActions) event = await feed.next();
    expect(event.data.turnEvents.pendingActions).toEqual(pendingActions);
    await feed.close();
  });

  it('shows callers without credentials who can answer it, and not its conversation, turn and item', async () => {
    await service.graphql(
      'mutation ($id: ID!) { updateDeployment(input: { deploymentId: $id, authRequired: false }) { __typename } }',
      { id: workflow.deploymentId },
    );
    const { pendingActions } = await pause(null);
    expect(pendingActions).toHaveLength(2);
    for (const call of pendingActions) {
      expect(call).toMatchObject({ answerableBy: ['CLIENT'], call: null, conversation: null, run: null });
    }
  });
});
