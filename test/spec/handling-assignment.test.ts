import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { endUserToken } from '../support/end-users.ts';
import { HandledTalks } from '../support/handled-talks.ts';
import { subscribe } from '../support/subscriptions.ts';
import { makeDeployment, makeKey, makeMember, makeWorkspace, openSession, openSessionOf } from '../support/tenants.ts';

let talks: HandledTalks;
let annId: string;
let ann: string;
let bobId: string;
let viewer: string;
let admin: string;
beforeAll(async () => {
  talks = await HandledTalks.start();
  const { service } = talks.parts;
  annId = await makeMember(service, 'developer', { name: 'Ann' });
  bobId = await makeMember(service, 'developer', { name: 'Bob' });
  ann = await openSessionOf(service, annId);
  viewer = await openSession(service, 'viewer');
  admin = await openSession(service, 'owner');
});
afterAll(() => talks.parts.close());
beforeEach(() => talks.reset());

const ASSIGN = `mutation ($input: AssignConversationInput!) { assignConversation(input: $input) { __typename
  ... on AssignConversationPayload { conversation { assignee { memberId displayName isMe } handling { mode } } }
  ... on Error { code message path } } }`;
const ASSIGNEE = `query ($id: ID!) { conversation(id: $id) { conversationId assignee { memberId displayName isMe } } }`;
const LIST = `query ($filter: ConversationFilter) { conversations(filter: $filter, first: 100) { nodes { conversationId } totalCount } }`;
const MEMBERS = '{ assignableMembers { memberId displayName isMe } }';

const graphql = (query: string, variables: object = {}, key?: string | null) =>
  talks.parts.service.graphql(query, variables, { ...(key !== undefined && { key }) });

async function assign(conversationId: string, memberId: string | null, key = ann) {
  const { body } = await graphql(ASSIGN, { input: { conversationId, memberId } }, key);
  expect(body.errors).toBeUndefined();
  return body.data.assignConversation;
}

async function assigneeOf(id: string, key: string | null = ann) {
  const { body } = await graphql(ASSIGNEE, { id }, key);
  expect(body.errors).toBeUndefined();
  return body.data.conversation.assignee;
}

async function listed(filter: object, key = ann): Promise<string[]> {
  const { body } = await graphql(LIST, { filter }, key);
  expect(body.errors).toBeUndefined();
  const { nodes, totalCount } = body.data.conversations;
  expect(nodes).toHaveLength(totalCount);
  return nodes.map(({ conversationId }: { conversationId: string }) => conversationId);
}

const setRole = (userId: string, role: string) =>
  graphql(
    'mutation ($input: UpdateMemberInput!) { updateMember(input: $input) { __typename } }',
    { input: { userId, role } },
    admin,
  );

