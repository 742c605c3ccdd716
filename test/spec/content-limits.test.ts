import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LIMITS } from '../../src/contract/limits.ts';
import { messageContent } from '../../src/domain/message-content.ts';
import { ACCEPTED_CONTENT, base64, inline, MISSPELT, REFUSED_CONTENT } from '../support/content-cases.ts';
import { DEMO_AGENT_ID, startService, type TestService } from '../support/service.ts';
import { ONE_OF_EACH, REST_TURN_DOORS, TURN_DOORS, textPart } from '../support/turn-doors.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

for (const door of TURN_DOORS) {
  describe(`WIRE 1 and 2: content by ${door.name}`, () => {
    it.each(ACCEPTED_CONTENT)('takes %s', async (_what, content) => {
      expect(door.idOf(await door.take(service, { content }))).toMatch(/^[0-9a-f-]{36}$/);
    });

    it.for(REFUSED_CONTENT)('refuses %s', async ([_what, content, param, message]) => {
      door.expectRefused(await door.take(service, { content }), param, message);
    });
  });
}

for (const door of ONE_OF_EACH) {
  it.for(MISSPELT)(`content by ${door.name} is refused with %s`, async ([_what, content, param, message]) => {
    door.expectRefused(await door.take(service, { content }), param, message);
  });
}

for (const door of REST_TURN_DOORS) {
  describe(`WIRE 1: nothing is coerced by ${door.name}`, () => {
    it.each([
      ['a part in place of a list', textPart('Hello')],
      ['a text in place of a list', 'Hello'],
      ['a number in place of a list', 1],
      ['an object with numbered keys in place of a list', { 0: textPart('Hello'), length: 1 }],
    ])('refuses %s', async (_what, content) => {
      door.expectRefused(await door.take(service, { content }), 'content', /must be an array/);
    });
  });
}

describe('WIRE 2: inline data of at most 8 MiB', () => {
  const part = (bytes: number) => [{ type: 'data', mimeType: 'image/png', data: base64(bytes) }];

  it('takes 8 MiB and refuses a byte more', () => {
    expect(messageContent.safeParse(part(LIMITS.inlineBytes)).success).toBe(true);
    const { error } = messageContent.safeParse(part(LIMITS.inlineBytes + 1));
    expect(error?.issues).toMatchObject([{ path: [0, 'data'], message: 'must be at most 8 MiB once decoded' }]);
  });

  for (const door of ONE_OF_EACH) {
    it(`takes as much as a body can carry by ${door.name}`, async () => {
      const content = [inline({ data: base64(7_800_000) })];
      expect(door.idOf(await door.take(service, { content }))).toMatch(/^[0-9a-f-]{36}$/);
    });
  }
});

const FILE = { mime_type: 'application/pdf', file_uri: 'https://example.com/a%20b.pdf?x=1#y' };

/** Every type of part with its own fields alone. */
const OWN: readonly Record<string, unknown>[] = [
  { type: 'text', text: '  kept as it is \r\n\t "quoted" \\ \u2028 👩‍👩‍👧 ' },
  ...['url', 'image', 'video', 'audio'].map((type) => ({ type, ...FILE })),
  { type: 'data', mime_type: 'image/PNG', data: 'AB+/AA==' },
];

/** The fields of all types: each part is sent with those that are not its own. */
const EVERYTHING = { text: 'of another', ...FILE, data: 'AAAA' };

/** What REST and GraphQL read back of a conversation's first message. */
async function readBack(conversationId: string): Promise<unknown[]> {
  const messages = await service.send('GET', `/v1/runner/conversation/${conversationId}/messages`);
  const history = await service.send('GET', `/v2/runner/${DEMO_AGENT_ID}/conversation/${conversationId}/history`);
  const document = `query ($id: UUID!) {
    conversation(conversationId: $id) { messages(first: 1) { nodes { content {
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
    graphql.body.data.conversation.messages.nodes[0].content,
  ];
}

describe('WIRE 2: a part keeps exactly its own fields when read back', () => {
  for (const door of TURN_DOORS) {
    it(`as it was sent by ${door.name}`, async () => {
      const id = door.idOf(await door.take(service, { content: OWN }));
      for (const content of await readBack(id)) expect(content).toEqual(OWN);
    });

    it(`without the fields of other types that came with it by ${door.name}`, async () => {
      const content = OWN.map((part) => ({ ...EVERYTHING, ...part }));
      const id = door.idOf(await door.take(service, { content }));
      for (const kept of await readBack(id)) expect(kept).toEqual(OWN);
    });
  }

  for (const door of REST_TURN_DOORS) {
    it(`without fields that no part has, sent by ${door.name}`, async () => {
      const unknown = JSON.parse('{"id": 1, "role": "system", "__proto__": {"a": 1}, "fileUri": "x", "nope": null}');
      const content = OWN.map((part) => ({ ...unknown, ...part }));
      const id = door.idOf(await door.take(service, { content }));
      for (const kept of await readBack(id)) expect(kept).toEqual(OWN);
    });
  }

  it('in the order in which the parts were sent', async () => {
    const [door] = TURN_DOORS;
    const content = Array.from({ length: 64 }, (_, index) => textPart(`part ${index}`));
    const id = door?.idOf(await door.take(service, { content })) ?? '';
    for (const kept of await readBack(id)) expect(kept).toEqual(content);
  });
});
