import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectError } from '../support/error-bodies.ts';
import { DEMO_AGENT_ID, startService, type TestService } from '../support/service.ts';

let service: TestService;
/** Three turns: six items. */
let conversation: string;
let other: string;
beforeAll(async () => {
  service = await startService();
  conversation = (await service.agentTurn('one')).body.conversation_id;
  for (const text of ['two', 'three']) await service.agentTurn(text, { conversation_id: conversation });
  other = (await service.agentTurn('one')).body.conversation_id;
  await service.agentTurn('two', { conversation_id: other });
});
afterAll(() => service.close());

const historyPath = (id: string) => `/v2/runner/${DEMO_AGENT_ID}/conversation/${id}/history`;
const messagesPath = (id: string) => `/v1/runner/conversation/${id}/messages`;

/** Query texts that are no decimal integer. */
const NOT_INTEGERS = [
  '',
  'abc',
  '1.5',
  '1.0',
  '+5',
  '%2B5',
  '1e1',
  '0x10',
  '%205',
  '5%20',
  '1,0',
  'NaN',
  'null',
  'true',
];
const NOR_THESE = ['[5]', '%EF%BC%95', '5%00', '5%0A', '99999999999', '1'.repeat(400), '%', '%ED%A0%80'];

/** REST's integer parameters: where they stand, what is in range and what is just out of it. */
const INTEGERS = [
  { path: historyPath, name: 'limit', within: ['1', '100'], beyond: ['0', '101', '-1', '-100', '2147483647'] },
  { path: messagesPath, name: 'page', within: ['1', '1000'], beyond: ['0', '-1', '-2147483648'] },
  { path: messagesPath, name: 'page_size', within: ['1', '100'], beyond: ['0', '101', '-1', '2147483647'] },
];

for (const { path, name, within, beyond } of INTEGERS) {
  describe(`WIRE 1: the query parameter ${name}`, () => {
    const read = (query: string) => service.send('GET', `${path(conversation)}?${query}`);

    it.each(within)('takes %s', async (value) => {
      expect((await read(`${name}=${value}`)).status).toBe(200);
    });

    it.each(beyond)('refuses %s', async (value) => {
      expectError(await read(`${name}=${value}`), 'invalid_request', {
        param: name,
        message: `${name} must be from 1`,
      });
    });

    it.each([...NOT_INTEGERS, ...NOR_THESE])('refuses %j', async (value) => {
      const message = `${name} must be a whole number`;
      expectError(await read(`${name}=${value}`), 'invalid_request', { param: name, message });
    });

    it('refuses to be given twice', async () => {
      const message = `${name} must be given once`;
      expectError(await read(`${name}=1&${name}=1`), 'invalid_request', { param: name, message });
    });
  });
}

describe('WIRE 1: paging without parameters', () => {
  it('gives 20 history items, and page 1 of 20 messages', async () => {
    const long = (await service.agentTurn('one')).body.conversation_id;
    for (let turn = 0; turn < 10; turn += 1) await service.agentTurn('more', { conversation_id: long });
    expect((await service.send('GET', historyPath(long))).body.items).toHaveLength(20);
    const { body } = await service.send('GET', messagesPath(long));
    expect(body).toMatchObject({ total: 22, page: 1, page_size: 20, has_more: true });
    expect(body.items).toHaveLength(20);
  });

  it('ignores query parameters that are not known, whatever they are called', async () => {
    const names = 'Limit=0&limit[]=0&LIMIT=x&pageSize=0&first=0&__proto__=1&constructor=2&x=%00&y=%ED%A0%80&%00=1&&=';
    const plain = await service.send('GET', historyPath(conversation));
    expect(await service.send('GET', `${historyPath(conversation)}?${names}`)).toMatchObject({ body: plain.body });
    expect((await service.send('GET', `${messagesPath(conversation)}?${names}&cursor=x`)).status).toBe(200);
  });
});

describe('WIRE 5: the cursor of a history', () => {
  const read = (id: string, query: string) => service.send('GET', `${historyPath(id)}?${query}`);
  const cursorOf = async (id: string) => (await read(id, 'limit=2')).body.next_cursor as string;

  it('leads to the items before, whatever the limit is then', async () => {
    const cursor = await cursorOf(conversation);
    const ids = async (query: string) =>
      (await read(conversation, query)).body.items.map(({ id }: { id: string }) => id);
    const all = await ids('limit=100');
    expect(await ids(`limit=100&cursor=${cursor}`)).toEqual(all.slice(0, 4));
    expect(await ids(`limit=3&cursor=${cursor}`)).toEqual(all.slice(1, 4));
  });

  it('is refused with any one of its characters changed', async () => {
    const cursor = await cursorOf(conversation);
    for (const [index, character] of [...cursor].entries()) {
      const changed = cursor.slice(0, index) + (character === 'A' ? 'B' : 'A') + cursor.slice(index + 1);
      expectError(await read(conversation, `cursor=${changed}`), 'invalid_cursor', {
        param: 'cursor',
        message: /^cursor /,
      });
    }
  });

  it.each<[string, (cursor: string) => string]>([
    ['empty', () => ''],
    ['of another make', () => 'abc'],
    ['cut by one character', (cursor) => cursor.slice(0, -1)],
    ['cut by its first character', (cursor) => cursor.slice(1)],
    ['longer by one character', (cursor) => `${cursor}A`],
    ['padded', (cursor) => `${cursor}=`],
    ['followed by a line break', (cursor) => `${cursor}%0A`],
    ['preceded by a space', (cursor) => `%20${cursor}`],
    ['in another case', (cursor) => cursor.toUpperCase()],
    ['written twice', (cursor) => cursor + cursor],
    ['holding halves of a surrogate pair', (cursor) => `${cursor}%ED%A0%80`],
    ['8,000 characters long', () => 'A'.repeat(8_000)],
  ])('is refused when %s', async (_what, change) => {
    const answer = await read(conversation, `cursor=${change(await cursorOf(conversation))}`);
    expectError(answer, 'invalid_cursor', { param: 'cursor' });
  });

  it('is refused with a NUL in it, and when given twice', async () => {
    const cursor = await cursorOf(conversation);
    expectError(await read(conversation, `cursor=${cursor}%00`), 'invalid_request', { param: 'cursor' });
    expectError(await read(conversation, `cursor=${cursor}&cursor=${cursor}`), 'invalid_request', { param: 'cursor' });
  });

  it('is bound to its conversation', async () => {
    expectError(await read(other, `cursor=${await cursorOf(conversation)}`), 'invalid_cursor', { param: 'cursor' });
  });
});
