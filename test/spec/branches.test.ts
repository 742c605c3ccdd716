import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { textContent } from '../support/agent-apis.ts';
import type { FakeRequest } from '../support/fake-provider.ts';
import { promptOf } from '../support/memory-provider.ts';
import { type ProviderService, startProviderService } from '../support/provider-service.ts';
import { replyWith, Talk } from '../support/talk.ts';

let provided: ProviderService;
beforeAll(async () => {
  provided = await startProviderService();
});
afterAll(() => provided.close());

const path = (talk: Talk, rest: string) => `/v1/runner/conversation/${talk.id}/${rest}`;
const post = (talk: Talk, rest: string, body: object = {}) => provided.service.send('POST', path(talk, rest), { body });
const edit = (talk: Talk, id: string | number, text: string, fields: object = {}) =>
  provided.service.send('PATCH', path(talk, `messages/${id}`), { body: { content: textContent(text), ...fields } });

interface Message {
  readonly id: number;
  readonly role: string;
  readonly content: readonly { readonly text: string }[];
  readonly superseded_by?: string;
}

async function messages(
  talk: Talk,
  query = '',
): Promise<{ readonly items: readonly Message[]; readonly total: number }> {
  return (await provided.service.send('GET', path(talk, `messages?page_size=100${query}`))).body;
}

const texts = (items: readonly Message[]) => items.map(({ content }) => content[0]?.text);

/** A conversation of these messages. The reply to a message is its text in capitals. */
async function talkOf(...said: string[]): Promise<Talk> {
  const talk = await Talk.with(provided, {});
  for (const text of said) {
    provided.provider.reply(replyWith(text.toUpperCase()));
    await talk.say(text);
  }
  return talk;
}

describe('a regenerated turn', () => {
  it('replaces the reply in the messages, the history and the prompt, and keeps both readable', async () => {
    const talk = await talkOf('one', 'two');
    provided.provider.reply(replyWith('TWO AGAIN'));
    talk.forget();
    const again = await post(talk, 'regenerate');
    expect(again).toMatchObject({ status: 200, body: { content: 'TWO AGAIN', run_status: 'completed' } });
    expect(promptOf(talk.requests[0] as FakeRequest).messages.map((one) => JSON.parse(one).content)).toEqual([
      'one',
      'ONE',
      'two',
    ]);
    const active = await messages(talk);
    expect(texts(active.items)).toEqual(['one', 'ONE', 'two', 'TWO AGAIN']);
    expect(active.total).toBe(4);
    const all = await messages(talk, '&branch=all');
    expect(texts(all.items)).toEqual(['one', 'ONE', 'two', 'TWO', 'TWO AGAIN']);
    expect(all.items[3]?.superseded_by).toBe(`item_${String(all.items[2]?.id).padStart(16, '0')}`);
    expect(all.total).toBe(5);
    expect(await talk.items()).toHaveLength(4);
    expect(await talk.items('&branch=all')).toHaveLength(5);
  });

  it('tries a failed turn again, and leaves no second message', async () => {
    const talk = await talkOf('one');
    provided.provider.reply({ kind: 'status', status: 400 } as never);
    const failed = await talk.send({ content: textContent('two') });
    expect(failed.status).toBe(502);
    provided.provider.reply(replyWith('TWO'));
    expect((await post(talk, 'regenerate')).body).toMatchObject({ content: 'TWO' });
    expect(texts((await messages(talk, '&branch=all')).items)).toEqual(['one', 'ONE', 'two', 'TWO']);
  });
});

