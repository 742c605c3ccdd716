import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { textContent } from '../support/agent-apis.ts';
import { lookup, pauseTurn } from '../support/agent-turns.ts';
import { expectError } from '../support/error-bodies.ts';
import { graphText } from '../support/graph-content.ts';
import { loseClaims, QUEUED, TAKEN } from '../support/lost-claims.ts';
import { DEMO_AGENT_ID, startService, type TestService } from '../support/service.ts';
import { subscribe } from '../support/subscriptions.ts';
import { until } from '../support/until.ts';

let service: TestService;
let conversationId: string;
let paused: Awaited<ReturnType<typeof pauseTurn>>;
beforeAll(async () => {
  service = await startService();
  ({ conversation_id: conversationId } = (await service.agentTurn('Hello')).body);
  paused = await pauseTurn(
    service,
    (await service.agentTurn('Hello')).body.conversation_id,
    `${lookup('one')}\n/say Done`,
  );
  await loseClaims(db());
});
afterAll(() => service.close());

const db = () => service.service.services.stores.prisma;

/** How many messages have joined a queue, also those that have left it. */
async function queued(): Promise<number> {
  const [row] = await db().$queryRaw<{ count: number }[]>`SELECT count(*)::int AS count FROM joined_queue`;
  return row?.count ?? 0;
}

/** A digest of all rows. */
const digest = (rows: string) =>
  db().$queryRawUnsafe(`SELECT count(*)::int, md5(string_agg(row::text, ',' ORDER BY row::text)) FROM ${rows} AS row`);

describe('a turn whose idempotency key another process took over', () => {
  it.each([
    ['a start', () => ({ content: textContent('Again') }), {}],
    ['a message of a conversation', () => ({ conversation_id: conversationId, content: textContent('Again') }), {}],
    ['a background turn', () => ({ content: textContent('Again') }), { prefer: 'respond-async' }],
    [
      'a result of a client tool',
      () => ({
        conversation_id: paused.conversationId,
        tool_results: [{ call_id: paused.callId, output: { name: 'Ada' } }],
      }),
      {},
    ],
  ] as const)('stores neither a run nor an item of a timeline: %s', async (kind, fields, headers) => {
    const before = [await digest('run'), await digest('timeline_item'), await digest('conversation')];
    const response = await service.send('POST', `/v2/runner/${DEMO_AGENT_ID}/conversation`, {
      body: fields(),
      headers: { ...headers, 'idempotency-key': `${TAKEN}${kind.replaceAll(' ', '-')}` },
    });
    expectError(response, 'unavailable', { message: 'Another process continues this request' });
    expect([await digest('run'), await digest('timeline_item'), await digest('conversation')]).toEqual(before);
  });

  it('neither asks a model for a turn of a test nor logs it', async () => {
    const { id: workflowId } = await db().workflow.findFirstOrThrow();
    const lines = await digest('workflow_log');
    const query = `subscription ($input: DraftTurnInput!) { draftTurn(input: $input) { __typename } }`;
    const input = { workflowId, turns: [{ content: graphText('Hello') }] };
    const headers = { 'idempotency-key': `${TAKEN}draft` };
    const stream = await subscribe(service, query, { input }, service.keys.live, headers);
    const events = [await stream.next(), await stream.next()];
    expect(events[0]).toEqual({ data: { draftTurn: { __typename: 'DraftTurnStarted' } } });
    expect(events[1].errors).toMatchObject([{ message: expect.stringContaining('Another process continues') }]);
    expect(await digest('workflow_log')).toEqual(lines);
    await stream.close();
  });

  it.each([
    ['before', TAKEN],
    ['while', QUEUED],
  ])('does not join the queue of its conversation, if that was %s it joins', async (_when, key) => {
    await db().deployment.updateMany({ where: { id: DEMO_AGENT_ID }, data: { doubleTextPolicy: 'enqueue' } });
    const path = `/v2/runner/${DEMO_AGENT_ID}/conversation`;
    const fields = { conversation_id: conversationId };
    const running = service.agentTurn('/slow 2\n/say Done', fields);
    await until(async () => (await db().run.count({ where: { conversationId, status: 'running' } })) > 0);
    const headers = { 'idempotency-key': `${key}message` };
    const before = await queued();
    const response = await service.send('POST', path, { body: { ...fields, content: textContent('Next') }, headers });
    expectError(response, 'unavailable', { message: 'Another process continues this request' });
    expect(await queued()).toBe(before);
    expect(await db().queuedTurn.count()).toBe(0);
    expect((await running).body.content).toBe('Done');
    expect(await db().timelineItem.count({ where: { content: { equals: textContent('Next') } } })).toBe(0);
  });
});
