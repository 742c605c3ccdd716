import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CONNECTIONS, CONVERSATIONS, firstCursorOf } from '../support/connections.ts';
import { expectError, expectGraphqlError } from '../support/error-bodies.ts';
import { BROKEN_CURSORS, historyPath, INTEGERS, messagesPath, NOT_INTEGERS } from '../support/paging-cases.ts';
import { DEMO_AGENT_ID, startService, type TestService } from '../support/service.ts';

let service: TestService;
/** Three turns: six items. */
let conversation: string;
let other: string;
beforeAll(async () => {
  service = await startService();
  conversation = (await service.agentTurn('one')).body.conversation_id;
  for (const text of ['two', 'three']) await service.agentTurn(text, { conversation_id: conversation });
  for (const type of ['one', 'two', 'three']) {
    await service.send('POST', '/v1/resources', { body: { type, fields: {} } });
  }
  other = (await service.agentTurn('one')).body.conversation_id;
  await service.agentTurn('two', { conversation_id: other });
});
afterAll(() => service.close());

for (const { path, name, inRange, outOfRange } of INTEGERS) {
  describe(`the query parameter ${name}`, () => {
    const read = (query: string) => service.send('GET', `${path(conversation)}?${query}`);

    it.each(inRange)('accepts %s', async (value) => {
      expect((await read(`${name}=${value}`)).status).toBe(200);
    });

    it.each(outOfRange)('rejects %s', async (value) => {
      expectError(await read(`${name}=${value}`), 'invalid_request', {
        param: name,
        message: `${name} must be from 1`,
      });
    });

    it.each(NOT_INTEGERS)('rejects %j', async (value) => {
      const message = `${name} must be a whole number`;
      expectError(await read(`${name}=${value}`), 'invalid_request', { param: name, message });
    });

    it('rejects a repeated parameter', async () => {
      const message = `${name} must not be repeated`;
      expectError(await read(`${name}=1&${name}=1`), 'invalid_request', { param: name, message });
    });
  });
}

describe('paging without parameters', () => {
  it('returns 20 history items, and page 1 of 20 messages', async () => {
    const long = (await service.agentTurn('one')).body.conversation_id;
    for (let turn = 0; turn < 10; turn += 1) await service.agentTurn('more', { conversation_id: long });
    expect((await service.send('GET', historyPath(long))).body.items).toHaveLength(20);
    const { body } = await service.send('GET', messagesPath(long));
    expect(body).toMatchObject({ total: 22, page: 1, page_size: 20, has_more: true });
    expect(body.items).toHaveLength(20);
  });

  it('ignores unknown query parameters', async () => {
    const names = 'Limit=0&LIMIT=x&pageSize=0&first=0&__proto__=1&constructor=2&x=%00&y=%ED%A0%80&%00=1&&=';
    const plain = await service.send('GET', historyPath(conversation));
    expect(await service.send('GET', `${historyPath(conversation)}?${names}`)).toMatchObject({ body: plain.body });
    expect((await service.send('GET', `${messagesPath(conversation)}?${names}&cursor=x`)).status).toBe(200);
  });
});

