import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LIMITS } from '../../src/contract/limits.ts';
import { RATE_LIMITS } from '../../src/domain/access/rate-limits.ts';
import { textContent } from '../support/agent-apis.ts';
import { branchesOf, textsOf } from '../support/branching.ts';
import { endUserToken } from '../support/end-users.ts';
import { expectError } from '../support/error-bodies.ts';
import { type ProviderService, startProviderService } from '../support/provider-service.ts';
import { replyWith, Talk } from '../support/talk.ts';
import { makeDeployment, makeKey } from '../support/tenants.ts';

let provided: ProviderService;
let branches: ReturnType<typeof branchesOf>;
beforeAll(async () => {
  provided = await startProviderService();
  branches = branchesOf(provided.service);
});
afterAll(() => provided.close());

const talkOf = (...said: readonly string[]) => Talk.of(provided, ...said);

const textsIn = async (id: string | undefined, query = '') => textsOf(await branches.messages(id, query));
const prisma = () => provided.service.service.services.stores.prisma;

describe('what a caller sees of forks', () => {
  const LINKS = `query ($id: ID!) { conversation(id: $id) {
    forkedFrom { conversationId } forks { totalCount nodes { conversationId messages { totalCount } } } } }`;
  const linksOf = async (id: string, key: string | null) =>
    (await provided.service.graphql(LINKS, { id }, { key })).body.data.conversation;

  it('is in the reach of its key, and nothing without credentials', async () => {
    const { id: open } = await makeDeployment(provided.service, {}, { kind: 'agent', authRequired: false });
    const { id: other } = await makeDeployment(provided.service, {}, { kind: 'agent', name: 'Other' });
    provided.provider.reply(replyWith('Hi.'));
    const { conversation_id: source } = (await provided.turn(open)).body;
    const fork = (await branches.fork(source, { deployment_id: other })).body.conversation_id;
    const nothing = { forkedFrom: null, forks: { totalCount: 0, nodes: [] } };
    const bound = (deployment: string) => makeKey(provided.service, { deploymentIds: [deployment] });
    expect(await linksOf(source, await bound(open))).toEqual(nothing);
    expect(await linksOf(fork, await bound(other))).toEqual(nothing);
    expect(await linksOf(source, null)).toEqual(nothing);
    expect((await linksOf(source, provided.service.keys.live)).forks.nodes).toMatchObject([{ conversationId: fork }]);
    expect((await linksOf(fork, provided.service.keys.live)).forkedFrom).toEqual({ conversationId: source });
    const own = (await branches.fork(source)).body.conversation_id;
    const both = await makeKey(provided.service, { deploymentIds: [open] });
    expect((await linksOf(source, both)).forks).toMatchObject({ totalCount: 1, nodes: [{ conversationId: own }] });
  });

  it('is only what belongs to the end user', async () => {
    const id = await provided.agent();
    const key = await endUserToken(provided.service, id, 'ada');
    const path = `/v2/runner/${id}/conversation`;
    provided.provider.reply(replyWith('Hi.'));
    const started = await provided.service.send('POST', path, { key, body: { content: textContent('Hello') } });
    const source = started.body.conversation_id;
    const fork = (await branches.fork(source, {}, { key })).body.conversation_id;
    expect((await linksOf(source, key)).forks.nodes).toMatchObject([{ conversationId: fork }]);
    const bob = await endUserToken(provided.service, id, 'bob');
    provided.provider.reply(replyWith('Hi.'));
    const other = await provided.service.send('POST', path, { key: bob, body: { content: textContent('Hello') } });
    const data = { forkedFrom: source };
    await prisma().conversation.updateMany({ where: { id: other.body.conversation_id }, data });
    expect((await linksOf(source, key)).forks.totalCount).toBe(1);
    expect((await linksOf(source, provided.service.keys.live)).forks.totalCount).toBe(2);
    await prisma().conversation.updateMany({ where: { id: fork }, data: { forkedFrom: other.body.conversation_id } });
    expect((await linksOf(fork, key)).forkedFrom).toBeNull();
  });
});

