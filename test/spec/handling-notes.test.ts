import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { LIMITS } from '../../src/contract/limits.ts';
import { ERASE_END_USER, endUserToken } from '../support/end-users.ts';
import { HandledTalks } from '../support/handled-talks.ts';
import { subscribe } from '../support/subscriptions.ts';
import { makeDeployment, makeKey, makeWorkspace, openSession } from '../support/tenants.ts';

const SECRET = 'Zebra discount was refused';

let talks: HandledTalks;
let viewer: string;
let owner: string;
beforeAll(async () => {
  talks = await HandledTalks.start();
  viewer = await openSession(talks.parts.service, 'viewer');
  owner = await openSession(talks.parts.service, 'owner');
});
afterAll(() => talks.parts.close());
beforeEach(() => talks.reset());

const ADD = `mutation ($input: AddConversationNoteInput!) { addConversationNote(input: $input) { __typename
  ... on AddConversationNotePayload { note { id conversationNoteId text isMine author { displayName kind } }
    conversation { notes { totalCount } } }
  ... on Error { code message path } } }`;
const DELETE = `mutation ($id: ID!) { deleteConversationNote(input: { conversationNoteId: $id }) { __typename
  ... on DeleteConversationNotePayload { deletedId conversation { notes { totalCount } } }
  ... on Error { code path } } }`;
const NOTES = `query ($id: ID!, $first: Int, $after: String) { conversation(id: $id) { conversationId
  notes(first: $first, after: $after) { nodes { conversationNoteId text isMine } pageInfo { hasNextPage endCursor } totalCount } } }`;

const graphql = (query: string, variables: object, key?: string | null, idempotencyKey?: string) =>
  talks.parts.service.graphql(query, variables, {
    ...(key !== undefined && { key }),
    ...(idempotencyKey && { headers: { 'idempotency-key': idempotencyKey } }),
  });

async function add(conversationId: string, text = SECRET, key: string = talks.member) {
  const { body } = await graphql(ADD, { input: { conversationId, text } }, key);
  expect(body.errors).toBeUndefined();
  return body.data.addConversationNote;
}

async function notes(id: string, key: string | null = talks.member, page: object = {}) {
  const { body } = await graphql(NOTES, { id, ...page }, key);
  expect(body.errors).toBeUndefined();
  return body.data.conversation.notes;
}

const remove = (id: string, key: string) => graphql(DELETE, { id }, key);

const stored = (conversationId: string) => talks.db.conversationNote.count({ where: { conversationId } });

