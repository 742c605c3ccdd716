import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { expireHandling } from '../../src/domain/agent/handling/expired-handling.ts';
import { textContent } from '../support/agent-apis.ts';
import { HandledTalks } from '../support/handled-talks.ts';
import { until } from '../support/until.ts';

let talks: HandledTalks;
beforeAll(async () => {
  talks = await HandledTalks.start();
});
afterAll(() => talks.parts.close());
beforeEach(() => talks.reset());

const say = (text: string) => ({ content: textContent(text) });

/** Lets the lease or the wait end now. */
async function expire(id: string): Promise<void> {
  await talks.db.conversation.updateMany({ where: { id }, data: { handlingUntil: new Date(0) } });
  await expireHandling(talks.parts.service.service.services);
}

describe('a conversation that a person took over', () => {
  it('stores messages of its user at once, without a turn', async () => {
    const id = await talks.started();
    const taken = await talks.act(id, 'takeover', { display_name: 'Anna' });
    expect([taken.status, taken.body]).toEqual([
      200,
      {
        conversation_id: id,
        handling: {
          mode: 'member',
          author: { display_name: 'Anna', kind: 'member' },
          is_mine: true,
          since: expect.any(String),
          until: expect.any(String),
          reason: null,
          urgency: 'normal',
        },
      },
    ]);
    const requests = talks.parts.provider.requests.length;
    const { status, body } = await talks.say(id, 'Are you there?');
    expect([status, body.run_status, body.content, body.handled_by]).toEqual([200, 'completed', '', 'member']);
    expect(talks.parts.provider.requests.length).toBe(requests);
    expect((await talks.act(id, 'member-messages', say('Yes, I am.'))).body).toMatchObject({
      role: 'assistant',
      content: [{ type: 'text', text: 'Yes, I am.' }],
      author: { display_name: 'Anna', kind: 'member' },
    });
    expect((await talks.texts(id)).slice(-2)).toEqual(['user: Are you there?', 'assistant: Yes, I am.']);
  });

  it('refuses another person unless they take it with force', async () => {
    const id = await talks.started();
    await talks.act(id, 'takeover', { display_name: 'Anna' });
    const refused = await talks.act(id, 'takeover', {}, talks.other);
    expect([refused.status, refused.body.error.code]).toEqual([409, 'handling_conflict']);
    expect(refused.body.error).toMatchObject({ handling: 'member', author: { display_name: 'Anna', kind: 'member' } });
    expect((await talks.act(id, 'member-messages', say('Hi'), talks.other)).body.error.code).toBe('handling_conflict');
    expect((await talks.act(id, 'handback', {}, talks.other)).body.error.code).toBe('handling_conflict');
    expect((await talks.act(id, 'takeover', { force: true }, talks.other)).status).toBe(200);
    expect((await talks.act(id, 'member-messages', say('Hi'))).body.error.code).toBe('handling_conflict');
    expect(await talks.db.auditEntry.count({ where: { action: 'conversation.taken_by_force', subjectId: id } })).toBe(
      1,
    );
  });

  it('answers what is unanswered once when it is handed back, with the instructions of the person', async () => {
    const id = await talks.started();
    await talks.act(id, 'takeover');
    await talks.say(id, 'One');
    await talks.say(id, 'Two');
    talks.parts.provider.reply({ kind: 'answer', deltas: ['Answered.'] });
    const back = await talks.act(id, 'handback', { instructions: 'Offer a refund.', summary: 'I checked the order.' });
    expect([back.status, back.body.handling.mode]).toEqual([200, 'assistant']);
    await until(async () => (await talks.texts(id)).at(-1) === 'assistant: Answered.');
    expect((await talks.texts(id)).slice(-3)).toEqual(['user: One', 'user: Two', 'assistant: Answered.']);
    expect(talks.lastPrompt).toContain('Offer a refund.');
    expect(talks.lastPrompt).toContain('I checked the order.');
    expect((await talks.act(id, 'handback')).status).toBe(200);
    expect(await talks.turns(id)).toBe(2);
  });

  it('starts no turn when it is handed back without open messages, or with answer false', async () => {
    const id = await talks.started();
    await talks.act(id, 'takeover');
    await talks.say(id, 'Hello?');
    await talks.act(id, 'member-messages', say('Hi'));
    await talks.act(id, 'handback');
    await talks.act(id, 'takeover');
    await talks.say(id, 'Still there?');
    await talks.act(id, 'handback', { answer: false });
    expect(await talks.turns(id)).toBe(1);
    expect((await talks.conversation(id)).owesAnswer).toBe(false);
    await talks.say(id, 'And now?');
    expect(talks.lastPrompt).toContain('a person of the team, wrote');
  });

  it('waits for another person when the lease of its person expires, and returns when nobody comes', async () => {
    const id = await talks.started();
    await talks.act(id, 'takeover');
    await talks.say(id, 'Hello?');
    await expire(id);
    expect((await talks.conversation(id)).handling).toBe('waiting');
    expect((await talks.say(id, 'Anyone?')).body.handled_by).toBe('waiting');
    talks.parts.provider.reply({ kind: 'answer', deltas: ['Me.'] });
    await expire(id);
    await until(async () => (await talks.texts(id)).at(-1) === 'assistant: Me.');
    expect(talks.lastPrompt).toContain('No person of the team was available');
  });
});

