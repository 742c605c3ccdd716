import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LIMITS } from '../../src/contract/limits.ts';
import { textContent } from '../support/agent-apis.ts';
import { branchesOf, itemIdOf, textsOf } from '../support/branching.ts';
import { endUserToken } from '../support/end-users.ts';
import { expectError } from '../support/error-bodies.ts';
import type { FakeRequest } from '../support/fake-provider.ts';
import { promptOf } from '../support/memory-provider.ts';
import { type ProviderService, startProviderService } from '../support/provider-service.ts';
import { COMPACT, LONG, replyWith, Talk } from '../support/talk.ts';
import { makeDeployment, makeKey, makeWorkspace } from '../support/tenants.ts';
import { PNG, uploadFile } from '../support/uploads.ts';

let provided: ProviderService;
let branches: ReturnType<typeof branchesOf>;
beforeAll(async () => {
  provided = await startProviderService();
  branches = branchesOf(provided.service);
});
afterAll(() => provided.close());

const talkOf = (...said: readonly string[]) => Talk.of(provided, ...said);

const DELETE = 'mutation ($id: ID!) { deleteConversation(input: { conversationId: $id }) { __typename } }';
const remove = (id: string | undefined) => provided.service.graphql(DELETE, { id });
const textsIn = async (id: string | undefined, query = '') => textsOf(await branches.messages(id, query));
const prisma = () => provided.service.service.services.stores.prisma;

