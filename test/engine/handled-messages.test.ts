import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { answerAllOwed } from '../../src/domain/agent/handling/owed-answers.ts';
import { REPLIED_WITHOUT_IT } from '../../src/domain/agent/model-port.ts';
import { storeOrphanedMessages } from '../../src/domain/agent/recovery/orphaned-messages.ts';
import { serviceContext } from '../../src/domain/agent/rows/service-context.ts';
import { roundOutcome } from '../../src/domain/agent/run/round-outcome.ts';
import { runHandOver } from '../../src/domain/agent/tools/hand-over.ts';
import { variantsOfEach } from '../../src/domain/conversations/variants.ts';
import { workflowConfig } from '../../src/domain/workflows/config.ts';
import { textContent } from '../support/agent-apis.ts';
import { openPool, POSTGRES_URL } from '../support/database.ts';
import { dictate } from '../support/dictation.ts';
import { HandledTalks } from '../support/handled-talks.ts';
import { loseRun } from '../support/lose-run.ts';
import { REPLY } from '../support/paused-turns.ts';
import { until } from '../support/until.ts';

let talks: HandledTalks;
let parts: HandledTalks['parts'];
let agent: string;
beforeAll(async () => {
  talks = await HandledTalks.start();
  ({ parts, agent } = talks);
});
afterAll(() => parts.close());
beforeEach(() => talks.reset());

const services = () => parts.service.service.services;
const db = () => services().stores.prisma;

const act: HandledTalks['act'] = (...given) => talks.act(...given);

const send = (id: string, text: string) => talks.say(id, text);

const started = () => talks.started();

const conversation = (id: string) => talks.conversation(id);

const environmentOf = async (id: string) =>
  db().environment.findFirstOrThrow({ where: { id: (await conversation(id)).environmentId } });

const texts = (id: string) => talks.texts(id);

const turns = (id: string) => talks.turns(id);

/** Starts a turn whose reply the test dictates. */
async function dictatedTurn(conversationId: string) {
  const before = parts.provider.requests.length;
  const reply = dictate(parts.provider);
  const response = send(conversationId, 'A question');
  await until(async () => parts.provider.requests.length === before + 1);
  return { reply, response };
}

/** A turn that waits for a tool of its client. */
async function pausedTurn() {
  parts.provider.reply({ kind: 'answer', calls: [{ name: 'lookup', arguments: '{}' }] }, REPLY);
  const { body } = await parts.turn(agent, {
    client_capabilities: [{ name: 'lookup', input_schema: { type: 'object' } }],
  });
  expect(body.run_status).toBe('waiting_for_client_action');
  return { id: body.conversation_id as string, callId: body.client_tool_calls[0].call_id as string };
}

const resolve = ({ id, callId }: Awaited<ReturnType<typeof pausedTurn>>) =>
  parts.turn(agent, { conversation_id: id, tool_results: [{ call_id: callId, output: {} }] });

const debtSettled = (id: string) =>
  until(async () => {
    await answerAllOwed(services());
    return !(await conversation(id)).owesAnswer;
  });

describe('a message that was stored while a turn ran', () => {
  it('is answered after the conversation was handed back, although the reply of that turn came after it', async () => {
    const id = await started();
    const { reply, response } = await dictatedTurn(id);
    await act(id, 'takeover', { running: 'wait' });
    expect((await send(id, 'Unread')).body.handled_by).toBe('member');
    reply.say('To the question.');
    reply.end();
    await response;
    parts.provider.reply({ kind: 'answer', deltas: ['To the unread one.'] });
    await act(id, 'handback');
    await until(async () => (await texts(id)).at(-1) === 'assistant: To the unread one.');
    expect((await texts(id)).slice(-4)).toEqual([
      'user: A question',
      'user: Unread',
      'assistant: To the question.',
      'assistant: To the unread one.',
    ]);
    expect([await turns(id), (await conversation(id)).owesAnswer]).toEqual([3, false]);
  });

  it('is what the model must answer if its turn ended after the hand-back', async () => {
    const id = await started();
    const { reply, response } = await dictatedTurn(id);
    await act(id, 'takeover', { running: 'wait' });
    await send(id, 'Unread');
    await act(id, 'handback');
    parts.provider.reply(REPLY);
    const before = parts.provider.requests.length;
    reply.say('To the question.');
    reply.end();
    await response;
    await debtSettled(id);
    await until(async () => parts.provider.requests.length === before + 1);
    const messages = parts.provider.requests.at(-1)?.body.messages as object[];
    expect(messages.at(-1)).toMatchObject({ role: 'user', content: REPLIED_WITHOUT_IT });
    await until(async () => (await turns(id)) === 3);
  });
});

