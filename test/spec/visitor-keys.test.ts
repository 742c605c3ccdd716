import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Client, withCookies } from '../support/client.ts';
import { text } from '../support/doors.ts';
import { DEMO_AGENT_ID, startService, type TestService } from '../support/service.ts';
import { visit } from '../support/visits.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const visitor = async () => withCookies(service, (await visit(service, DEMO_AGENT_ID, { page: 'agent' })).cookie);

function turn(client: Client, key: string, words: string) {
  const path = `/v2/runner/${DEMO_AGENT_ID}/conversation`;
  return client.send('POST', path, { body: { content: text(words) }, headers: { 'idempotency-key': key } });
}

describe('WIRE 11: an Idempotency-Key of a visitor', () => {
  it('takes a turn once, also while the first is still at work', async () => {
    const client = await visitor();
    const first = turn(client, 'slow', '/slow 1\n/say Once.');
    let again = await turn(client, 'slow', '/slow 1\n/say Once.');
    const begun = (await first).body;
    while (again.body.error?.code === 'request_in_progress') again = await turn(client, 'slow', '/slow 1\n/say Once.');
    expect(begun.content).toBe('Once.');
    expect(again.body.conversation_id).toBe(begun.conversation_id);
    const replayed = await turn(client, 'slow', '/slow 1\n/say Once.');
    expect(replayed.headers.get('idempotency-replayed')).toBe('true');
    expect(replayed.body.conversation_id).toBe(begun.conversation_id);
    expect((await turn(client, 'slow', 'Something else')).body.error.code).toBe('idempotency_key_reused');
  });

  it('is theirs alone: nobody else is answered by it, or kept from it', async () => {
    const [one, other] = [await visitor(), await visitor()];
    const answers = [
      await turn(one, 'same', 'Hello'),
      await turn(other, 'same', 'Hello'),
      await turn(service, 'same', 'Hi'),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(new Set(answers.map(({ body }) => body.conversation_id)).size).toBe(3);
  });

  it('counts for mutations too', async () => {
    const [one, other] = [await visitor(), await visitor()];
    const say = (client: Client) =>
      client.graphql(
        `mutation ($id: UUID!, $input: AgentTurnInput!) { runAgentTurn(deploymentId: $id, input: $input) {
           ... on FinishedTurn { conversationId } } }`,
        { id: DEMO_AGENT_ID, input: { content: text('Hello') } },
        { headers: { 'idempotency-key': 'mutation' } },
      );
    const answers = [await say(one), await say(one), await say(other)];
    const [first, again, others] = answers.map(({ body }) => body.data.runAgentTurn.conversationId);
    expect(again).toBe(first);
    expect(others).not.toBe(first);
    const stranger = await service.graphql(
      'mutation ($id: UUID!) { runAgentTurn(deploymentId: $id, input: { content: [{ type: text, text: "Hi" }] }) { __typename } }',
      { id: DEMO_AGENT_ID },
      { key: null, headers: { 'idempotency-key': 'mutation' } },
    );
    expect(stranger.body.errors[0]).toMatchObject({ path: ['runAgentTurn'], extensions: { code: 'unauthorized' } });
  });

  it('lets nobody in whom the deployment does not', async () => {
    const path = `/v2/runner/${DEMO_AGENT_ID}/conversation`;
    const headers = { 'idempotency-key': 'nobody' };
    for (const deploymentId of [DEMO_AGENT_ID, '00000000-0000-4000-8000-0000000000ff', 'no-id']) {
      const at = path.replace(DEMO_AGENT_ID, deploymentId);
      const answer = await service.send('POST', at, { key: null, body: { content: text('Hello') }, headers });
      expect(answer.body.error.code).toBe('unauthorized');
    }
  });
});
