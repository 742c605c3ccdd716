import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { text } from '../support/doors.ts';
import { DEMO_AGENT_ID, startService, type TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

/** The answer to a v2 request, and the SQL statements that it took. */
async function counted(body: object) {
  service.takeStatements();
  const answer = await service.send('POST', `/v2/runner/${DEMO_AGENT_ID}/conversation`, { body });
  const statements = service.takeStatements();
  expect(answer.status).toBe(200);
  return { body: answer.body, statements };
}

describe('the cost of a turn in SQL statements', () => {
  it('is 3 for a v2 continue without tools: credentials with the deployment, accept with the history, settle', async () => {
    const { body } = await counted({ content: text('Hello') });
    const { statements } = await counted({ conversation_id: body.conversation_id, content: text('Again') });
    expect(statements.length, statements.join('\n---\n')).toBe(3);
  });

  it('does not grow with the conversation', async () => {
    const { body } = await counted({ content: text('Hello') });
    const conversation_id = body.conversation_id;
    const first = await counted({ conversation_id, content: text('1') });
    for (let turn = 0; turn < 10; turn += 1) await counted({ conversation_id, content: text(`${turn}`) });
    const last = await counted({ conversation_id, content: text('last') });
    expect(last.statements).toHaveLength(first.statements.length);
  });

  it('is 5 for a resume, and at most 2 more for each further model step', async () => {
    const script = '/call lookup_customer {"customer_id":"1"}\n/call nothing\n/call nothing\n/say done';
    const { body } = await counted({ content: text(script), client_capabilities: ['lookup_customer'] });
    const [call] = body.client_tool_calls;
    const resumed = await counted({
      conversation_id: body.conversation_id,
      tool_results: [{ call_id: call.call_id, output: {} }],
    });
    expect(resumed.body.content).toBe('done');
    expect(resumed.statements.length, resumed.statements.join('\n---\n')).toBeLessThanOrEqual(5 + 2 * 2);

    const single = await counted({
      content: text('/call lookup_customer {"customer_id":"1"}\n/say done'),
      client_capabilities: ['lookup_customer'],
    });
    const { statements } = await counted({
      conversation_id: single.body.conversation_id,
      tool_results: [{ call_id: single.body.client_tool_calls[0].call_id, output: {} }],
    });
    expect(statements.length, statements.join('\n---\n')).toBe(5);
  });

  it('of a list of conversations does not grow with the list', async () => {
    const list = (first: number) =>
      service.graphql(`{ conversations(first: ${first}) { nodes { name run { status } toolSummary { name } } } }`);
    for (let index = 0; index < 5; index += 1) await service.agentTurn(`${index}`);
    service.takeStatements();
    await list(1);
    const one = service.takeStatements().length;
    const { body } = await list(5);
    expect(body.data.conversations.nodes).toHaveLength(5);
    expect(service.takeStatements()).toHaveLength(one);
  });
});