describe('a message whose turn was stopped after a call, before it had a reply', () => {
  it('is answered after the hand-back by a turn that has the call too', async () => {
    const before = parts.provider.requests.length;
    const call = { name: 'hand_over', arguments: JSON.stringify({ reason: 'A refund' }) };
    parts.provider.reply(REPLY, { kind: 'answer', calls: [call] }, { kind: 'hang' });
    const id = await started();
    const response = send(id, 'A refund, please');
    await until(async () => parts.provider.requests.length === before + 3);
    await act(id, 'takeover');
    expect((await response).body.run_status).toBe('interrupted');
    parts.provider.reply({ kind: 'answer', deltas: ['Here it is.'] });
    await act(id, 'handback');
    await until(async () => (await texts(id)).at(-1) === 'assistant: Here it is.');
    expect(JSON.stringify(parts.provider.requests.at(-1)?.body)).toContain('A person will answer');
    const { latestRunId: runId } = await conversation(id);
    const items = await db().timelineItem.findMany({ where: { runId: runId ?? '' }, orderBy: { id: 'asc' } });
    const ofTurn = items.filter(({ kind }) => kind !== 'handling');
    expect(ofTurn.map(({ kind, step }) => [kind, step])).toEqual([
      ['message', 0],
      ['tool', 1],
      ['message', 3],
    ]);
  });
});

describe('a message that was stored while a turn waited for its client', () => {
  it('is answered by that turn if it was resumed later, and not once more', async () => {
    const paused = await pausedTurn();
    await act(paused.id, 'takeover');
    await send(paused.id, 'And this?');
    await act(paused.id, 'handback');
    expect((await conversation(paused.id)).owesAnswer).toBe(true);
    expect((await resolve(paused)).body.run_status).toBe('completed');
    expect(JSON.stringify(parts.provider.requests.at(-1)?.body)).toContain('And this?');
    await debtSettled(paused.id);
    expect(await turns(paused.id)).toBe(1);
  });

  it('leaves the action of that turn answerable', async () => {
    const paused = await pausedTurn();
    await act(paused.id, 'takeover');
    expect((await send(paused.id, 'Hello?')).body.handled_by).toBe('member');
    expect((await act(paused.id, 'member-messages', { content: textContent('Hi') })).status).toBe(200);
    expect((await resolve(paused)).body).toMatchObject({ run_status: 'completed', content: 'Hi' });
  });
});

describe('a message of a client that does not wait', () => {
  it('is acknowledged with 202 when it is stored for a person', async () => {
    const id = await started();
    await act(id, 'takeover');
    const { status, headers, body } = await parts.service.send('POST', `/v2/runner/${agent}/conversation`, {
      body: { conversation_id: id, content: textContent('Hello?') },
      headers: { prefer: 'respond-async' },
    });
    expect([status, headers.get('preference-applied')]).toEqual([202, 'respond-async']);
    expect(body).toMatchObject({ conversation_id: id, run_status: 'completed', handled_by: 'member' });
    expect((await texts(id)).at(-1)).toBe('user: Hello?');
  });
});

describe('a retried request whose turn was stopped and whose process died', () => {
  it('gets neither the message of its user nor that of a member as its reply', async () => {
    const id = await started();
    const before = parts.provider.requests.length;
    parts.provider.reply({ kind: 'hang' });
    const response = send(id, 'A question').catch(() => 'lost');
    await until(async () => parts.provider.requests.length === before + 1);
    const { id: runId } = await db().run.findFirstOrThrow({ where: { conversationId: id, status: 'running' } });
    await db().run.updateMany({ where: { id: runId }, data: { interrupted: true } });
    await loseRun(parts.service, runId);
    await response;
    const ctx = serviceContext(services(), await environmentOf(id));
    const address = { conversationId: id, config: workflowConfig.parse({}) };
    const outcome = () => roundOutcome(ctx, address, { runId, step: 0 });
    expect(await outcome()).toMatchObject({ runStatus: 'interrupted', content: '' });
    await act(id, 'takeover');
    expect((await act(id, 'member-messages', { content: textContent('I am here') })).status).toBe(200);
    expect(await outcome()).toMatchObject({ runStatus: 'interrupted', content: '' });
  });
});

