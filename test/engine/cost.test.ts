import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { textContent } from '../support/agent-apis.ts';
import { type Client, withCookies } from '../support/client.ts';
import { DEMO_AGENT_ID, startService, type TestService } from '../support/service.ts';
import { makeDeployment } from '../support/tenants.ts';
import { visit } from '../support/visits.ts';

const OPEN = { kind: 'agent', authRequired: false } as const;

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

/** The response to a v2 request, and its SQL statements. */
async function countStatements(body: object) {
  service.takeStatements();
  const response = await service.send('POST', `/v2/runner/${DEMO_AGENT_ID}/conversation`, { body });
  const statements = service.takeStatements();
  expect(response.status).toBe(200);
  return { body: response.body, statements };
}

describe('the cost of a turn in SQL statements', () => {
  it('is 3 for a v2 continue without tools: credentials with the deployment, accept with the history, settle', async () => {
    const { body } = await countStatements({ content: textContent('Hello') });
    const { statements } = await countStatements({
      conversation_id: body.conversation_id,
      content: textContent('Again'),
    });
    expect(statements.length, statements.join('\n---\n')).toBe(3);
  });

  it.each([
    ['an API key', async () => ({ client: service as Client, id: DEMO_AGENT_ID, key: service.keys.live })],
    [
      'a caller without credentials',
      async () => ({ client: service as Client, id: (await makeDeployment(service, {}, OPEN)).id, key: null }),
    ],
    [
      'a visitor',
      async () => {
        const { cookie } = await visit(service, DEMO_AGENT_ID, { page: 'agent' });
        return { client: withCookies(service, cookie), id: DEMO_AGENT_ID, key: null };
      },
    ],
  ])('is 3 for %s, with and without Origin, and 1 more with an Idempotency-Key', async (_who, caller) => {
    const { client, id, key } = await caller();
    const origin = { origin: service.url };
    const turn = async (body: object, headers: Record<string, string>) => {
      service.takeStatements();
      const response = await client.send('POST', `/v2/runner/${id}/conversation`, { body, headers, key });
      expect(response.status).toBe(200);
      return { conversation_id: response.body.conversation_id, statements: service.takeStatements() };
    };
    const { conversation_id } = await turn({ content: textContent('Hello') }, {});
    for (const [headers, count] of [
      [{}, 3],
      [origin, 3],
      [{ ...origin, 'idempotency-key': randomUUID() }, 4],
    ] as const) {
      const { statements } = await turn({ conversation_id, content: textContent('Again') }, headers);
      expect(statements.length, statements.join('\n---\n')).toBe(count);
    }
  });

  it('does not grow with the conversation', async () => {
    const { body } = await countStatements({ content: textContent('Hello') });
    const conversation_id = body.conversation_id;
    const first = await countStatements({ conversation_id, content: textContent('1') });
    for (let turn = 0; turn < 10; turn += 1)
      await countStatements({ conversation_id, content: textContent(`${turn}`) });
    const last = await countStatements({ conversation_id, content: textContent('last') });
    expect(last.statements).toHaveLength(first.statements.length);
  });

  it('is 5 for a resume, and at most 2 more for each further model step', async () => {
    const script = '/call lookup_customer {"customer_id":"1"}\n/call nothing\n/call nothing\n/say done';
    const { body } = await countStatements({ content: textContent(script), client_capabilities: ['lookup_customer'] });
    const [call] = body.client_tool_calls;
    const resumed = await countStatements({
      conversation_id: body.conversation_id,
      tool_results: [{ call_id: call.call_id, output: {} }],
    });
    expect(resumed.body.content).toBe('done');
    expect(resumed.statements.length, resumed.statements.join('\n---\n')).toBeLessThanOrEqual(5 + 2 * 2);

    const single = await countStatements({
      content: textContent('/call lookup_customer {"customer_id":"1"}\n/say done'),
      client_capabilities: ['lookup_customer'],
    });
    const { statements } = await countStatements({
      conversation_id: single.body.conversation_id,
      tool_results: [{ call_id: single.body.client_tool_calls[0].call_id, output: {} }],
    });
    expect(statements.length, statements.join('\n---\n')).toBe(5);
  });

  it('of a list of conversations does not grow with the list', async () => {
    const list = (first: number) =>
      service.graphql(
        `{ conversations(first: ${first}) { nodes { name latestRun { status } toolSummary { name } } } }`,
      );
    for (let index = 0; index < 5; index += 1) await service.agentTurn(`${index}`);
    service.takeStatements();
    await list(1);
    const one = service.takeStatements().length;
    const { body } = await list(5);
    expect(body.data.conversations.nodes).toHaveLength(5);
    expect(service.takeStatements()).toHaveLength(one);
  });
});
