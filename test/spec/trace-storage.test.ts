import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { LIMITS } from '../../src/contract/limits.ts';
import { sweepTraces } from '../../src/domain/retention/traces.ts';
import { textContent } from '../support/agent-apis.ts';
import { dictate } from '../support/dictation.ts';
import { expectGraphqlError } from '../support/error-bodies.ts';
import { daysAgo } from '../support/retention.ts';
import { openSession } from '../support/tenants.ts';
import { SECRET_ARGUMENT, startTracingService, type TracingService } from '../support/traces.ts';

let host: TracingService;
beforeAll(async () => {
  host = await startTracingService();
});
afterAll(() => host.close());

const prisma = () => host.service.service.services.stores.prisma;

describe('the retention of traces', () => {
  const set = (traceDays: number | null, key = '') =>
    host.service.graphql(
      'mutation ($traceDays: Int) { setRetention(input: { traceDays: $traceDays }) { __typename ... on SetRetentionPayload { retention { days traceDays } } ... on Error { code message path } } }',
      { traceDays },
      { key },
    );
  let admin: string;
  beforeAll(async () => {
    admin = await openSession(host.service, 'admin');
  });

  it('is 30 days, and 0 to 365 days can be set', async () => {
    const read = await host.service.graphql('{ retention { traceDays } }', {}, { key: admin });
    expect(read.body.data.retention.traceDays).toBe(30);
    for (const days of [0, LIMITS.traceDays, 30]) {
      expect((await set(days, admin)).body.data.setRetention.retention).toEqual({ days: null, traceDays: days });
    }
    for (const days of [-1, LIMITS.traceDays + 1]) {
      expectGraphqlError(await set(days, admin), 'invalid_request', { param: 'traceDays' });
    }
    expect((await set(null, admin)).body.data.setRetention.retention.traceDays).toBe(30);
    expectGraphqlError(await set(1, await openSession(host.service, 'developer')), 'forbidden', {
      facts: { required_roles: ['owner', 'admin'] },
    });
    const entries = await prisma().auditEntry.findMany({ where: { action: 'retention.set' }, orderBy: { id: 'asc' } });
    expect(entries[0]).toMatchObject({ details: { traceDays: 0, traceDaysBefore: 30 } });
  });

  it('of 0 days writes and encrypts nothing', async () => {
    const traced = () => host.service.takeStatements().filter((sql) => sql.includes('trace_span')).length;
    traced();
    await host.toolTurn();
    expect(traced()).toBeGreaterThan(0);
    await set(0, admin);
    const id = await host.toolTurn();
    expect(traced()).toBe(0);
    expect(await prisma().traceSpan.count({ where: { runId: id } })).toBe(0);
    expect((await host.readRun(id)).trace).toBeNull();
    await set(30, admin);
  });

  it('of 0 days that is set during a turn stores nothing of that turn', async () => {
    const answer = dictate(host.provider);
    const request = host.provider.nextRequest();
    const turn = host.turn(host.deploymentId);
    await request;
    await set(0, admin);
    onTestFinished(async () => {
      await set(30, admin);
    });
    answer.say('Hello');
    answer.end();
    const { status, body } = await turn;
    expect(status).toBe(200);
    expect(await prisma().traceSpan.count({ where: { runId: body.run_id } })).toBe(0);
  });

  it('hides an expired trace at once, and the sweep deletes its rows but not those of other runs', async () => {
    const [old, young] = [await host.toolTurn(), await host.toolTurn()];
    await prisma().run.updateMany({ where: { id: old }, data: { updatedAt: daysAgo(31) } });
    await prisma().run.updateMany({ where: { id: young }, data: { updatedAt: daysAgo(29) } });
    await prisma().traceSpan.updateMany({ where: { runId: old }, data: { startedAt: daysAgo(31) } });
    await prisma().traceSpan.updateMany({ where: { runId: young }, data: { startedAt: daysAgo(29) } });
    expect((await host.readRun(old)).trace).toBeNull();
    expect((await host.restTrace(old)).status).toBe(404);
    await sweepTraces(host.service.service.services);
    expect(await prisma().traceSpan.count({ where: { runId: old } })).toBe(0);
    expect((await host.readRun(young)).trace.spans.nodes).toHaveLength(3);
    await set(28, admin);
    expect((await host.readRun(young)).trace).toBeNull();
    await sweepTraces(host.service.service.services);
    expect(await prisma().traceSpan.count({ where: { runId: young } })).toBe(0);
    await set(30, admin);
  });

  it('ends with the conversation: deleting it deletes its traces. An export does not contain them', async () => {
    const id = await host.toolTurn();
    const { conversationId } = await prisma().run.findFirstOrThrow({ where: { id } });
    const exported = await host.service.send('GET', `/v1/conversations/${conversationId}/export`);
    expect(JSON.stringify(exported.body)).not.toMatch(/sealed|span/);
    await host.service.graphql(
      'mutation ($id: ID!) { deleteConversation(input: { conversationId: $id }) { __typename } }',
      { id: conversationId },
    );
    expect(await prisma().traceSpan.count({ where: { runId: id } })).toBe(0);
    expect((await host.restTrace(id)).status).toBe(404);
  });
});

