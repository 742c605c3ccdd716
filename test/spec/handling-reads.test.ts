import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { act } from '../support/handled-conversations.ts';
import { HandledTalks } from '../support/handled-talks.ts';
import { makeDeployment, makeMember, openSession, openSessionOf } from '../support/tenants.ts';

let talks: HandledTalks;
beforeAll(async () => {
  talks = await HandledTalks.start();
});
afterAll(() => talks.parts.close());
beforeEach(() => talks.reset());

/** A conversation that a person took over, answered in and handed back. */
async function handled(): Promise<string> {
  const id = await talks.started();
  await talks.act(id, 'takeover', { display_name: 'Anna' });
  await talks.answer(id, 'I have sent it.');
  await talks.act(id, 'handback', { summary: 'Sent again.', instructions: 'Offer a voucher.' });
  return id;
}

const history = async (id: string, query = '') => {
  const path = `/v2/runner/${talks.agent}/conversation/${id}/history${query}`;
  return (await talks.parts.service.send('GET', path)).body.items as readonly Record<string, unknown>[];
};

const TIMELINE = `query ($id: ID!) { conversation(id: $id) { history(first: 20, filter: { include: [HANDLING] }) { nodes {
  ... on Message { author { displayName kind } } ... on HandlingChange { mode cause reason handBackSummary instructions member { displayName } } } } } }`;

describe('the history', () => {
  it('shows hand-overs only on request', async () => {
    const id = await handled();
    expect((await history(id)).map(({ type }) => type)).toEqual(['message', 'message', 'message']);
    const items = await history(id, '?include=handling');
    expect(items.map(({ type, mode }) => [type, mode])).toEqual([
      ['message', undefined],
      ['message', undefined],
      ['handling', 'member'],
      ['message', undefined],
      ['handling', 'assistant'],
    ]);
    expect(items[3]).toMatchObject({ role: 'assistant', author: { display_name: 'Anna', kind: 'member' } });
    expect(items[4]).toMatchObject({ hand_back_summary: 'Sent again.', instructions: 'Offer a voucher.' });
  });

  it('shows visitors the name of the person, and no reason, summary or instructions', async () => {
    const { id: open } = await makeDeployment(talks.parts.service, {}, { kind: 'chat', authRequired: false });
    const { service } = talks.parts;
    const content = [{ type: 'text', text: 'Hello' }];
    const { body } = await service.send('POST', `/v1/runner/${open}/conversation`, { key: null, body: { content } });
    const id = body.conversation_id;
    await talks.act(id, 'takeover', { display_name: 'Anna' });
    await talks.answer(id, 'I have sent it.');
    await talks.act(id, 'handback', { summary: 'Sent again.', instructions: 'Offer a voucher.' });
    const read = await service.graphql(TIMELINE, { id }, { key: null });
    const { nodes } = read.body.data.conversation.history;
    expect(nodes.slice(2)).toEqual([
      {
        ...{ mode: 'MEMBER', cause: null, reason: null, handBackSummary: null, instructions: null },
        member: { displayName: 'Anna' },
      },
      { author: { displayName: 'Anna', kind: 'MEMBER' } },
      {
        ...{ mode: 'ASSISTANT', cause: null, reason: null, handBackSummary: null, instructions: null },
        member: { displayName: 'Anna' },
      },
    ]);
    const { user } = await talks.db.membership.findFirstOrThrow({ include: { user: true } });
    expect(JSON.stringify(read.body)).not.toContain(user.email);
  });
});

describe('the person who has a conversation', () => {
  const MEMBER = 'query ($id: ID!) { conversation(id: $id) { handling { member { displayName memberId apiKeyId } } } }';

  it('is known to the team, whatever name the user reads', async () => {
    const { service } = talks.parts;
    const { id: open } = await makeDeployment(service, {}, { kind: 'chat', authRequired: false });
    const content = [{ type: 'text', text: 'Hello' }];
    const { body } = await service.send('POST', `/v1/runner/${open}/conversation`, { key: null, body: { content } });
    const id = body.conversation_id;
    const memberOf = async (key: string | null) =>
      (await service.graphql(MEMBER, { id }, { key })).body.data.conversation.handling.member;
    const userId = await makeMember(service, 'developer', { name: 'Dora' });
    const dora = await openSessionOf(service, userId);
    await talks.act(id, 'takeover', { display_name: 'Anna' }, dora);
    expect(await memberOf(talks.other)).toEqual({ displayName: 'Anna', memberId: userId, apiKeyId: null });
    const nobody = { displayName: 'Anna', memberId: null, apiKeyId: null };
    expect(await memberOf(null)).toEqual(nobody);
    expect(await memberOf(await openSession(service, 'viewer'))).toEqual(nobody);
    await act(service, id, 'takeover', { token: service.keys.live, body: { display_name: 'Anna', force: true } });
    expect(await memberOf(talks.other)).toEqual({ ...nobody, apiKeyId: expect.stringMatching(/^key_/) });
  });
});

describe('a list of conversations', () => {
  it('finds conversations by who answers their users', async () => {
    const id = await talks.started();
    await talks.act(id, 'takeover');
    const ids = async (query: string) => {
      const { body } = await talks.parts.service.send('GET', `/v1/conversations?limit=100&${query}`);
      return (body.data as readonly { readonly id: string }[]).map((one) => one.id);
    };
    expect(await ids('handling=member')).toContain(id);
    expect(await ids('handling=member&handling=assistant')).toContain(id);
    expect(await ids('handling=waiting')).not.toContain(id);
  });
});

describe('an event', () => {
  it('reports each change of the mode, and each message for a person, without its text', async () => {
    const id = await talks.started();
    await talks.act(id, 'takeover');
    await talks.say(id, 'A secret text');
    await talks.act(id, 'handback', { answer: false, summary: 'A secret summary' });
    const events = await talks.db.event.findMany({
      where: { type: { startsWith: 'conversation.' }, payload: { path: ['conversation_id'], equals: id } },
      orderBy: { occurredAt: 'asc' },
    });
    expect(events.map(({ type }) => type)).toEqual([
      'conversation.taken',
      'conversation.message_received',
      'conversation.handed_back',
    ]);
    expect(events[1]?.payload).toMatchObject({ handled_by: 'member', run_status: 'completed' });
    expect(JSON.stringify(events.map(({ payload }) => payload))).not.toContain('secret');
  });
});

describe('an export', () => {
  it('has the author of a message of a person, and the changes of the mode', async () => {
    const id = await handled();
    const { body } = await talks.parts.service.send('GET', `/v1/conversations/${id}/export`);
    expect(body).toContain('"author":{"display_name":"Anna","kind":"member"}');
    expect(body).toContain('"instructions":"Offer a voucher."');
  });
});