describe('an end user', () => {
  it('copies and replaces fewer items than a key, and each copy counts as a turn', async () => {
    const id = await provided.agent();
    const key = await endUserToken(provided.service, id, 'ada');
    provided.provider.reply(replyWith('Hi.'));
    const path = `/v2/runner/${id}/conversation`;
    const said = await provided.service.send('POST', path, { key, body: { content: textContent('Hello') } });
    const own = said.body.conversation_id;
    const [first] = await branches.messages(own);
    const { environmentId, latestRunId } = await conversation(own);
    await prisma().$executeRaw`
      INSERT INTO timeline_item (environment_id, conversation_id, run_id, kind, step, role, content, revision, created_at)
      SELECT ${environmentId}::uuid, ${own}::uuid, ${latestRunId}::uuid, 'message', 1, 'assistant', '[]', next_revision(), now()
      FROM generate_series(1, ${LIMITS.strangerForkItems})`;
    expectError(await branches.fork(own, {}, { key }), 'fork_too_large', { message: '300 items' });
    expectError(await branches.edit(own, first?.id, 'x', {}, { key }), 'invalid_request', { param: 'message_id' });
    expect((await branches.fork(own)).status).toBe(201);
    provided.provider.reply(replyWith('Edited.'));
    expect((await branches.edit(own, first?.id, 'x')).status).toBe(200);
    // Going back to the long line is a copy, which is too large as well.
    expectError(await branches.select(own, first?.id, {}, { key }), 'fork_too_large');
    const statuses: number[] = [];
    for (let number = 0; number < RATE_LIMITS.endUserTurns.points; number += 1)
      statuses.push((await branches.fork(own, {}, { key })).status);
    expect(statuses).toContain(201);
    expect(statuses.at(-1)).toBe(429);
  });
});

describe('a fork of a line', () => {
  it('leaves out an earlier turn that has not ended', async () => {
    const talk = await talkOf('one', 'two', 'three');
    const [, , two] = await branches.messages(talk.id);
    // As after a message was stored for a process that died while an earlier turn waits.
    const { runId } = await prisma().timelineItem.findFirstOrThrow({ where: { id: BigInt(two?.id ?? 0) } });
    await prisma().run.updateMany({ where: { id: runId }, data: { status: 'waiting_for_client_action' } });
    const { conversation_id: fork } = (await branches.fork(talk.id)).body;
    expect(await textsIn(fork)).toEqual(['one', 'ONE', 'three', 'THREE']);
    const runs = await prisma().run.findMany({ where: { conversationId: fork }, select: { status: true } });
    expect(runs).toEqual([{ status: 'completed' }, { status: 'completed' }]);
    expect((await conversation(fork)).messageCount).toBe(4);
  });

  it('can be edited and repeated in a deployment of another workflow', async () => {
    const id = await provided.agent({ httpActions: [{ name: 'look', integration: 'None', method: 'GET', url: '/x' }] });
    const { id: other } = await makeDeployment(provided.service, {}, { kind: 'agent', name: 'Other' });
    provided.provider.reply({ kind: 'answer', calls: [{ name: 'look', arguments: '{}' }] }, replyWith('Looked.'));
    const { conversation_id: source } = (await provided.turn(id)).body;
    const { conversation_id: fork } = (await branches.fork(source, { deployment_id: other })).body;
    // What the action of another workflow did is not known.
    expect((await branches.regenerate(fork)).body.error).toMatchObject({ code: 'turn_has_effects' });
    provided.provider.reply(replyWith('Again.'));
    expect((await branches.regenerate(fork, { acknowledge_effects: true })).body.content).toBe('Again.');
    const same = (await branches.fork(source)).body.conversation_id;
    provided.provider.reply(replyWith('Again.'));
    expect((await branches.regenerate(same)).body.content).toBe('Again.');
  });

  it('of a variant has its reply as the reply to its message', async () => {
    const talk = await talkOf('one');
    provided.provider.reply(replyWith('AGAIN'));
    await branches.regenerate(talk.id);
    provided.provider.reply(replyWith('TWO'));
    await talk.say('two');
    const [, first] = await branches.messages(talk.id, '&branch=all');
    const { conversation_id: fork } = (await branches.select(talk.id, first?.id)).body;
    const [message, reply] = await branches.messages(fork);
    provided.provider.reply(replyWith('EINS'));
    await branches.edit(fork, message?.id, 'eins');
    // The reply comes back with its own message, not under the other one.
    await branches.select(fork, reply?.id);
    expect(await textsIn(fork)).toEqual(['one', 'ONE']);
  });

  it('cannot start from a deployment that needs a trigger', async () => {
    const talk = await talkOf('one');
    const { id } = await makeDeployment(provided.service, {}, { kind: 'agent', triggerRequired: true });
    expectError(await branches.fork(talk.id, { deployment_id: id }), 'invalid_request', { param: 'deployment_id' });
  });
});

async function conversation(id: string | undefined) {
  return prisma().conversation.findUniqueOrThrow({ where: { id: id ?? '' } });
}