describe('a fork', () => {
  it('has the active line with its variables and labels, and goes on alone', async () => {
    const talk = await Talk.with(provided, { instructions: 'You serve {{NAME}}.' });
    provided.provider.reply(replyWith('ONE'));
    await talk.say('one', { variables: { NAME: 'Ada' }, meta: { shop: 'north' } });
    provided.provider.reply(replyWith('ONE AGAIN'));
    await branches.regenerate(talk.id);
    const fork = await branches.fork(talk.id);
    expect(fork.status).toBe(201);
    expect(fork.body).toMatchObject({ name: 'one', meta: { shop: 'north' }, message_count: 2 });
    expect(fork.headers.get('location')).toBe(`/v1/runner/conversation/${fork.body.conversation_id}/messages`);
    expect(await textsIn(fork.body.conversation_id, '&branch=all')).toEqual(['one', 'ONE AGAIN']);
    talk.forget();
    provided.provider.reply(replyWith('TWO'));
    await talk.send({ conversation_id: fork.body.conversation_id, content: textContent('two') });
    const prompt = promptOf(talk.requests[0] as FakeRequest);
    expect(prompt.system).toContain('You serve Ada.');
    expect(prompt.messages).toHaveLength(3);
    expect(await textsIn(talk.id)).toEqual(['one', 'ONE AGAIN']);
  });

  it('ends at the named item, and has the labels of the request', async () => {
    const talk = await talkOf('one', 'two');
    const [, reply, two] = await branches.messages(talk.id);
    const part = await branches.fork(talk.id, { item_id: itemIdOf(reply?.id), meta: { why: 'test' } });
    expect(part.body).toMatchObject({ message_count: 2, meta: { why: 'test' } });
    expect(await textsIn(part.body.conversation_id)).toEqual(['one', 'ONE']);
    provided.provider.reply(replyWith('ZWEI'));
    await branches.edit(talk.id, two?.id, 'zwei');
    expectError(await branches.fork(talk.id, { item_id: String(two?.id) }), 'message_superseded', {
      param: 'item_id',
      facts: { superseded_by: expect.stringMatching(/^item_/) },
    });
    for (const id of ['999999999', 'x', '-3']) {
      expectError(await branches.fork(talk.id, { item_id: id }), 'not_found', { param: 'item_id' });
    }
  });

  it('stays when its source is deleted, and the source when the fork is', async () => {
    const talk = await talkOf('one');
    const [first, second] = [await branches.fork(talk.id), await branches.fork(talk.id)];
    await remove(second.body.conversation_id);
    expect(await textsIn(talk.id)).toEqual(['one', 'ONE']);
    await remove(talk.id);
    expect(await textsIn(first.body.conversation_id)).toEqual(['one', 'ONE']);
    const query = 'query ($id: ID!) { conversation(id: $id) { forkedFrom { name } } }';
    const { body } = await provided.service.graphql(query, { id: first.body.conversation_id });
    expect(body.data.conversation.forkedFrom).toBeNull();
  });

  it('keeps the uploaded files of the copied messages, and no others', async () => {
    const talk = await Talk.with(provided, {});
    const upload = async () => (await uploadFile(provided.service)).uri;
    const [kept, left] = [await upload(), await upload()];
    const file = (file_uri: string) => ({ type: 'image', mime_type: 'image/png', file_uri });
    for (const uri of [kept, left]) {
      provided.provider.reply(replyWith('Seen.'));
      const { body } = await talk.send({ content: [{ type: 'text', text: 'Look' }, file(uri)] });
      talk.id = body.conversation_id;
    }
    const [, reply] = await branches.messages(talk.id);
    const { conversation_id: id } = (await branches.fork(talk.id, { item_id: String(reply?.id) })).body;
    await remove(talk.id);
    const stored = await prisma().storedFile.findMany({ select: { id: true, status: true } });
    const statusOf = (uri: string) => stored.find((row) => uri === `parley:${row.id}`)?.status;
    expect([statusOf(kept), statusOf(left)]).toEqual(['ready', undefined]);
    provided.provider.reply(replyWith('Still there.'));
    expect((await talk.send({ conversation_id: id, content: textContent('Again') })).status).toBe(200);
    expect(JSON.stringify(provided.provider.requests.at(-1)?.body)).toContain(PNG.toString('base64'));
    await remove(id);
    expect(await prisma().storedFile.count({ where: { status: 'ready' } })).toBe(0);
  });

  it('copies the summaries with the new IDs of their items', async () => {
    const talk = await Talk.with(provided, COMPACT);
    provided.provider.reply(replyWith('Noted.'));
    await talk.say(`First. ${LONG}`);
    await talk.say(`Second. ${LONG}`);
    provided.provider.reply(replyWith('Noted.', 9_000));
    await talk.say('Third.');
    provided.provider.reply(replyWith('SUMMARY'), replyWith('Fine.'));
    await talk.say('Fourth.');
    const [summary] = await talk.summaries();
    const { conversation_id: id } = (await branches.fork(talk.id)).body;
    const before = await branches.messages(talk.id);
    talk.id = id;
    const [copied] = await talk.summaries();
    const after = await branches.messages(id);
    const place = (items: typeof before, itemId: string | undefined) =>
      items.findIndex((one) => itemIdOf(one.id) === itemId);
    expect(place(after, copied?.last_item_id)).toBe(place(before, summary?.last_item_id));
    expect(place(after, copied?.first_item_id)).toBe(0);
    talk.forget();
    provided.provider.reply(replyWith('Fine.'));
    await talk.say('Fifth.');
    expect(promptOf(talk.requests[0] as FakeRequest).messages[0]).toContain('SUMMARY');
  });

  it('can be made of a completed conversation, whose turns cannot be replaced', async () => {
    const id = await provided.agent({ allowConversationCompletion: true });
    const completes = { kind: 'answer', calls: [{ name: 'complete_conversation', arguments: '{}' }] } as const;
    provided.provider.reply(completes, replyWith('Bye.'));
    const { body } = await provided.turn(id);
    expect(body.conversation_status).toBe('completed');
    for (const change of [
      await branches.regenerate(body.conversation_id),
      await branches.edit(body.conversation_id, (await branches.messages(body.conversation_id))[0]?.id, 'x'),
    ]) {
      expect([change.status, change.body.error.code]).toEqual([409, 'conversation_completed']);
    }
    const fork = await branches.fork(body.conversation_id);
    expect(await textsIn(fork.body.conversation_id)).toEqual(['Hello', 'Bye.']);
    provided.provider.reply(replyWith('Hello again.'));
    const more = await provided.turn(id, { conversation_id: fork.body.conversation_id });
    expect(more.body).toMatchObject({ content: 'Hello again.', conversation_status: 'active' });
  });

  it('leaves out a turn that waits for its client, which no change can replace', async () => {
    const id = await provided.agent({ clientTools: [{ name: 'ask', description: 'Asks.', availability: 'always' }] });
    provided.provider.reply(replyWith('Hi.'));
    const { conversation_id } = (await provided.turn(id)).body;
    provided.provider.reply({ kind: 'answer', calls: [{ name: 'ask', arguments: '{}' }] });
    await provided.turn(id, { conversation_id });
    const [, , open] = await branches.messages(conversation_id);
    for (const change of [
      await branches.regenerate(conversation_id),
      await branches.edit(conversation_id, open?.id, 'x'),
    ]) {
      expect([change.status, change.body.error.code]).toEqual([409, 'client_action_required']);
    }
    expect((await branches.fork(conversation_id, { item_id: String(open?.id) })).body.error.code).toBe(
      'run_in_progress',
    );
    expect(await textsIn((await branches.fork(conversation_id)).body.conversation_id)).toEqual(['Hello', 'Hi.']);
  });

  it('can run another deployment of the workspace, and no deployment of another one', async () => {
    const talk = await talkOf('one');
    const { id: other } = await makeDeployment(provided.service, {}, { kind: 'agent', name: 'Other' });
    const { body } = await branches.fork(talk.id, { deployment_id: other });
    expect(body.deployment_id).toBe(other);
    provided.provider.reply(replyWith('TWO'));
    const more = await provided.turn(other, { conversation_id: body.conversation_id });
    expect(more.body.content).toBe('TWO');
    for (const deployment_id of [randomUUID(), (await makeWorkspace(provided.service)).deploymentId]) {
      expectError(await branches.fork(talk.id, { deployment_id }), 'not_found', { param: 'deployment_id' });
    }
    const bound = await makeKey(provided.service, { deploymentIds: [(await conversation(talk.id)).deploymentId] });
    const { status } = await branches.fork(talk.id, { deployment_id: other }, { key: bound });
    expect([403, 404]).toContain(status);
  });

  it('is made once for one idempotency key', async () => {
    const talk = await talkOf('one');
    const headers = { 'idempotency-key': 'one-fork' };
    const [first, second] = [
      await branches.fork(talk.id, {}, { headers }),
      await branches.fork(talk.id, {}, { headers }),
    ];
    expect(first.status).toBe(201);
    expect(second.body.conversation_id).toBe(first.body.conversation_id);
    expect(await prisma().conversation.count({ where: { forkedFrom: talk.id ?? '' } })).toBe(1);
  });

  it('belongs to the end user of its source', async () => {
    const id = await provided.agent();
    const key = await endUserToken(provided.service, id, 'ada');
    provided.provider.reply(replyWith('Hi.'));
    const started = await provided.service.send('POST', `/v2/runner/${id}/conversation`, {
      key,
      body: { content: textContent('Hello') },
    });
    const own = await branches.fork(started.body.conversation_id, {}, { key });
    const byKey = await branches.fork(started.body.conversation_id);
    for (const { body } of [own, byKey]) expect((await conversation(body.conversation_id)).endUser).toBe('ada');
    const other = await endUserToken(provided.service, id, 'bob');
    expectError(await branches.fork(started.body.conversation_id, {}, { key: other }), 'not_found');
  });

  it('is rejected above its limits of items and bytes', async () => {
    const talk = await talkOf('one');
    const { environmentId, latestRunId } = await conversation(talk.id);
    const add = (count: number, text: string) => prisma().$executeRaw`
      INSERT INTO timeline_item (environment_id, conversation_id, run_id, kind, step, role, content, revision, created_at)
      SELECT ${environmentId}::uuid, ${talk.id}::uuid, ${latestRunId}::uuid, 'message', 1, 'assistant',
             jsonb_build_array(jsonb_build_object('type', 'text', 'text', ${text}::text)), next_revision(), now()
      FROM generate_series(1, ${count})`;
    await add(LIMITS.forkItems - 2, 'more');
    expect((await branches.fork(talk.id)).status).toBe(201);
    await add(1, 'one too many');
    expectError(await branches.fork(talk.id), 'fork_too_large', { param: null, message: '10,000 items' });
    const [, reply] = await branches.messages(talk.id);
    expect((await branches.fork(talk.id, { item_id: String(reply?.id) })).status).toBe(201);
    const large = await talkOf('two');
    await prisma().$executeRaw`
      UPDATE timeline_item SET content = jsonb_build_array(jsonb_build_object('type', 'data', 'mimeType', 'image/png', 'data', (
        SELECT string_agg(md5(random()::text || n), '') FROM generate_series(1, 3200000) AS n)))
      WHERE conversation_id = ${large.id}::uuid AND role = 'user'`;
    expectError(await branches.fork(large.id), 'fork_too_large', { param: null });
  });
});

async function conversation(id: string | undefined) {
  return prisma().conversation.findUniqueOrThrow({ where: { id: id ?? '' } });
}
