import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Answer } from '../support/client.ts';
import { expectGraphqlError } from '../support/error-bodies.ts';
import { DEMO_AGENT_ID, startService, type TestService } from '../support/service.ts';

let service: TestService;
let conversation: string;
beforeAll(async () => {
  service = await startService();
  conversation = (await service.agentTurn('one')).body.conversation_id;
  for (const text of ['two', 'three']) await service.agentTurn(text, { conversation_id: conversation });
  await service.agentTurn('another');
});
afterAll(() => service.close());

const ARGUMENTS = 'first: $first, after: $after, last: $last, before: $before';
const VARIABLES = '$first: Int, $after: String, $last: Int, $before: String';
const PAGE = '{ nodes { id } nextCursor }';

interface List {
  readonly name: string;
  ask(variables: object, key?: string): Promise<Answer>;
}

const CONVERSATIONS: List = {
  name: 'conversations',
  ask(variables, key = service.keys.live) {
    const document = `query (${VARIABLES}, $deployment: UUID) {
      conversations(${ARGUMENTS}, deploymentId: $deployment) ${PAGE}
    }`;
    return service.graphql(document, variables, { key });
  },
};

/** Every connection of the schema that exists yet. */
const LISTS: readonly List[] = [
  CONVERSATIONS,
  ...['messages', 'history'].map((name) => ({
    name,
    ask(variables: object) {
      const document = `query (${VARIABLES}, $id: UUID!) {
        conversation(conversationId: $id) { ${name}(${ARGUMENTS}) ${PAGE} }
      }`;
      return service.graphql(document, { id: conversation, ...variables });
    },
  })),
];

async function nextCursorOf(list: List): Promise<string> {
  const { body } = await list.ask({ first: 1 });
  return (body.data.conversations ?? body.data.conversation[list.name]).nextCursor;
}

for (const list of LISTS) {
  const { name } = list;
  describe(`WIRE 13: the connection ${name}`, () => {
    it.each([{ first: 1 }, { first: 100 }, { last: 1 }, { last: 100 }, { first: null }, {}])(
      `takes %j`,
      async (args) => {
        expect((await list.ask(args)).body.errors).toBeUndefined();
      },
    );

    it.each([{ first: 0 }, { first: 101 }, { first: -1 }, { last: 0 }, { last: 101 }])(`refuses %j`, async (args) => {
      const [param] = Object.keys(args);
      expectGraphqlError(await list.ask(args), 'invalid_request', {
        param: param ?? '',
        message: `${param} must be from 1 to 100`,
      });
    });

    it.each([{ first: '1' }, { first: 1.5 }, { last: true }, { after: 5 }, { before: ['a'] }])(
      `refuses %j`,
      async (args) => {
        const [param] = Object.keys(args);
        expectGraphqlError(await list.ask(args), 'invalid_request', {
          param: param ?? '',
          message: new RegExp(`^${param} must be`),
        });
      },
    );

    it(`refuses first and last together`, async () => {
      expectGraphqlError(await list.ask({ first: 1, last: 1 }), 'invalid_request', { param: 'last' });
    });

    it.each(['after', 'before'])(`refuses %s that is malformed, empty or changed`, async (param) => {
      const cursor = await nextCursorOf(list);
      for (const changed of [
        '',
        'abc',
        `${cursor}A`,
        cursor.slice(1),
        (cursor[0] === 'A' ? 'B' : 'A') + cursor.slice(1),
      ]) {
        expectGraphqlError(await list.ask({ [param]: changed }), 'invalid_cursor', { param });
      }
    });

    it(`refuses the cursors of the other lists`, async () => {
      for (const foreign of LISTS.filter((one) => one.name !== name)) {
        expectGraphqlError(await list.ask({ after: await nextCursorOf(foreign) }), 'invalid_cursor', {
          param: 'after',
        });
      }
    });
  });
}

describe('WIRE 5: the cursor of a list of conversations', () => {
  it('leads to the rest of the list, whatever is selected of a conversation', async () => {
    const after = await nextCursorOf(CONVERSATIONS);
    const { body } = await CONVERSATIONS.ask({ after });
    expect(body).toMatchObject({ data: { conversations: { nodes: [{}], nextCursor: null } } });
  });

  it('is bound to the filter and to the environment', async () => {
    const after = await nextCursorOf(CONVERSATIONS);
    expectGraphqlError(await CONVERSATIONS.ask({ after, deployment: DEMO_AGENT_ID }), 'invalid_cursor');
    expectGraphqlError(await CONVERSATIONS.ask({ after }, service.keys.test), 'invalid_cursor');
  });
});
