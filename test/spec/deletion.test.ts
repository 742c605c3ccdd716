import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { textContent } from '../support/agent-apis.ts';
import { CAPABLE, lookup, pauseTurn, readHistory, resume } from '../support/agent-turns.ts';
import { expectError, expectGraphqlError } from '../support/error-bodies.ts';
import { errorOf, resultOf } from '../support/results.ts';
import { DEMO_AGENT_ID, DEMO_CHAT_ID, startService, type TestService } from '../support/service.ts';
import { createTrigger, readTrigger } from '../support/triggers.ts';
import { until } from '../support/until.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const prisma = () => service.service.services.stores.prisma;

const DELETE =
  'mutation ($id: ID!) { deleteConversation(input: { conversationId: $id }) { __typename ... on DeleteConversationPayload { conversationId } ... on Error { code message path } } }';

const remove = (id: string, headers: Record<string, string> = {}) => service.graphql(DELETE, { id }, { headers });

/** The remaining rows of a conversation, table by table. */
async function remainingRows(id: string) {
  const where = { conversationId: id };
  return {
    conversations: await prisma().conversation.count({ where: { id } }),
    runs: await prisma().run.count({ where }),
    items: await prisma().timelineItem.count({ where }),
    logs: await prisma().workflowLog.count({ where }),
  };
}

const NOTHING = { conversations: 0, runs: 0, items: 0, logs: 0 };

/** A running turn of the demo agent, and its pending response. */
async function runningTurn(script: string) {
  const { conversation_id: id } = (await service.agentTurn('Hello')).body;
  const response = service.agentTurn(script, { conversation_id: id });
  const run = await until(async () => {
    const match = await prisma().run.findFirst({ where: { conversationId: id, status: 'running' } });
    return match ?? undefined;
  });
  return { id: id as string, runId: run.id, answer: response };
}

describe('deleteConversation', () => {
  it('deletes the messages, the runs and the conversation, and nothing of another conversation', async () => {
    const [controller, other] = [await service.agentTurn('Forget this'), await service.agentTurn('Keep this')];
    const { conversation_id: id, run_id: runId } = controller.body;
    await pauseTurn(service, id, lookup('c1'));
    expect(resultOf(await remove(id))).toBe(id);
    expect(await remainingRows(id)).toEqual(NOTHING);
    expect(await prisma().run.count({ where: { id: runId } })).toBe(0);
    for (const path of [
      `/v1/runner/conversation/${id}/messages`,
      `/v2/runner/${DEMO_AGENT_ID}/conversation/${id}/history`,
    ])
      expectError(await service.send('GET', path), 'not_found');
    expectError(await service.agentTurn('More', { conversation_id: id }), 'not_found');
    const listed = await service.send('GET', '/v1/runner/conversations?page_size=100');
    expect(JSON.stringify(listed.body)).not.toContain(id);
    expect((await readHistory(service, other.body.conversation_id)).items).toHaveLength(2);
  });

  it('keeps the workflow log entries, which hold no content, without the conversation', async () => {
    const lines = await prisma().workflowLog.count();
    const { body } = await service.chat('Some words to forget');
    await remove(body.conversation_id);
    expect(await prisma().workflowLog.count()).toBe(lines + 1);
    const line = await prisma().workflowLog.findFirstOrThrow({ orderBy: { id: 'desc' } });
    expect(line).toMatchObject({ conversationId: null, runId: null, outcome: 'completed' });
    expect(JSON.stringify({ ...line, id: null })).not.toContain('forget');
  });

  it('is recorded once in the audit log and creates no event', async () => {
    const { conversation_id: id } = (await service.chat('Hello')).body;
    const events = await prisma().event.count();
    await remove(id);
    expectGraphqlError(await remove(id), 'not_found', { param: 'conversationId' });
    const entries = await prisma().auditEntry.findMany({ where: { subjectId: id } });
    expect(entries).toMatchObject([{ action: 'conversation.deleted', environment: 'live', actorKind: 'api_key' }]);
    expect(await prisma().event.count()).toBe(events);
  });

  it('is rejected while a turn is running, and succeeds after its end', async () => {
    const { id, runId, answer: response } = await runningTurn('/slow 1\n/say Done.');
    expectGraphqlError(await remove(id), 'run_in_progress', { facts: { run_id: runId } });
    expect((await response).body).toMatchObject({ run_status: 'completed', content: 'Done.' });
    expect(errorOf(await remove(id))).toBeUndefined();
    expect(await remainingRows(id)).toEqual(NOTHING);
  });

  it('ignores writes of a process whose run another process has settled', async () => {
    const { id, runId, answer: response } = await runningTurn('/slow 1\n/say Too late.');
    // Settles the run like another process that considers the first one dead.
    const settled = { status: 'failed', leaseOwner: null, leaseExpiresAt: null } as const;
    await prisma().run.updateMany({ where: { id: runId }, data: settled });
    expect(errorOf(await remove(id))).toBeUndefined();
    expectError(await response, 'model_error', { facts: { conversation_id: id, run_id: runId } });
    expect(await remainingRows(id)).toEqual(NOTHING);
  });

  it('deletes a conversation that waits for its client, and its results then get 404', async () => {
    const { conversation_id: id } = (await service.agentTurn('Hello')).body;
    const paused = await pauseTurn(service, id, lookup('c1'));
    expect(errorOf(await remove(id))).toBeUndefined();
    expectError(await resume(service, paused, { name: 'Ada' }), 'not_found');
    expect(await remainingRows(id)).toEqual(NOTHING);
  });

  it("keeps its trigger used, and deletes the trigger's content", async () => {
    const { id: trigger } = (await createTrigger(service, { variables: { NAME: 'Ada' } })).body;
    const path = `/v1/runner/${DEMO_CHAT_ID}/conversation`;
    const started = await service.send('POST', path, { body: { trigger_id: trigger } });
    const { conversation_id: id } = started.body;
    await remove(id);
    const read = await readTrigger(service, trigger);
    expect(read.body).toMatchObject({ content: [], variables: null, conversation_id: id });
    const repeated = await service.send('POST', path, { body: { trigger_id: trigger } });
    expectError(repeated, 'trigger_already_used', { facts: { conversation_id: id } });
  });
});