describe('assignConversation', () => {
  it('assigns a conversation to a member and to nobody, and does not change who answers', async () => {
    const id = await talks.started();
    expect(await assign(id, annId)).toMatchObject({
      conversation: { assignee: { memberId: annId, displayName: 'Ann', isMe: true }, handling: { mode: 'ASSISTANT' } },
    });
    expect(await assigneeOf(id, talks.other)).toEqual({ memberId: annId, displayName: 'Ann', isMe: false });
    await talks.act(id, 'takeover');
    await talks.answer(id, 'I am here.');
    await talks.act(id, 'handback');
    expect((await assigneeOf(id)).memberId).toBe(annId);
    expect((await assign(id, bobId)).conversation.assignee).toMatchObject({ memberId: bobId, isMe: false });
    expect((await assign(id, null)).conversation.assignee).toBeNull();
  });

  it('accepts the global ID of the member, a completed conversation and the same member again', async () => {
    const id = await talks.started();
    await talks.db.conversation.updateMany({ where: { id }, data: { status: 'completed', completedAt: new Date() } });
    const globalId = Buffer.from(`Member:${annId}`).toString('base64');
    for (const memberId of [globalId, annId])
      expect((await assign(id, memberId)).conversation.assignee.memberId).toBe(annId);
  });

  it('keeps the place of the conversation in lists, and wakes its subscribers', async () => {
    const id = await talks.started();
    const { updatedAt } = await talks.conversation(id);
    const query =
      'subscription ($id: ID!) { conversationChanged(conversationId: $id) { items { itemId } conversation { assignee { memberId } } } }';
    const stream = await subscribe(talks.parts.service, query, { id }, ann);
    await stream.next();
    const next = stream.next();
    await assign(id, bobId);
    expect((await next).data.conversationChanged).toEqual({
      items: [],
      conversation: { assignee: { memberId: bobId } },
    });
    await stream.close();
    expect((await talks.conversation(id)).updatedAt).toEqual(updatedAt);
  });

  it('refuses everybody who is no member with the scope, and names the field', async () => {
    const { service } = talks.parts;
    const id = await talks.started();
    const workspace = await makeWorkspace(service);
    const stranger = await makeMember(service, 'owner', { workspaceId: workspace.id });
    const reader = await makeMember(service, 'viewer');
    for (const memberId of [stranger, reader, randomUUID()])
      expect(await assign(id, memberId)).toMatchObject({ code: 'INVALID_REQUEST', path: ['memberId'] });
    expect(await assigneeOf(id)).toBeNull();
    const missing = await graphql(ASSIGN, { input: { conversationId: id } }, ann);
    expect(missing.body.data.assignConversation).toMatchObject({ code: 'INVALID_REQUEST', path: ['memberId'] });
    const other = await graphql(ASSIGN, { input: { conversationId: id, memberId: stranger } }, workspace.keys.live);
    expect(other.body.data.assignConversation).toMatchObject({ code: 'NOT_FOUND', path: ['conversationId'] });
    expect(await assign(randomUUID(), annId)).toMatchObject({ code: 'NOT_FOUND', path: ['conversationId'] });
  });

  it('is refused without the scope, and a key of another deployment finds no conversation', async () => {
    const { service } = talks.parts;
    const { id: open } = await makeDeployment(service, {}, { kind: 'chat', authRequired: false });
    const user = await endUserToken(service, open, 'ada');
    const body = { content: [{ type: 'text', text: 'Hello' }] };
    const { conversation_id: id } = (await service.send('POST', `/v1/runner/${open}/conversation`, { key: user, body }))
      .body;
    await assign(id, annId);
    const reader = await makeKey(service, { scopes: ['conversations:read', 'conversations:write'] });
    for (const key of [user, viewer, reader]) {
      expect(await assigneeOf(id, key)).toBeNull();
      const { body: refused } = await graphql(ASSIGN, { input: { conversationId: id, memberId: null } }, key);
      expect(refused.errors[0].extensions.code).toBe('FORBIDDEN');
      expect((await graphql(MEMBERS, {}, key)).body.errors[0].extensions.code).toBe('FORBIDDEN');
      for (const filter of [{ assignee: annId }, { isAssigned: true }, { isAssigned: false }]) {
        const list = await graphql(LIST, { filter }, key);
        expect(list.body.errors[0].extensions.code).toBe('FORBIDDEN');
        const calls = 'query ($filter: PendingActionFilter) { pendingActions(filter: $filter) { totalCount } }';
        if (key !== user)
          expect((await graphql(calls, { filter }, key)).body.errors[0].extensions.code).toBe('FORBIDDEN');
      }
    }
    const { id: anonymous } = await makeDeployment(service, {}, { kind: 'chat', authRequired: false });
    const visited = (await service.send('POST', `/v1/runner/${anonymous}/conversation`, { key: null, body })).body;
    await assign(visited.conversation_id, annId);
    expect(await assigneeOf(visited.conversation_id, null)).toBeNull();
    const bound = await makeKey(service, { deploymentIds: [anonymous] });
    const refused = await graphql(ASSIGN, { input: { conversationId: id, memberId: null } }, bound);
    expect(refused.body.data.assignConversation.code).toBe('NOT_FOUND');
    expect((await assign(visited.conversation_id, bobId, bound)).conversation.assignee.memberId).toBe(bobId);
    expect((await assigneeOf(id))?.memberId).toBe(annId);
  });
});

