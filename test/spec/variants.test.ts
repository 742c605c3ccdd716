import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { branchesOf, itemIdOf, textsOf } from '../support/branching.ts';
import { expectError } from '../support/error-bodies.ts';
import type { FakeRequest } from '../support/fake-provider.ts';
import { promptOf } from '../support/memory-provider.ts';
import { type ProviderService, startProviderService } from '../support/provider-service.ts';
import { replyWith, Talk } from '../support/talk.ts';

let provided: ProviderService;
let branches: ReturnType<typeof branchesOf>;
beforeAll(async () => {
  provided = await startProviderService();
  branches = branchesOf(provided.service);
});
afterAll(() => provided.close());

const talkOf = (...said: readonly string[]) => Talk.of(provided, ...said);

const textsIn = async ({ id }: Talk, query = '') => textsOf(await branches.messages(id, query));

/** The texts of the messages in the first prompt since the talk was last forgotten. */
const prompted = ({ requests }: Talk) =>
  promptOf(requests[0] as FakeRequest).messages.map((message) => JSON.parse(message).content);

describe('another variant', () => {
  it('becomes active in place if nothing came after it, and else in a fork', async () => {
    const talk = await talkOf('one');
    provided.provider.reply(replyWith('ONE AGAIN'));
    await branches.regenerate(talk.id);
    const [, first] = await branches.messages(talk.id, '&branch=all');
    const selected = await branches.select(talk.id, first?.id);
    expect(selected).toMatchObject({ status: 200, body: { conversation_id: talk.id, is_fork: false } });
    expect(await textsIn(talk)).toEqual(['one', 'ONE']);
    provided.provider.reply(replyWith('TWO'));
    await talk.say('two');
    const again = (await branches.messages(talk.id, '&branch=all'))[2];
    const forked = await branches.select(talk.id, again?.id);
    expect(forked).toMatchObject({ status: 200, body: { is_fork: true } });
    expect(await textsIn(talk)).toEqual(['one', 'ONE', 'two', 'TWO']);
    expect(textsOf(await branches.messages(forked.body.conversation_id, '&branch=all'))).toEqual(['one', 'ONE AGAIN']);
  });

  it('brings everything back that was replaced together with it, again and again', async () => {
    const talk = await talkOf('one', 'two');
    const [one] = await branches.messages(talk.id);
    provided.provider.reply(replyWith('EINS'));
    await branches.edit(talk.id, one?.id, 'eins');
    const [eins] = await branches.messages(talk.id);
    provided.provider.reply(replyWith('UN'));
    await branches.edit(talk.id, eins?.id, 'un');
    const [un] = await branches.messages(talk.id);
    const lines = { one: ['one', 'ONE', 'two', 'TWO'], eins: ['eins', 'EINS'], un: ['un', 'UN'] };
    for (const [name, message] of Object.entries({ eins, un, eins2: eins, one })) {
      const { status, body } = await branches.select(talk.id, message?.id);
      expect([name, status, body.is_fork]).toEqual([name, 200, false]);
      expect(await textsIn(talk)).toEqual(lines[name.replace('2', '') as keyof typeof lines]);
    }
    // Now the line goes on after that place.
    const fork = (await branches.select(talk.id, eins?.id)).body;
    expect(fork.is_fork).toBe(true);
    expect(textsOf(await branches.messages(fork.conversation_id))).toEqual(lines.eins);
    provided.provider.reply(replyWith('THREE'));
    talk.forget();
    await talk.say('three');
    expect(prompted(talk)).toEqual(['one', 'ONE', 'two', 'TWO', 'three']);
    expect(await textsIn(talk, '&branch=all')).toHaveLength(10);
  });

  it('of a place outside the active line is 409', async () => {
    const talk = await talkOf('one', 'two');
    const [one, , two] = await branches.messages(talk.id);
    provided.provider.reply(replyWith('ZWEI'));
    await branches.edit(talk.id, two?.id, 'zwei');
    provided.provider.reply(replyWith('EINS'));
    await branches.edit(talk.id, one?.id, 'eins');
    expectError(await branches.select(talk.id, two?.id), 'message_superseded', {
      param: 'message_id',
      facts: { superseded_by: itemIdOf((await branches.messages(talk.id, '&branch=all'))[4]?.id) },
    });
    // With the line of its place, it can be selected.
    await branches.select(talk.id, one?.id);
    expect(await textsIn(talk)).toEqual(['one', 'ONE', 'zwei', 'ZWEI']);
    await branches.select(talk.id, two?.id);
    expect(await textsIn(talk)).toEqual(['one', 'ONE', 'two', 'TWO']);
  });

  it('has a position among its variants, which their ratings do not leave', async () => {
    const talk = await talkOf('one');
    const [message, reply] = await branches.messages(talk.id);
    await provided.service.send('PUT', `/v1/runner/conversation/${talk.id}/messages/${reply?.id}/rating`, {
      body: { rating: 'down' },
    });
    provided.provider.reply(replyWith('AGAIN'));
    await branches.regenerate(talk.id);
    provided.provider.reply(replyWith('EINS'));
    await branches.edit(talk.id, message?.id, 'eins');
    const query = `query ($id: ID!) { conversation(id: $id) { messages(first: 10, filter: { branch: ALL }) { nodes {
      itemId supersededBy rating { value } variants { position itemIds } } } } }`;
    const { body } = await provided.service.graphql(query, { id: talk.id });
    const nodes = body.data.conversation.messages.nodes;
    const [one, first, again, eins] = nodes.map(({ itemId }: { readonly itemId: string }) => itemId);
    expect(nodes.map(({ variants }: { readonly variants: unknown }) => variants)).toEqual([
      { position: 1, itemIds: [one, eins] },
      { position: 1, itemIds: [first, again] },
      { position: 2, itemIds: [first, again] },
      { position: 2, itemIds: [one, eins] },
      null,
    ]);
    expect(nodes.map(({ rating }: { readonly rating: unknown }) => rating)).toEqual([
      ...[null, { value: 'DOWN' }, null, null, null],
    ]);
    expect(nodes.map(({ supersededBy }: { readonly supersededBy: unknown }) => supersededBy)).toEqual([
      ...[eins, one, eins, null, null],
    ]);
  });
});
