import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { textContent } from '../support/agent-apis.ts';
import { branchesOf, itemIdOf, textsOf } from '../support/branching.ts';
import { expectError } from '../support/error-bodies.ts';
import type { FakeRequest } from '../support/fake-provider.ts';
import { promptOf } from '../support/memory-provider.ts';
import { type ProviderService, startProviderService } from '../support/provider-service.ts';
import { resultOf } from '../support/results.ts';
import { COMPACT, LONG, replyWith, Talk } from '../support/talk.ts';

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

describe('a regenerated turn', () => {
  it('replaces the reply in the messages, the history and the prompt, and keeps both readable', async () => {
    const talk = await talkOf('one', 'two');
    provided.provider.reply(replyWith('TWO AGAIN'));
    const again = await branches.regenerate(talk.id);
    expect(again).toMatchObject({ status: 200, body: { content: 'TWO AGAIN', run_status: 'completed' } });
    expect(prompted(talk)).toEqual(['one', 'ONE', 'two']);
    expect(await textsIn(talk)).toEqual(['one', 'ONE', 'two', 'TWO AGAIN']);
    const all = await branches.messages(talk.id, '&branch=all');
    expect(textsOf(all)).toEqual(['one', 'ONE', 'two', 'TWO', 'TWO AGAIN']);
    expect(all.map((message) => message.superseded_by)).toEqual([
      ...[undefined, undefined, undefined, itemIdOf(all[2]?.id), undefined],
    ]);
    expect(await talk.items()).toHaveLength(4);
    expect(await talk.items('&branch=all')).toHaveLength(5);
  });

  it('counts only active messages, and the tokens of every variant', async () => {
    const talk = await talkOf('one');
    provided.provider.reply(replyWith('AGAIN'));
    await branches.regenerate(talk.id);
    const query =
      '{ conversation(id: $id) { messageCount usage { turns inputTokens } messages { totalCount } all: messages(filter: { branch: ALL }) { totalCount } } }';
    const { body } = await provided.service.graphql(`query ($id: ID!) ${query}`, { id: talk.id });
    expect(body.data.conversation).toEqual({
      messageCount: 2,
      usage: { turns: 2, inputTokens: 20 },
      messages: { totalCount: 2 },
      all: { totalCount: 3 },
    });
  });

  it('tries a failed turn again, and leaves no second message', async () => {
    const talk = await talkOf('one');
    provided.provider.reply({ kind: 'status', status: 400, body: '{}' });
    expect((await talk.send({ content: textContent('two') })).status).toBe(502);
    provided.provider.reply(replyWith('TWO'));
    expect((await branches.regenerate(talk.id)).body).toMatchObject({ content: 'TWO' });
    expect(await textsIn(talk, '&branch=all')).toEqual(['one', 'ONE', 'two', 'TWO']);
  });

  it('leaves the line with the message of the user if its model fails, and can be tried again', async () => {
    const talk = await talkOf('one');
    provided.provider.reply({ kind: 'status', status: 400, body: '{}' });
    expect((await branches.regenerate(talk.id)).status).toBe(502);
    expect(await textsIn(talk)).toEqual(['one']);
    provided.provider.reply(replyWith('AT LAST'));
    await branches.regenerate(talk.id);
    expect(await textsIn(talk)).toEqual(['one', 'AT LAST']);
    expect(await textsIn(talk, '&branch=all')).toEqual(['one', 'ONE', 'AT LAST']);
  });

  it('runs only the turn of the named message, so that the message of another client stays', async () => {
    const talk = await talkOf('one', 'two');
    const [one, first, two, reply] = await branches.messages(talk.id);
    for (const early of [one, first]) {
      expectError(await branches.regenerate(talk.id, { message_id: String(early?.id) }), 'invalid_request', {
        param: 'message_id',
      });
    }
    for (const [index, last] of [two, reply].entries()) {
      provided.provider.reply(replyWith(`AGAIN ${index}`));
      expect((await branches.regenerate(talk.id, { message_id: itemIdOf(last?.id) })).status).toBe(200);
      if (last === reply) break;
      await branches.select(talk.id, reply?.id);
    }
    expect(await textsIn(talk)).toEqual(['one', 'ONE', 'two', 'AGAIN 1']);
    expectError(await branches.regenerate(talk.id, { message_id: String(reply?.id) }), 'message_superseded', {
      param: 'message_id',
      facts: { superseded_by: itemIdOf(two?.id) },
    });
    for (const message_id of ['999999999', '1', 'x']) {
      const { body } = await branches.regenerate(talk.id, { message_id });
      expect(body.error).toMatchObject({ code: 'not_found', param: 'message_id' });
    }
    expect(talk.requests).toHaveLength(2);
  });

  it('is 404 for an unknown conversation', async () => {
    expectError(await branches.regenerate('7d0e6f3c-51c4-4b8a-9f0b-2f6f0a8a1c55'), 'not_found', {
      param: 'conversation_id',
    });
  });
});