describe('an assignment', () => {
  it('counts no longer when its member loses the role or leaves the workspace', async () => {
    const { service } = talks.parts;
    const id = await talks.started();
    const leaving = await makeMember(service, 'developer', { name: 'Eve' });
    await assign(id, leaving);
    expect(await listed({ assignee: leaving })).toEqual([id]);
    await setRole(leaving, 'VIEWER');
    expect(await assigneeOf(id)).toBeNull();
    expect(await listed({ assignee: leaving })).toEqual([]);
    expect(await listed({ isAssigned: true })).not.toContain(id);
    expect(await listed({ isAssigned: false })).toContain(id);
    await setRole(leaving, 'DEVELOPER');
    expect((await assigneeOf(id)).memberId).toBe(leaving);
    const removal = 'mutation ($input: RemoveMemberInput!) { removeMember(input: $input) { __typename } }';
    await graphql(removal, { input: { userId: leaving } }, admin);
    expect(await assigneeOf(id)).toBeNull();
    expect(await listed({ assignee: leaving })).toEqual([]);
    expect(await listed({ isAssigned: false })).toContain(id);
  });

  it('is not copied to a fork', async () => {
    const id = await talks.started();
    await assign(id, annId);
    const forked = await talks.parts.service.send('POST', `/v1/runner/conversation/${id}/fork`, { body: {} });
    expect(await assigneeOf(forked.body.conversation_id)).toBeNull();
  });
});

describe('a list of conversations', () => {
  it('finds those of a member, those of any member and those of nobody, also as a feed', async () => {
    const { service } = talks.parts;
    const [mine, his, free] = [await talks.started(), await talks.started(), await talks.started()];
    const cyd = await makeMember(service, 'admin', { name: 'Cyd' });
    await assign(mine, cyd);
    await assign(his, bobId);
    expect(await listed({ assignee: cyd })).toEqual([mine]);
    expect(await listed({ assignee: cyd, isAssigned: false })).toEqual([]);
    const assigned = await listed({ isAssigned: true });
    expect(assigned).toEqual(expect.arrayContaining([mine, his]));
    expect(assigned).not.toContain(free);
    const others = await listed({ isAssigned: false });
    expect(others).toContain(free);
    expect(others).not.toContain(mine);
    const feed = `subscription ($filter: ListedConversationFilter) { conversationsChanged(filter: $filter) { conversationId matches } }`;
    const stream = await subscribe(service, feed, { filter: { assignee: cyd } }, ann);
    const next = stream.next();
    await assign(free, cyd);
    expect((await next).data.conversationsChanged).toEqual({ conversationId: free, matches: true });
    const last = stream.next();
    await assign(free, null);
    expect((await last).data.conversationsChanged).toEqual({ conversationId: free, matches: false });
    await stream.close();
  });
});

describe('assignableMembers', () => {
  it('lists the members with the scope by name, and nothing else of them, for developers too', async () => {
    const { body } = await graphql(MEMBERS, {}, ann);
    const members: { memberId: string; displayName: string; isMe: boolean }[] = body.data.assignableMembers;
    const found = members.filter(({ memberId }) => memberId === annId || memberId === bobId);
    expect(found).toEqual([
      { memberId: annId, displayName: 'Ann', isMe: true },
      { memberId: bobId, displayName: 'Bob', isMe: false },
    ]);
    const memberships = await talks.db.membership.findMany({
      where: { role: { not: 'viewer' }, workspace: { name: 'Demo' } },
    });
    expect(members.map(({ memberId }) => memberId).sort()).toEqual(memberships.map(({ userId }) => userId).sort());
    const { keys } = await makeWorkspace(talks.parts.service);
    expect((await graphql(MEMBERS, {}, keys.live)).body.data.assignableMembers).toEqual([]);
  });
});
