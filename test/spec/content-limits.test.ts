import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { enumValueOf } from '../../src/contract/enum-names.ts';
import { LIMITS } from '../../src/contract/limits.ts';
import { messageContent } from '../../src/domain/message-content.ts';
import { ACCEPTED_CONTENT, base64, inline, MALFORMED_CONTENT, REJECTED_CONTENT } from '../support/content-cases.ts';
import { DEMO_AGENT_ID, startService, type TestService } from '../support/service.ts';
import { ONE_PER_API, REST_TURN_OPERATIONS, TURN_OPERATIONS, textPart } from '../support/turn-operations.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

/** Parts have no type in GraphQL, and a part without a field is covered by the tests of @oneOf. */
const isInGraphql = ([what, , param]: (typeof REJECTED_CONTENT)[number]) =>
  !param.endsWith('.type') && !['a text part without a text', 'a text of null'].includes(what);

for (const operation of TURN_OPERATIONS) {
  describe(`content through ${operation.name}`, () => {
    it.each(ACCEPTED_CONTENT)('accepts %s', async (_description, content) => {
      expect(operation.conversationIdOf(await operation.send(service, { content }))).toMatch(/^[0-9a-f-]{36}$/);
    });

    it.for(operation.protocol === 'REST' ? REJECTED_CONTENT : REJECTED_CONTENT.filter(isInGraphql))(
      'rejects %s',
      async ([_description, content, param, message]) => {
        operation.expectRejected(await operation.send(service, { content }), param, message);
      },
    );
  });
}

for (const operation of ONE_PER_API) {
  it.for(MALFORMED_CONTENT)(
    `content through ${operation.name} is rejected with %s`,
    async ([_description, content, param, message]) => {
      operation.expectRejected(await operation.send(service, { content }), param, message);
    },
  );
}

for (const operation of REST_TURN_OPERATIONS) {
  describe(`no coercion through ${operation.name}`, () => {
    it.each([
      ['a part in place of a list', textPart('Hello')],
      ['a text in place of a list', 'Hello'],
      ['a number in place of a list', 1],
      ['an object with numbered keys in place of a list', { 0: textPart('Hello'), length: 1 }],
    ])('rejects %s', async (_description, content) => {
      operation.expectRejected(await operation.send(service, { content }), 'content', /must be an array/);
    });
  });
}

describe('inline data of at most 8 MiB', () => {
  const part = (bytes: number) => [{ type: 'data', mimeType: 'image/png', data: base64(bytes) }];

  it('accepts 8 MiB and rejects one byte more', () => {
    expect(messageContent.safeParse(part(LIMITS.inlineBytes)).success).toBe(true);
    const { error } = messageContent.safeParse(part(LIMITS.inlineBytes + 1));
    expect(error?.issues).toMatchObject([
      { path: [0, 'data'], message: 'must be at most 8 MiB after base64 decoding' },
    ]);
  });

  for (const operation of ONE_PER_API) {
    it(`accepts as much as a body can hold through ${operation.name}`, async () => {
      const content = [inline({ data: base64(7_800_000) })];
      expect(operation.conversationIdOf(await operation.send(service, { content }))).toMatch(/^[0-9a-f-]{36}$/);
    });
  }
});

const FILE = { mime_type: 'application/pdf', file_uri: 'https://example.com/a%20b.pdf?x=1#y' };

/** Every type of part with only its own fields. */
const OWN: readonly Record<string, unknown>[] = [
  { type: 'text', text: '  kept as it is \r\n\t "quoted" \\ \u2028 👩‍👩‍👧 ' },
  ...['url', 'image', 'video', 'audio'].map((type) => ({ type, ...FILE })),
  { type: 'data', mime_type: 'image/PNG', data: 'AB+/AA==' },
];

/** The fields of all types. Each part is sent with those of the other types. */
const EVERYTHING = { text: 'of another', ...FILE, data: 'AAAA' };

/** A conversation's first message, read through REST and GraphQL. */
async function readBack(conversationId: string): Promise<unknown[]> {
  const messages = await service.send('GET', `/v1/runner/conversation/${conversationId}/messages`);
  const history = await service.send('GET', `/v2/runner/${DEMO_AGENT_ID}/conversation/${conversationId}/history`);
  const document = `query ($id: ID!) {
    conversation(id: $id) { messages(first: 1) { nodes { content {
      type
      ... on TextPart { text }
      ... on FilePart { mime_type: mimeType file_uri: fileUri }
      ... on DataPart { mime_type: mimeType data }
    } } } }
  }`;
  const graphql = await service.graphql(document, { id: conversationId });
  return [
    messages.body.items[0].content,
    ...(history.status === 200 ? [history.body.items[0].content] : []),
    graphql.body.data.conversation.messages.nodes[0].content.map(withWord),
  ];
}

/** A part of the GraphQL API with the type of the REST API. */
const withWord = ({ type, ...part }: { readonly type: string }) => ({ type: enumValueOf(type), ...part });

describe('a part keeps exactly its own fields when read back', () => {
  for (const operation of TURN_OPERATIONS) {
    it(`unchanged when sent through ${operation.name}`, async () => {
      const id = operation.conversationIdOf(await operation.send(service, { content: OWN }));
      for (const content of await readBack(id)) expect(content).toEqual(OWN);
    });

    it(`without the fields of other types when sent through ${operation.name}`, async () => {
      const content = OWN.map((part) => ({ ...EVERYTHING, ...part }));
      const id = operation.conversationIdOf(await operation.send(service, { content }));
      for (const stored of await readBack(id)) expect(stored).toEqual(OWN);
    });
  }

  for (const operation of REST_TURN_OPERATIONS) {
    it(`without unknown fields when sent through ${operation.name}`, async () => {
      const unknown = JSON.parse('{"id": 1, "role": "system", "__proto__": {"a": 1}, "fileUri": "x", "nope": null}');
      const content = OWN.map((part) => ({ ...unknown, ...part }));
      const id = operation.conversationIdOf(await operation.send(service, { content }));
      for (const stored of await readBack(id)) expect(stored).toEqual(OWN);
    });
  }

  it('in the order of the sent parts', async () => {
    const [operation] = TURN_OPERATIONS;
    const content = Array.from({ length: 64 }, (_, index) => textPart(`part ${index}`));
    const id = operation?.conversationIdOf(await operation.send(service, { content })) ?? '';
    for (const stored of await readBack(id)) expect(stored).toEqual(content);
  });
});
