import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { textContent } from '../support/agent-apis.ts';
import { type Client, withCookies } from '../support/client.ts';
import { graphText } from '../support/graph-content.ts';
import { DEMO_AGENT_ID, startService, type TestService } from '../support/service.ts';
import { visit } from '../support/visits.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const visitor = async () => withCookies(service, (await visit(service, DEMO_AGENT_ID, { page: 'agent' })).cookie);

/** A key of the minimum length for callers without credentials. */
const keyOf = (name: string) => name.padEnd(32, '-');

function turn(client: Client, key: string, text: string) {
  const path = `/v2/runner/${DEMO_AGENT_ID}/conversation`;
  return client.send('POST', path, {
    body: { content: textContent(text) },
    headers: { 'idempotency-key': keyOf(key) },
  });
}

describe('an Idempotency-Key of a visitor', () => {
  it('runs a turn once, also while the first request is still running', async () => {
    const client = await visitor();
    // Either request can be the first: the other one gets 409 until the first has a response.
    const send = async () => {
      for (;;) {
        const response = await turn(client, 'slow', '/slow 1\n/say Once.');
        if (response.body.error?.code !== 'request_in_progress') return response;
        // Requests without credentials have a limit per minute.
        await pause(250);
      }
    };
    const [{ body: begun }, repeated] = await Promise.all([send(), send()]);
    expect(begun.content).toBe('Once.');
    expect(repeated.body.conversation_id).toBe(begun.conversation_id);
    const replayed = await turn(client, 'slow', '/slow 1\n/say Once.');
    expect(replayed.headers.get('idempotency-replayed')).toBe('true');
    expect(replayed.body.conversation_id).toBe(begun.conversation_id);
    expect((await turn(client, 'slow', 'Something else')).body.error.code).toBe('idempotency_key_reused');
  });

  it('belongs to one visitor and affects no other', async () => {
    const [one, other] = [await visitor(), await visitor()];
    const responses = [
      await turn(one, 'same', 'Hello'),
      await turn(other, 'same', 'Hello'),
      await turn(service, 'same', 'Hi'),
    ];
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(new Set(responses.map(({ body }) => body.conversation_id)).size).toBe(3);
  });

  it('applies to mutations too', async () => {
    const [one, other] = [await visitor(), await visitor()];
    const say = (client: Client) =>
      client.graphql(
        `mutation ($input: RunAgentTurnInput!) { runAgentTurn(input: $input) { __typename ... on RunAgentTurnPayload { turn {
           ... on FinishedTurn { conversationId } } } ... on Error { code message path } } }`,
        { input: { deploymentId: DEMO_AGENT_ID, content: graphText('Hello') } },
        { headers: { 'idempotency-key': keyOf('mutation') } },
      );
    const responses = [await say(one), await say(one), await say(other)];
    const [first, repeated, others] = responses.map(({ body }) => body.data.runAgentTurn.turn.conversationId);
    expect(repeated).toBe(first);
    expect(others).not.toBe(first);
    const stranger = await service.graphql(
      'mutation ($id: ID!) { runAgentTurn(input: { deploymentId: $id, content: [{ text: "Hi" }] }) { __typename ... on RunAgentTurnPayload { turn { __typename } } ... on Error { code message path } } }',
      { id: DEMO_AGENT_ID },
      { key: null, headers: { 'idempotency-key': keyOf('mutation') } },
    );
    expect(stranger.body.errors[0]).toMatchObject({ path: ['runAgentTurn'], extensions: { code: 'UNAUTHORIZED' } });
  });

  it('is rejected with fewer than 32 characters', async () => {
    const client = await visitor();
    const path = `/v2/runner/${DEMO_AGENT_ID}/conversation`;
    const headers = { 'idempotency-key': 'x'.repeat(31) };
    const { status, body } = await client.send('POST', path, { body: { content: textContent('Hello') }, headers });
    expect([status, body.error.param]).toEqual([400, 'Idempotency-Key']);
    expect(body.error.message).toContain('at least 32 characters');
  });

  it('does not grant access that the deployment denies', async () => {
    const path = `/v2/runner/${DEMO_AGENT_ID}/conversation`;
    const headers = { 'idempotency-key': keyOf('nobody') };
    for (const deploymentId of [DEMO_AGENT_ID, '00000000-0000-4000-8000-0000000000ff', 'no-id']) {
      const at = path.replace(DEMO_AGENT_ID, deploymentId);
      const response = await service.send('POST', at, { key: null, body: { content: textContent('Hello') }, headers });
      expect(response.body.error.code).toBe('unauthorized');
    }
  });
});