describe('an edited message', () => {
  it('replaces everything after it, and begins a new turn there', async () => {
    const talk = await talkOf('one', 'two', 'three');
    const [, , two] = await branches.messages(talk.id);
    provided.provider.reply(replyWith('TWO AND A HALF'));
    const edited = await branches.edit(talk.id, two?.id, 'two and a half');
    expect(edited).toMatchObject({ status: 200, body: { content: 'TWO AND A HALF' } });
    expect(prompted(talk)).toEqual(['one', 'ONE', 'two and a half']);
    expect(await textsIn(talk)).toEqual(['one', 'ONE', 'two and a half', 'TWO AND A HALF']);
    provided.provider.reply(replyWith('FOUR'));
    talk.forget();
    await talk.say('four');
    expect(prompted(talk)).toEqual(['one', 'ONE', 'two and a half', 'TWO AND A HALF', 'four']);
    const late = await branches.edit(talk.id, itemIdOf(two?.id), 'too late');
    const by = itemIdOf((await branches.messages(talk.id))[2]?.id);
    expectError(late, 'message_superseded', { param: 'message_id', facts: { superseded_by: by } });
  });

  it('is rejected for a reply, an unknown message and a message of another conversation', async () => {
    const [talk, other] = [await talkOf('one'), await talkOf('other')];
    const [, reply] = await branches.messages(talk.id);
    const [foreign] = await branches.messages(other.id);
    expectError(await branches.edit(talk.id, reply?.id, 'x'), 'invalid_request', { param: 'message_id' });
    for (const id of [foreign?.id, 999_999_999, 'item_x', '-1', '9'.repeat(30)]) {
      expectError(await branches.edit(talk.id, id, 'x'), 'not_found', { param: 'message_id' });
    }
    expect(await textsIn(talk, '&branch=all')).toEqual(['one', 'ONE']);
  });

  it('takes summaries out that cover it, and keeps earlier ones', async () => {
    const talk = await Talk.with(provided, COMPACT);
    provided.provider.reply(replyWith('Noted.'));
    await talk.say(`First. ${LONG}`);
    await talk.say(`Second. ${LONG}`);
    provided.provider.reply(replyWith('Noted.', 9_000));
    await talk.say('Third.');
    provided.provider.reply(replyWith('SUMMARY'), replyWith('Fine.'));
    await talk.say('Fourth.');
    expect(await talk.summaries()).toHaveLength(1);
    const [first, , , , , , fourth] = await branches.messages(talk.id);
    provided.provider.reply(replyWith('Fine again.'));
    talk.forget();
    await branches.edit(talk.id, fourth?.id, 'Fourth, edited.');
    expect(JSON.stringify(prompted(talk))).toContain('SUMMARY');
    provided.provider.reply(replyWith('New start.'));
    talk.forget();
    await branches.edit(talk.id, first?.id, 'Another beginning.');
    expect(prompted(talk)).toEqual(['Another beginning.']);
    expect(await talk.summaries()).toEqual([]);
  });

  it('leaves the search, and stays in the export', async () => {
    const talk = await talkOf('find the xylophone');
    const [message] = await branches.messages(talk.id);
    provided.provider.reply(replyWith('YES'));
    await branches.edit(talk.id, message?.id, 'find the zither');
    const found = async (text: string) =>
      (await provided.service.send('GET', `/v1/conversations?text=${text}`)).body.data.map(
        (one: { readonly conversation_id: string }) => one.conversation_id,
      );
    // The name has the first message.
    await provided.service.send('PATCH', `/v1/runner/conversation/${talk.id}`, { body: { name: 'Music' } });
    expect(await found('zither')).toEqual([talk.id]);
    expect(await found('xylophone')).toEqual([]);
    const lines = String((await provided.service.send('GET', `/v1/conversations/${talk.id}/export`)).body)
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const items = lines.filter(({ type }) => type === 'item').map(({ data }) => data.superseded_by);
    const [edited] = await branches.messages(talk.id);
    expect(items).toEqual([edited?.id, edited?.id, undefined, undefined]);
  });

  it('runs one turn for requests with the same idempotency key', async () => {
    const talk = await talkOf('one');
    const [one] = await branches.messages(talk.id);
    provided.provider.reply(replyWith('EINS'));
    const send = (headers: Record<string, string> = {}) =>
      provided.service.send('PATCH', `/v1/runner/conversation/${talk.id}/messages/${one?.id}`, {
        body: { content: textContent('eins') },
        headers: { 'idempotency-key': `edit-${talk.id}`, ...headers },
      });
    expect(await send({ prefer: 'respond-async' })).toMatchObject({ status: 202, body: { run_status: 'running' } });
    // As a client does that lost the response, or waits for the outcome.
    expect(await send()).toMatchObject({ status: 200, body: { content: 'EINS' } });
    expect((await send()).headers.get('idempotency-replayed')).toBe('true');
    expect(await textsIn(talk)).toEqual(['eins', 'EINS']);
  });
});

