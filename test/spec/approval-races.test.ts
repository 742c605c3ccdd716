import { afterAll, beforeAll, expect, it } from 'vitest';
import { connect, publishScripted } from '../support/actions.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { startService, type TestService } from '../support/service.ts';
import { openSession } from '../support/tenants.ts';
import { workflowsOf } from '../support/workflows.ts';

const ROUNDS = 50;
const ACTION = { integration: 'Bank', method: 'POST', url: '/charges', inputSchema: { type: 'object' } };

let service: TestService;
let bank: Receiver;
let workflow: Awaited<ReturnType<typeof publishScripted>>;
let session: string;
beforeAll(async () => {
  [service, bank] = await Promise.all([startService(), startReceiver()]);
  bank.respondWith((response) => void response.writeHead(200).end('charged'));
  await connect(service, { kind: 'http', name: 'Bank', url: bank.url });
  const draft = { httpActions: [{ ...ACTION, name: 'charge', approval: { mode: 'ALWAYS', approver: 'EITHER' } }] };
  workflow = await publishScripted(service, workflowsOf(service), draft);
  session = await openSession(service, 'developer');
});
afterAll(async () => {
  await Promise.all([service.close(), bank.close()]);
});

const RESUME = `mutation ($input: ResumeAgentTurnInput!) { resumeAgentTurn(input: $input) {
  __typename ... on Error { code } } }`;

interface Answer {
  readonly output: { readonly approved: boolean };
  readonly by: 'rest' | 'key' | 'session';
}

/** Eight different answers, three over REST, three by key and two by session over GraphQL. Three refuse. */
const ANSWERS: readonly Answer[] = Array.from({ length: 8 }, (_, index) => ({
  output: { approved: index % 3 !== 0, reason: `answer ${index}` },
  by: (['rest', 'key', 'session'] as const)[index % 3] ?? 'rest',
}));

/** Sends an answer. Returns whether it was accepted, or the code of its error. */
async function send({ output, by }: Answer, conversationId: string, callId: string): Promise<true | string> {
  const { deploymentId } = workflow;
  if (by === 'rest') {
    const body = { conversation_id: conversationId, tool_results: [{ call_id: callId, output }] };
    const response = await service.send('POST', `/v2/runner/${deploymentId}/conversation`, { body });
    return response.status === 200 || response.body.error.code;
  }
  const input = { deploymentId, conversationId, toolResults: [{ callId, output }] };
  const { body } = await service.graphql(RESUME, { input }, by === 'session' ? { key: session } : {});
  const { __typename: type, code } = body.data.resumeAgentTurn;
  return type === 'ResumeAgentTurnPayload' || code.toLowerCase();
}

it('accepts one of the answers that race over all APIs, and runs the approved call once', {
  timeout: 60_000,
}, async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const { body } = await workflow.turn(`/call charge {"round":${round}}`);
    const { conversation_id: id, client_tool_calls: calls } = body;
    const count = bank.received.length;
    const shuffled = [...ANSWERS.slice(round % 8), ...ANSWERS.slice(0, round % 8)];
    const results = await Promise.all(shuffled.map((answer) => send(answer, id, calls[0].call_id)));
    const accepted = shuffled.filter((_, index) => results[index] === true);
    expect(accepted).toHaveLength(1);
    expect(results.filter((result) => result !== true)).toEqual(Array(7).fill('action_result_conflict'));
    expect(bank.received.length - count).toBe(accepted[0]?.output.approved ? 1 : 0);
    const entries = await service.service.services.stores.prisma.auditEntry.findMany({
      where: { action: 'action.answered', subjectId: id },
    });
    const { approved } = accepted[0]?.output ?? {};
    expect(entries.map(({ details }) => details)).toEqual(
      accepted[0]?.by === 'session' ? [{ call_id: calls[0].call_id, tool: 'charge', approved }] : [],
    );
  }
});

it('names in the feed only the approval, and not the call that waits for it', async () => {
  const { body } = await workflow.turn('/call charge {}');
  const path = `/v1/runner/conversation/${body.conversation_id}/stream`;
  const response = await fetch(`${service.url}${path}`, { headers: { authorization: `Bearer ${service.keys.live}` } });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  while (!/event: turn\.paused\n[^\n]*\n\n/.test(text)) text += (await reader?.read())?.value ?? '';
  await reader?.cancel();
  const [, data = '{}'] = /event: turn\.paused\ndata: (.*)\n/.exec(text) ?? [];
  expect(JSON.parse(data).pending_client_actions.map(({ name }: { name: string }) => name)).toEqual(['approve_action']);
});
