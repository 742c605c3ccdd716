import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connect, publishScripted } from '../support/actions.ts';
import { lookup, pauseTurn, resume } from '../support/agent-turns.ts';
import { startService, type TestService } from '../support/service.ts';
import { makeDeployment, openSession } from '../support/tenants.ts';
import { workflowsOf } from '../support/workflows.ts';

const APPROVAL = { mode: 'ALWAYS', approver: 'MEMBER' };
const ACTION = { integration: 'Bank', url: '/charges', inputSchema: { type: 'object' }, approval: APPROVAL };

let service: TestService;
let workflow: Awaited<ReturnType<typeof publishScripted>>;
beforeAll(async () => {
  service = await startService();
  await connect(service, { kind: 'http', name: 'Bank', url: 'http://127.0.0.1:9' });
  const draft = { httpActions: [{ ...ACTION, name: 'charge_team' }] };
  workflow = await publishScripted(service, workflowsOf(service), draft);
});
afterAll(() => service.close());

async function paused() {
  const { conversation_id: id } = (await service.agentTurn('Hello')).body;
  return pauseTurn(service, id, lookup('c1'));
}

describe('answeredBy', () => {
  const ANSWERS = `query ($id: ID!) { conversation(id: $id) {
    history(last: 20) { nodes { ... on ClientToolCall { callId answeredBy } } } } }`;
  const answerOf = async (conversationId: string, options: object = {}) => {
    const { body } = await service.graphql(ANSWERS, { id: conversationId }, options);
    return body.data.conversation.history.nodes.filter(({ callId }: { callId?: string }) => callId)[0].answeredBy;
  };
  const entriesOf = (subjectId: string) =>
    service.service.services.stores.prisma.auditEntry.findMany({ where: { action: 'action.answered', subjectId } });

  it('names the member who answered, in the history and in the audit log', async () => {
    const { body } = await workflow.turn('/call charge_team {"secret":"in arguments"}');
    const { conversation_id: id, client_tool_calls: calls } = body;
    const session = await openSession(service, 'developer');
    const decide = (approved: boolean) =>
      service.send('POST', `/v2/runner/${workflow.deploymentId}/conversation`, {
        body: {
          conversation_id: id,
          tool_results: [{ call_id: calls[0].call_id, output: { approved, reason: 'in output' } }],
        },
        headers: { authorization: `Bearer ${session}` },
      });
    expect((await decide(false)).status).toBe(200);
    // A repeated and a rejected answer are not recorded.
    expect((await decide(false)).status).toBe(200);
    expect((await decide(true)).status).toBe(409);
    const me = await service.graphql('{ me { user { userId name email } } }', {}, { key: session });
    const { userId, name, email } = me.body.data.me.user;
    expect(await answerOf(id)).toBe(name);
    const entries = await entriesOf(id);
    expect(entries).toHaveLength(1);
    expect(entries[0]).toMatchObject({
      actorKind: 'session',
      actorId: userId,
      details: { call_id: calls[0].call_id, tool: 'charge_team', approved: false },
    });
    expect(JSON.stringify(entries[0]?.details)).not.toMatch(/in output|in arguments/);
    const history = await workflow.historyOf(id);
    expect(JSON.stringify(history)).not.toContain(email);
    expect(Object.keys(history.find(({ call_id }) => call_id === calls[0].call_id) ?? {})).not.toContain('answered_by');
  });

  it('is null and not recorded if the client answered, and null for callers without credentials', async () => {
    const waiting = await paused();
    await resume(service, waiting, { name: 'Ann' });
    expect(await answerOf(waiting.conversationId)).toBeNull();
    expect(await entriesOf(waiting.conversationId)).toEqual([]);
    const session = await openSession(service, 'developer');
    const { id: open } = await makeDeployment(service, {}, { kind: 'agent', authRequired: false });
    const path = `/v2/runner/${open}/conversation`;
    const capability = { name: 'find', input_schema: { type: 'object' } };
    const { body } = await service.send('POST', path, {
      body: { content: [{ type: 'text', text: '/call find {}' }], client_capabilities: [capability] },
    });
    const { conversation_id: id, client_tool_calls: calls } = body;
    await service.send('POST', path, {
      body: { conversation_id: id, tool_results: [{ call_id: calls[0].call_id, output: { a: 1 } }] },
      headers: { authorization: `Bearer ${session}` },
    });
    expect(await entriesOf(id)).toMatchObject([{ details: { call_id: calls[0].call_id, tool: 'find' } }]);
    expect(await answerOf(id)).toEqual(expect.any(String));
    const inDeployment = `query ($id: ID!, $open: ID!) { conversation(id: $id, deploymentId: $open) {
      history(last: 20) { nodes { ... on ClientToolCall { callId answeredBy } } } } }`;
    const anonymous = await service.graphql(inDeployment, { id, open }, { key: null });
    expect(anonymous.body.data.conversation.history.nodes).toContainEqual({
      callId: calls[0].call_id,
      answeredBy: null,
    });
  });
});