describe('an API key', () => {
  it('answers for a person of a connected system, once for each idempotency key', async () => {
    const { service } = talks.parts;
    const id = await talks.started();
    const path = `/v1/conversations/${id}`;
    const taken = await service.send('POST', `${path}/takeover`, { body: { display_name: 'Anna', hold_minutes: 60 } });
    expect(taken.body.handling).toMatchObject({ author: { display_name: 'Anna', kind: 'api_key' }, is_mine: true });
    const headers = { 'idempotency-key': `answer-${id}` };
    const send = () => service.send('POST', `${path}/member-messages`, { headers, body: say('Hi') });
    const [first, second] = [await send(), await send()];
    expect([first.status, second.body.id]).toEqual([200, first.body.id]);
    expect(await talks.texts(id)).toEqual(['user: Hello', 'assistant: Hi', 'assistant: Hi']);
    expect((await service.send('POST', `${path}/handback`, { body: {} })).body.handling.mode).toBe('assistant');
  });
});

describe('hand_over', () => {
  it('lets the conversation wait for a person, and the model ends its turn', async () => {
    talks.parts.provider.reply(
      {
        kind: 'answer',
        calls: [{ name: 'hand_over', arguments: JSON.stringify({ reason: 'Wants a refund', urgency: 'high' }) }],
      },
      { kind: 'answer', deltas: ['A colleague will answer.'] },
    );
    const { body } = await talks.parts.turn(talks.agent);
    expect(body).toMatchObject({ run_status: 'completed', content: 'A colleague will answer.' });
    expect((await talks.say(body.conversation_id, 'Thanks')).body.handled_by).toBe('waiting');
    const { handlingFacts } = await talks.conversation(body.conversation_id);
    expect(handlingFacts).toMatchObject({ reason: 'Wants a refund', urgency: 'high', cause: 'assistant' });
    expect((await talks.act(body.conversation_id, 'takeover')).body.handling.reason).toBe('Wants a refund');
  });
});

describe('an automatic hand-over', () => {
  it('comes after as many failed turns in a row as the workflow says', async () => {
    const agent = await talks.parts.agent({ handOverAfterFailures: 2 });
    talks.parts.provider.reply({ kind: 'status', status: 400 });
    const first = await talks.parts.turn(agent);
    const id = first.body.error.conversation_id;
    expect((await talks.conversation(id)).handling).toBe('assistant');
    await talks.parts.turn(agent, { conversation_id: id, ...say('Again') });
    expect(await talks.conversation(id)).toMatchObject({ handling: 'waiting', handlingFacts: { cause: 'failures' } });
  });

  it('comes after the first bad rating of a reply', async () => {
    const id = await talks.started({ handOverAfterBadRating: true });
    const reply = await talks.db.timelineItem.findFirstOrThrow({ where: { conversationId: id, role: 'assistant' } });
    const rate = (rating: string) =>
      talks.parts.service.send('PUT', `/v1/runner/conversation/${id}/messages/${reply.id}/rating`, {
        body: { rating },
      });
    await rate('up');
    expect((await talks.conversation(id)).handling).toBe('assistant');
    await rate('down');
    expect(await talks.conversation(id)).toMatchObject({ handling: 'waiting', handlingFacts: { cause: 'rating' } });
    await talks.act(id, 'handback');
    await rate('down');
    expect((await talks.conversation(id)).handling).toBe('assistant');
  });

  it('keeps waiting after the deadline with the expiry KEEP', async () => {
    talks.parts.provider.reply(
      { kind: 'answer', calls: [{ name: 'hand_over', arguments: '{"reason":"Lost"}' }] },
      { kind: 'answer', deltas: ['Wait.'] },
    );
    const id = await talks.started({ allowHandOver: true, handOverExpiry: 'keep' });
    await expire(id);
    expect(await talks.conversation(id)).toMatchObject({ handling: 'waiting', handlingUntil: null });
  });

  it('is not offered to the model, and refused, unless the workflow allows it', async () => {
    talks.parts.provider.reply(
      { kind: 'answer', calls: [{ name: 'hand_over', arguments: '{"reason":"Lost"}' }] },
      { kind: 'answer', deltas: ['Well.'] },
    );
    const id = await talks.started({});
    expect((await talks.conversation(id)).handling).toBe('assistant');
    expect(talks.lastPrompt).toContain('There is no tool hand_over.');
  });
});