describe('the same operations in GraphQL', () => {
  const send = async (name: string, input: object, fields: string) => {
    const type = `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`;
    const document = `mutation ($input: ${type}Input!) { ${name}(input: $input) { __typename
      ... on ${type}Payload { ${fields} } ... on Error { code message path }
 } }`;
    return provided.service.graphql(document, { input });
  };
  const turn = 'turn { __typename ... on FinishedTurn { content } ... on StartedTurn { runId followCursor } }';

  it('replace turns, select variants and fork', async () => {
    const talk = await talkOf('one');
    const [message, first] = await branches.messages(talk.id);
    const conversationId = talk.id;
    provided.provider.reply(replyWith('AGAIN'));
    expect(resultOf(await send('regenerateTurn', { conversationId }, turn)).content).toBe('AGAIN');
    const selected = await send(
      'selectVariant',
      { conversationId, messageId: itemIdOf(first?.id) },
      'isFork conversation { messages { nodes { itemId } } }',
    );
    expect(resultOf(selected)).toMatchObject({
      isFork: false,
      conversation: { messages: { nodes: [{ itemId: itemIdOf(message?.id) }, { itemId: itemIdOf(first?.id) }] } },
    });
    provided.provider.reply(replyWith('EINS'));
    const content = [{ text: 'eins' }];
    const edit = { conversationId, messageId: String(message?.id), content };
    expect(resultOf(await send('editMessage', edit, turn)).content).toBe('EINS');
    const { body } = await send('editMessage', edit, turn);
    expect(body.data.editMessage).toMatchObject({ __typename: 'MessageSuperseded', code: 'MESSAGE_SUPERSEDED' });
    const fork = resultOf(
      await send(
        'forkConversation',
        { conversationId },
        'conversation { conversationId forkedFrom { conversationId forks { nodes { conversationId } } } }',
      ),
    );
    expect(fork.forkedFrom).toEqual({ conversationId, forks: { nodes: [{ conversationId: fork.conversationId }] } });
  });

  it('start in the background on request', async () => {
    const talk = await talkOf('one');
    provided.provider.reply(replyWith('AGAIN'));
    const started = resultOf(await send('regenerateTurn', { conversationId: talk.id, background: true }, turn));
    expect(started).toMatchObject({ __typename: 'StartedTurn', followCursor: expect.any(String) });
    await expect.poll(() => textsIn(talk)).toEqual(['one', 'AGAIN']);
  });
});