describe('the stored content', () => {
  it('is sealed: no column contains prompts, answers, arguments or responses of the provider', async () => {
    const ids = [await host.toolTurn('A question of the user'), await host.failedTurn(401, 'Words of the provider')];
    const rows = await prisma().traceSpan.findMany({ where: { runId: { in: ids } } });
    expect(rows).toHaveLength(4);
    for (const row of rows) {
      const { sealedContent, ...columns } = row;
      const bytes = Buffer.from(sealedContent).toString('latin1');
      for (const text of [SECRET_ARGUMENT, 'A question', 'I wrote', 'Words of', 'Help Ada', 'instructions']) {
        expect(bytes).not.toContain(text);
        expect(JSON.stringify(columns)).not.toContain(text);
      }
    }
  });

  it('cannot be opened in the row of another span', async () => {
    const [one, other] = [await host.toolTurn(), await host.toolTurn()];
    const [first] = await prisma().traceSpan.findMany({ where: { runId: one, kind: 'tool_call' } });
    const data = { sealedContent: first?.sealedContent as Uint8Array<ArrayBuffer> };
    await prisma().traceSpan.updateMany({ where: { runId: other, kind: 'tool_call' }, data });
    const [, call] = (await host.readRun(other)).trace.spans.nodes;
    expect(call).toMatchObject({ arguments: null, result: null, isTruncated: false });
  });

  it.each([
    [0, false],
    [1, true],
  ])('has an answer of the limit and %i characters more: cut off is %s', async (more, isTruncated) => {
    const text = 'x'.repeat(LIMITS.traceContentLength + more);
    host.provider.reply({ kind: 'answer', deltas: [text] });
    const { body } = await host.turn(host.deploymentId);
    const [step] = (await host.readRun(body.run_id)).trace.spans.nodes;
    expect(step.isTruncated).toBe(isTruncated);
    expect(step.answer.text).toHaveLength(LIMITS.traceContentLength);
  });

  it('keeps the latest messages of a long prompt, and counts those that are left out', async () => {
    host.provider.reply({ kind: 'answer', deltas: ['Fine.'] });
    const long = (letter: string) => textContent(letter.repeat(LIMITS.traceContentLength / 2));
    const { body } = await host.turn(host.deploymentId, { content: long('a') });
    const conversation_id = body.conversation_id;
    await host.turn(host.deploymentId, { content: long('b'), conversation_id });
    const last = await host.turn(host.deploymentId, { content: textContent('And now?'), conversation_id });
    const [step] = (await host.readRun(last.body.run_id)).trace.spans.nodes;
    const { messages, messagesLeftOut } = step.prompt;
    expect(step.isTruncated).toBe(true);
    expect(messages.length + messagesLeftOut).toBe(5);
    expect(JSON.stringify(messages.at(-1))).toContain('And now?');
    expect(JSON.stringify(messages)).toContain('bbb');
    expect(JSON.stringify(messages).length).toBeLessThan(LIMITS.traceContentLength * 1.1);
  });

  it.each([
    [0, false],
    [1, true],
  ])('has arguments of the limit and %i characters more: cut off is %s', async (more, isTruncated) => {
    const args = (note: string) => ({ type: 'note', fields: { note } });
    const note = 'x'.repeat(LIMITS.traceContentLength + more - JSON.stringify(args('')).length);
    host.provider.reply(
      { kind: 'answer', calls: [{ name: 'create_resource', arguments: JSON.stringify(args(note)) }] },
      { kind: 'answer', deltas: ['Done.'] },
    );
    const { body } = await host.turn(host.deploymentId);
    const [, call] = (await host.readRun(body.run_id)).trace.spans.nodes;
    if (isTruncated) expect(call.arguments.truncated).toHaveLength(LIMITS.traceContentLength);
    else expect(call.arguments).toEqual(args(note));
  });

  it('has the first characters of a response of the provider', async () => {
    const id = await host.failedTurn(400, 'y'.repeat(LIMITS.traceErrorLength + 100));
    const [step] = (await host.readRun(id)).trace.spans.nodes;
    expect(step.failedAttempts[0].body).toHaveLength(LIMITS.traceErrorLength);
  });
});