describe('a note', () => {
  it('is read by all who can handle conversations, oldest first and in pages', async () => {
    const id = await talks.started();
    const { note, conversation } = await add(id, 'First');
    expect(note).toMatchObject({ text: 'First', isMine: true, author: { displayName: 'developer', kind: 'MEMBER' } });
    expect(note.conversationNoteId).toMatch(/^note_[0-9a-z]{26}$/);
    expect(conversation.notes.totalCount).toBe(1);
    await add(id, 'Second', talks.other);
    await add(id, 'Third', await makeKey(talks.parts.service));
    const all = await notes(id);
    expect(all.nodes.map(({ text, isMine }: { text: string; isMine: boolean }) => [text, isMine])).toEqual([
      ['First', true],
      ['Second', false],
      ['Third', false],
    ]);
    const first = await notes(id, talks.other, { first: 2 });
    expect([first.totalCount, first.pageInfo.hasNextPage]).toEqual([3, true]);
    const rest = await notes(id, talks.other, { first: 2, after: first.pageInfo.endCursor });
    expect(rest.nodes.map(({ text }: { text: string }) => text)).toEqual(['Third']);
  });

  it('can be written about a completed conversation', async () => {
    const id = await talks.started();
    await talks.db.conversation.updateMany({ where: { id }, data: { status: 'completed', completedAt: new Date() } });
    expect((await add(id)).note.text).toBe(SECRET);
  });

  it('is not read by viewers, keys without the scope, end users and visitors', async () => {
    const { service } = talks.parts;
    const { id: open } = await makeDeployment(service, {}, { kind: 'chat', authRequired: false });
    const user = await endUserToken(service, open, 'ada');
    const body = { content: [{ type: 'text', text: 'Hello' }] };
    const start = async (key: string | null) =>
      (await service.send('POST', `/v1/runner/${open}/conversation`, { key, body })).body.conversation_id as string;
    const [ofUser, ofVisitor] = [await start(user), await start(null)];
    const reader = await makeKey(service, { scopes: ['conversations:read', 'conversations:write'] });
    for (const id of [ofUser, ofVisitor]) {
      const { note } = await add(id);
      for (const key of [viewer, reader]) expect(await notes(id, key)).toBeNull();
      for (const key of [viewer, reader, user]) {
        const { body: node } = await graphql('query ($id: ID!) { node(id: $id) { id } }', { id: note.id }, key);
        expect(node.errors[0].extensions.code).toBe('FORBIDDEN');
        const { body: added } = await graphql(ADD, { input: { conversationId: id, text: 'x' } }, key);
        expect(added.errors[0].extensions.code).toBe('FORBIDDEN');
        expect((await remove(note.conversationNoteId, key)).body.errors[0].extensions.code).toBe('FORBIDDEN');
      }
    }
    expect(await notes(ofUser, user)).toBeNull();
    expect(await notes(ofVisitor, null)).toBeNull();
    expect([await stored(ofUser), await stored(ofVisitor)]).toEqual([1, 1]);
  });

  it('costs those who cannot read it no statement', async () => {
    const { service } = talks.parts;
    const { id: open } = await makeDeployment(service, {}, { kind: 'chat', authRequired: false });
    const user = await endUserToken(service, open, 'cheap');
    const body = { content: [{ type: 'text', text: 'Hello' }] };
    const { conversation_id: id } = (await service.send('POST', `/v1/runner/${open}/conversation`, { key: user, body }))
      .body;
    await add(id);
    service.takeAllStatements();
    for (const key of [user, viewer]) expect(await notes(id, key)).toBeNull();
    const statements = service.takeAllStatements();
    expect(statements.length).toBeGreaterThan(0);
    expect(statements.filter((sql) => sql.includes('conversation_note'))).toEqual([]);
  });

  it('is not reached by another workspace, or by a key of another deployment', async () => {
    const { service } = talks.parts;
    const id = await talks.started();
    const { note } = await add(id);
    const other = (await makeWorkspace(service)).keys.live;
    expect((await graphql(NOTES, { id }, other)).body.data.conversation).toBeNull();
    const node = 'query ($id: ID!) { node(id: $id) { id } }';
    expect((await graphql(node, { id: note.id }, other)).body.data.node).toBeNull();
    const added = await graphql(ADD, { input: { conversationId: id, text: 'x' } }, other);
    expect(added.body.data.addConversationNote).toMatchObject({ code: 'NOT_FOUND', path: ['conversationId'] });
    const removed = await remove(note.conversationNoteId, other);
    expect(removed.body.data.deleteConversationNote).toMatchObject({
      code: 'NOT_FOUND',
      path: ['conversationNoteId'],
    });
    const { id: elsewhere } = await makeDeployment(service, {}, { kind: 'agent' });
    const bound = await makeKey(service, { deploymentIds: [elsewhere] });
    const refused = await graphql(ADD, { input: { conversationId: id, text: 'x' } }, bound);
    expect(refused.body.data.addConversationNote.code).toBe('NOT_FOUND');
    const own = await makeKey(service, { deploymentIds: [talks.agent] });
    expect((await add(id, 'Of the connector', own)).note.isMine).toBe(true);
    expect((await notes(id, own)).totalCount).toBe(2);
  });

  it('is deleted by its author, and by owners and admins with a session, but not by others', async () => {
    const id = await talks.started();
    const another = await openSession(talks.parts.service, 'developer');
    const key = await makeKey(talks.parts.service);
    const [first, second] = [await add(id), await add(id)];
    for (const caller of [another, key]) {
      const { body } = await remove(first.note.conversationNoteId, caller);
      expect(body.errors[0]).toMatchObject({ extensions: { code: 'FORBIDDEN' } });
    }
    expect(await stored(id)).toBe(2);
    const own = await remove(first.note.id, talks.member);
    expect(own.body.data.deleteConversationNote).toMatchObject({
      deletedId: first.note.id,
      conversation: { notes: { totalCount: 1 } },
    });
    expect((await remove(second.note.conversationNoteId, owner)).body.data.deleteConversationNote.deletedId).toBe(
      second.note.id,
    );
    const again = await remove(first.note.id, talks.member);
    expect(again.body.data.deleteConversationNote).toMatchObject({ code: 'NOT_FOUND' });
  });

  it.each([
    ['', 'x'],
    [' \n ', 'x'],
    ['n'.repeat(LIMITS.noteLength + 1), 'x'],
  ])('is refused with the text %#', async (text) => {
    expect(await add(await talks.started(), text)).toMatchObject({ code: 'INVALID_REQUEST', path: ['text'] });
  });

  it('is stored once for an idempotency key, and is deleted once', async () => {
    const id = await talks.started();
    const input = { conversationId: id, text: 'n'.repeat(LIMITS.noteLength) };
    const send = () => graphql(ADD, { input }, talks.member, 'one-note');
    const [first, second] = [await send(), await send()];
    expect(second.body.data.addConversationNote.note).toEqual(first.body.data.addConversationNote.note);
    expect(await stored(id)).toBe(1);
    const noteId = first.body.data.addConversationNote.note.id;
    const removals = [1, 2].map(() => graphql(DELETE, { id: noteId }, talks.member, 'one-removal'));
    const done = (await Promise.all(removals)).filter(({ body }) => body.data?.deleteConversationNote?.deletedId);
    expect(done.length).toBeGreaterThan(0);
    expect(await stored(id)).toBe(0);
  });

  it('does not exceed the limit of a conversation, even when several people write at once', async () => {
    const id = await talks.started();
    const { environmentId } = await talks.conversation(id);
    const author = { displayName: 'Anna', kind: 'member', id: 'x' };
    const rows = Array.from({ length: LIMITS.conversationNotes - 1 }, (_, index) => ({
      ...{ environmentId, conversationId: id, id: `note_${index}`, text: 'n', author, createdAt: new Date() },
    }));
    await talks.db.conversationNote.createMany({ data: rows });
    const results = await Promise.all([1, 2, 3, 4, 5, 6].map(() => add(id)));
    expect(results.filter(({ note }) => note)).toHaveLength(1);
    expect(results.find(({ code }) => code)).toMatchObject({ code: 'INVALID_REQUEST', path: ['conversationId'] });
    expect(await stored(id)).toBe(LIMITS.conversationNotes);
  });

  it('wakes the subscribers of the conversation and of the list, who can then read it', async () => {
    const id = await talks.started();
    const query =
      'subscription ($id: ID!) { conversationChanged(conversationId: $id) { items { itemId } conversation { notes { nodes { text } } } } }';
    const stream = await subscribe(talks.parts.service, query, { id }, talks.member);
    await stream.next();
    const next = stream.next();
    const { note } = await add(id);
    expect((await next).data).toEqual({
      conversationChanged: { items: [], conversation: { notes: { nodes: [{ text: SECRET }] } } },
    });
    const last = stream.next();
    await remove(note.id, talks.member);
    expect((await last).data).toEqual({ conversationChanged: { items: [], conversation: { notes: { nodes: [] } } } });
    await stream.close();
  });
});