describe('a message of a member', () => {
  it('is no variant of the reply of the turn before it', async () => {
    const id = await started();
    const again = await parts.service.send('POST', `/v1/runner/conversation/${id}/regenerate`, { body: {} });
    expect(again.status).toBe(200);
    await act(id, 'takeover');
    await act(id, 'member-messages', { content: textContent('I am here') });
    const where = { conversationId: id, role: 'assistant', supersededBy: null } as const;
    const [reply, written] = await db().timelineItem.findMany({ where, orderBy: { id: 'asc' } });
    const ctx = serviceContext(services(), await environmentOf(id));
    const variants = await variantsOfEach(ctx, [String(reply?.id), String(written?.id)]);
    expect(variants).toMatchObject([{ position: 2 }, null]);
  });
});

describe('a queued message whose process died', () => {
  it('is stored for the person who took the conversation, although a turn waits for its client', async () => {
    const { id } = await pausedTurn();
    const { environmentId, latestRunId } = await conversation(id);
    const run = await db().run.findFirstOrThrow({ where: { id: latestRunId ?? '' } });
    const queued = {
      environmentId,
      runId: randomUUID(),
      conversationId: id,
      content: textContent('Queued'),
      agent: true,
      workflowVersion: run.workflowVersion,
      model: run.model,
      attemptsLeft: 3,
      requestId: 'queued',
      leaseOwner: randomUUID(),
      leaseExpiresAt: new Date(0),
      createdAt: new Date(),
    };
    await db().queuedTurn.create({ data: queued });
    const found = [{ environmentId, id: queued.runId }];
    await storeOrphanedMessages(services(), found);
    expect(await db().queuedTurn.count({ where: { conversationId: id } })).toBe(1);
    await act(id, 'takeover');
    await storeOrphanedMessages(services(), found);
    expect(await db().queuedTurn.count({ where: { conversationId: id } })).toBe(0);
    expect(await db().run.findFirstOrThrow({ where: { id: queued.runId } })).toMatchObject({
      status: 'completed',
      handledBy: 'member',
    });
    expect([(await texts(id)).at(-1), (await conversation(id)).latestRunId]).toEqual(['user: Queued', latestRunId]);
  });
});

describe('a call of hand_over that runs again after the death of its process', () => {
  it('changes nothing if a person has handed the conversation back meanwhile', async () => {
    parts.provider.reply(
      { kind: 'answer', calls: [{ name: 'hand_over', arguments: JSON.stringify({ reason: 'A refund' }) }] },
      REPLY,
    );
    const id = await started();
    expect((await conversation(id)).handling).toBe('waiting');
    await act(id, 'takeover');
    await act(id, 'handback');
    const { callId } = await db().timelineItem.findFirstOrThrow({ where: { conversationId: id, name: 'hand_over' } });
    const ctx = serviceContext(services(), await environmentOf(id));
    const config = workflowConfig.parse({ allowHandOver: true });
    await runHandOver(ctx, config, { callId: callId ?? '', conversationId: id, arguments: { reason: 'A refund' } });
    expect((await conversation(id)).handling).toBe('assistant');
  });
});

describe.skipIf(!POSTGRES_URL)('a message that waited for the lock of its conversation', () => {
  let pool: pg.Pool;
  beforeAll(async () => {
    const [row] = await db().$queryRaw<{ name: string }[]>`SELECT current_database() AS name`;
    const url = new URL(POSTGRES_URL ?? '');
    url.pathname = `/${row?.name}`;
    pool = openPool(url.href, 2);
  });
  afterAll(() => pool.end());

  it('keeps a turn the latest one that has paused since the message arrived', async () => {
    const id = await started();
    const { latestRunId } = await conversation(id);
    const other = await pool.connect();
    await other.query('BEGIN');
    await other.query('SELECT FROM conversation WHERE id = $1 FOR UPDATE', [id]);
    const response = send(id, 'Hello?');
    await until(async () => {
      const { rows } = await pool.query(
        "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
      );
      return rows.length === 1;
    });
    await other.query("UPDATE run SET status = 'waiting_for_client_action' WHERE id = $1", [latestRunId]);
    await other.query("UPDATE conversation SET handling = 'waiting', handling_since = now() WHERE id = $1", [id]);
    await other.query('COMMIT');
    other.release();
    expect((await response).body.handled_by).toBe('waiting');
    expect((await conversation(id)).latestRunId).toBe(latestRunId);
  });
});