describe('an edited message', () => {
  it('replaces the messages after it, and begins a new turn there', async () => {
    const talk = await talkOf('one', 'two', 'three');
    const before = await messages(talk);
    provided.provider.reply(replyWith('TWO AND A HALF'));
    talk.forget();
    const edited = await edit(talk, before.items[2]?.id ?? 0, 'two and a half');
    expect(edited).toMatchObject({ status: 200, body: { content: 'TWO AND A HALF' } });
    expect(promptOf(talk.requests[0] as FakeRequest).messages).toHaveLength(3);
    const active = await messages(talk);
    expect(texts(active.items)).toEqual(['one', 'ONE', 'two and a half', 'TWO AND A HALF']);
    expect(active.total).toBe(4);
    const again = await edit(talk, before.items[2]?.id ?? 0, 'too late');
    expect(again).toMatchObject({ status: 409, body: { error: { code: 'message_superseded' } } });
    expect(again.body.superseded_by ?? again.body.error.superseded_by).toBeDefined();
  });

  it('runs one turn for requests with the same idempotency key', async () => {
    const talk = await talkOf('one');
    const [one] = (await messages(talk)).items;
    provided.provider.reply(replyWith('EINS'));
    const send = (headers: Record<string, string> = {}) =>
      provided.service.send('PATCH', path(talk, `messages/${one?.id}`), {
        body: { content: textContent('eins') },
        headers: { 'idempotency-key': `edit-${talk.id}`, ...headers },
      });
    expect(await send({ prefer: 'respond-async' })).toMatchObject({ status: 202, body: { run_status: 'running' } });
    // As a client does that lost the response, or waits for the outcome.
    expect(await send()).toMatchObject({ status: 200, body: { content: 'EINS' } });
    expect((await send()).headers.get('idempotency-replayed')).toBe('true');
    expect(texts((await messages(talk)).items)).toEqual(['eins', 'EINS']);
  });
});

describe('another variant', () => {
  it('becomes active in place if nothing came after it, and else in a fork', async () => {
    const talk = await talkOf('one');
    provided.provider.reply(replyWith('ONE AGAIN'));
    await post(talk, 'regenerate');
    const [, first] = (await messages(talk, '&branch=all')).items;
    const selected = await post(talk, `messages/${first?.id}/select`);
    expect(selected).toMatchObject({ status: 200, body: { conversation_id: talk.id, is_fork: false } });
    expect(texts((await messages(talk)).items)).toEqual(['one', 'ONE']);
    provided.provider.reply(replyWith('TWO'));
    await talk.say('two');
    const again = (await messages(talk, '&branch=all')).items[2];
    const forked = await post(talk, `messages/${again?.id}/select`);
    expect(forked).toMatchObject({ status: 200, body: { is_fork: true } });
    expect(texts((await messages(talk)).items)).toEqual(['one', 'ONE', 'two', 'TWO']);
    talk.id = forked.body.conversation_id;
    expect(texts((await messages(talk, '&branch=all')).items)).toEqual(['one', 'ONE AGAIN']);
  });

  it('brings everything back that was replaced together with it', async () => {
    const talk = await talkOf('one', 'two');
    const [one] = (await messages(talk)).items;
    provided.provider.reply(replyWith('EINS'));
    await edit(talk, one?.id ?? 0, 'eins');
    await post(talk, `messages/${one?.id}/select`);
    expect(texts((await messages(talk)).items)).toEqual(['one', 'ONE', 'two', 'TWO']);
    provided.provider.reply(replyWith('THREE'));
    talk.forget();
    await talk.say('three');
    expect(promptOf(talk.requests[0] as FakeRequest).messages).toHaveLength(5);
  });
});

describe('a fork', () => {
  it('has the active line up to an item, and neither touches the other', async () => {
    const talk = await talkOf('one', 'two');
    const [, , two] = (await messages(talk)).items;
    const whole = await post(talk, 'fork');
    expect(whole).toMatchObject({ status: 201, body: { message_count: 4 } });
    const part = await post(talk, 'fork', { item_id: String((two?.id ?? 0) - 1), meta: { why: 'test' } });
    expect(part).toMatchObject({ status: 201, body: { message_count: 2, meta: { why: 'test' } } });
    const source = talk.id;
    talk.id = part.body.conversation_id;
    provided.provider.reply(replyWith('ZWEI'));
    await talk.say('zwei');
    expect(texts((await messages(talk)).items)).toEqual(['one', 'ONE', 'zwei', 'ZWEI']);
    talk.id = source;
    expect((await messages(talk)).total).toBe(4);
  });
});