describe('notes', () => {
  it('are in no message, title, search, event, prompt or fork', async () => {
    const { service } = talks.parts;
    const id = await talks.started();
    const before = await talks.texts(id);
    await add(id);
    await talks.act(id, 'takeover');
    await talks.say(id, 'Still there?');
    await talks.act(id, 'handback', { answer: false });
    await talks.say(id, 'Go on');
    expect(talks.lastPrompt).toContain('Go on');
    expect(talks.lastPrompt).not.toContain('Zebra');
    expect((await talks.texts(id)).slice(0, before.length)).toEqual(before);
    for (const path of [
      `/v1/conversations?text=zebra`,
      `/v1/conversations?search=zebra`,
      `/v1/runner/conversation/${id}/messages`,
      `/v2/runner/${talks.agent}/conversation/${id}/history?include=handling&branch=all`,
      `/v1/events?limit=100`,
    ]) {
      const { status, body } = await service.send('GET', path);
      expect(status).toBe(200);
      expect(JSON.stringify(body)).not.toContain('Zebra');
      if (path.includes('zebra')) expect(body.data).toEqual([]);
    }
    const forked = await service.send('POST', `/v1/runner/conversation/${id}/fork`, { body: {} });
    expect(forked.status).toBe(201);
    expect(await stored(forked.body.conversation_id)).toBe(0);
    await talks.say(forked.body.conversation_id, 'And now?');
    expect(talks.lastPrompt).toContain('And now?');
    expect(talks.lastPrompt).not.toContain('Zebra');
  });

  it('are in an export of callers who can handle conversations, and in no other', async () => {
    const { service } = talks.parts;
    const token = await endUserToken(service, talks.agent, 'exported');
    const body = { content: [{ type: 'text', text: 'Hello' }] };
    const { conversation_id: id } = (
      await service.send('POST', `/v2/runner/${talks.agent}/conversation`, { key: token, body })
    ).body;
    const { note } = await add(id);
    const exported = async (key: string) => (await service.send('GET', `/v1/conversations/${id}/export`, { key })).body;
    const line = JSON.parse(
      String(await exported(await makeKey(service)))
        .split('\n')
        .find((text) => text.includes('"type":"note"')) ?? '{}',
    );
    expect(line.data).toMatchObject({ note_id: note.conversationNoteId, text: SECRET, author: { kind: 'member' } });
    const reader = await makeKey(service, { scopes: ['conversations:read'] });
    for (const key of [token, viewer, reader]) {
      const text = String(await exported(key));
      expect(text).toContain('"type":"end"');
      expect(text).not.toContain('Zebra');
    }
  });

  it('are deleted with the conversation, by its deletion and by the erasure of its end user', async () => {
    const { service } = talks.parts;
    const id = await talks.started();
    await add(id);
    const removal = 'mutation ($id: ID!) { deleteConversation(input: { conversationId: $id }) { __typename } }';
    expect((await graphql(removal, { id }, owner)).body.data.deleteConversation.__typename).toContain('Payload');
    const token = await endUserToken(service, talks.agent, 'forgotten');
    const body = { content: [{ type: 'text', text: 'Hello' }] };
    const { conversation_id: own } = (
      await service.send('POST', `/v2/runner/${talks.agent}/conversation`, { key: token, body })
    ).body;
    await add(own);
    await service.graphql(ERASE_END_USER, { input: { endUser: 'forgotten' } });
    expect([await stored(id), await stored(own)]).toEqual([0, 0]);
  });
});