describe('an Idempotency-Key', () => {
  const key = () => ({ 'idempotency-key': randomUUID() });

  it('replays the response of a deletion', async () => {
    const { conversation_id: id } = (await service.chat('Hello')).body;
    const headers = key();
    const first = await remove(id, headers);
    const second = await remove(id, headers);
    expect(second.body).toEqual(first.body);
    expect(second.headers.get('idempotency-replayed')).toBe('true');
  });

  it('keeps no response of a turn in a deleted conversation, and starts no other conversation', async () => {
    const headers = key();
    const start = () =>
      service.send('POST', `/v1/runner/${DEMO_CHAT_ID}/conversation`, {
        body: { content: textContent('Hello') },
        headers,
      });
    const { conversation_id: id } = (await start()).body;
    await remove(id);
    const stored = await prisma().idempotencyRecord.findFirstOrThrow({ where: { key: headers['idempotency-key'] } });
    expect(stored.answer).toBeNull();
    const before = await prisma().conversation.count();
    expectError(await start(), 'not_found');
    expect(await prisma().conversation.count()).toBe(before);
  });

  it('keeps no response of a resume either', async () => {
    const { conversation_id: id } = (await service.agentTurn('Hello')).body;
    const { callId } = await pauseTurn(service, id, `${lookup('c1')}\n/say Thank you.`);
    const headers = key();
    const response = () =>
      service.send('POST', `/v2/runner/${DEMO_AGENT_ID}/conversation`, {
        body: { conversation_id: id, tool_results: [{ call_id: callId, output: { name: 'Ada' } }], ...CAPABLE },
        headers,
      });
    expect((await response()).body).toMatchObject({ run_status: 'completed', content: 'Thank you.' });
    expect((await response()).headers.get('idempotency-replayed')).toBe('true');
    await remove(id);
    const stored = await prisma().idempotencyRecord.findFirstOrThrow({ where: { key: headers['idempotency-key'] } });
    expect(stored.answer).toBeNull();
    expectError(await response(), 'not_found');
  });
});