describe('the cursor of a history', () => {
  const read = (id: string, query: string) => service.send('GET', `${historyPath(id)}?${query}`);
  const cursorOf = async (id: string) => (await read(id, 'limit=2')).body.next_cursor as string;

  it('leads to earlier items with any limit', async () => {
    const cursor = await cursorOf(conversation);
    const ids = async (query: string) =>
      (await read(conversation, query)).body.items.map(({ id }: { id: string }) => id);
    const all = await ids('limit=100');
    expect(await ids(`limit=100&cursor=${cursor}`)).toEqual(all.slice(0, 4));
    expect(await ids(`limit=3&cursor=${cursor}`)).toEqual(all.slice(1, 4));
  });

  it('is rejected if any character is changed', async () => {
    const cursor = await cursorOf(conversation);
    for (const [index, character] of [...cursor].entries()) {
      const changed = cursor.slice(0, index) + (character === 'A' ? 'B' : 'A') + cursor.slice(index + 1);
      expectError(await read(conversation, `cursor=${changed}`), 'invalid_cursor', {
        param: 'cursor',
        message: /^cursor /,
      });
    }
  });

  it.each(BROKEN_CURSORS)('is rejected when %s', async (_description, change) => {
    const response = await read(conversation, `cursor=${change(await cursorOf(conversation))}`);
    expectError(response, 'invalid_cursor', { param: 'cursor' });
  });

  it('is rejected with a NUL character, and when it is repeated', async () => {
    const cursor = await cursorOf(conversation);
    expectError(await read(conversation, `cursor=${cursor}%00`), 'invalid_request', { param: 'cursor' });
    expectError(await read(conversation, `cursor=${cursor}&cursor=${cursor}`), 'invalid_request', { param: 'cursor' });
  });

  it('is bound to its conversation', async () => {
    expectError(await read(other, `cursor=${await cursorOf(conversation)}`), 'invalid_cursor', { param: 'cursor' });
  });
});

for (const connection of CONNECTIONS) {
  const send = (variables: object) => connection.fetchPage(service, conversation, variables);
  const firstCursor = (of = connection) => firstCursorOf(of, service, conversation);

  describe(`the connection ${connection.name}`, () => {
    it.each([{ first: 1 }, { first: 100 }, { last: 1 }, { last: 100 }, { first: null }, {}])(
      `accepts %j`,
      async (args) => {
        expect((await send(args)).body.errors).toBeUndefined();
      },
    );

    it.each([{ first: 0 }, { first: 101 }, { first: -1 }, { last: 0 }, { last: 101 }])(`rejects %j`, async (args) => {
      const [param] = Object.keys(args);
      expectGraphqlError(await send(args), 'invalid_request', {
        param: param ?? '',
        message: `${param} must be from 1 to 100`,
      });
    });

    it.each([{ first: '1' }, { first: 1.5 }, { last: true }, { after: 5 }, { before: ['a'] }])(
      `rejects %j`,
      async (args) => {
        const [param] = Object.keys(args);
        expectGraphqlError(await send(args), 'invalid_request', {
          param: param ?? '',
          message: new RegExp(`^${param} must be`),
        });
      },
    );

    it(`rejects first and last together`, async () => {
      expectGraphqlError(await send({ first: 1, last: 1 }), 'invalid_request', { param: 'last' });
    });

    it.each(['after', 'before'])(`rejects %s if it is malformed, empty or changed`, async (param) => {
      const cursor = await firstCursor();
      for (const changed of [
        '',
        'abc',
        `${cursor}A`,
        cursor.slice(1),
        (cursor[0] === 'A' ? 'B' : 'A') + cursor.slice(1),
      ]) {
        expectGraphqlError(await send({ [param]: changed }), 'invalid_cursor', { param });
      }
    });

    it(`rejects the cursors of the other lists`, async () => {
      for (const foreign of CONNECTIONS.filter(({ name }) => name !== connection.name)) {
        expectGraphqlError(await send({ after: await firstCursor(foreign) }), 'invalid_cursor', {
          param: 'after',
        });
      }
    });
  });
}

describe('the cursor of a list of conversations', () => {
  const send = (variables: object, key?: string) => CONVERSATIONS.fetchPage(service, conversation, variables, key);

  it('leads to the rest of the list with any selection', async () => {
    const after = await firstCursorOf(CONVERSATIONS, service, conversation);
    const { body } = await send({ after });
    const total = await service.graphql('{ conversations { totalCount } }');
    expect(body.data?.conversations.nodes).toHaveLength(total.body.data.conversations.totalCount - 1);
  });

  it('is bound to the filter and to the environment', async () => {
    const after = await firstCursorOf(CONVERSATIONS, service, conversation);
    expectGraphqlError(await send({ after, deployment: DEMO_AGENT_ID }), 'invalid_cursor');
    expectGraphqlError(await send({ after }, service.keys.test), 'invalid_cursor');
  });
});
