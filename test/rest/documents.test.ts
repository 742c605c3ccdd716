import { Source } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { schema } from '../../src/graphql/schema.ts';
import { bindVariables, nameField } from '../../src/rest/bind.ts';
import { compileDocuments } from '../../src/rest/documents.ts';
import { toInput } from '../../src/rest/names.ts';
import { toRoute } from '../../src/rest/route.ts';
import { headersOf, reshape } from '../../src/rest/shape.ts';
import { DEMO_CHAT_ID, startService, type TestService } from '../support/service.ts';

/** Lines as a file of `schema/rest`. */
function compile(...lines: string[]) {
  return compileDocuments(schema, [new Source(lines.join('\n'), 'schema/rest/example.graphql')]);
}

const REST = '@rest(get: "/v1/example/{id}", unwrap: true) {';

describe('a document that does not hold stops the start, with its place', () => {
  it.each([
    {
      fault: 'a field that the schema does not have',
      lines: [`query Q($id: UUID!) ${REST}`, '  conversation(conversationId: $id) {', '    title', '  }', '}'],
      says: 'schema/rest/example.graphql:3:5: Cannot query field "title" on type "Conversation".',
    },
    {
      fault: 'a variable of an unknown type',
      lines: [`query Q($id: Guid!) ${REST}`, '  conversation(conversationId: $id) { name }', '}'],
      says: 'schema/rest/example.graphql:1:14: Unknown type "Guid".',
    },
    {
      fault: 'a variable of another type than its argument',
      lines: [`query Q($id: String!) ${REST}`, '  conversation(conversationId: $id) { name }', '}'],
      says: 'schema/rest/example.graphql:1:9: Variable "$id" of type "String!" used in position expecting type "UUID!".',
    },
    {
      fault: 'no @rest',
      lines: ['', 'query Q($id: UUID!) {', '  conversation(conversationId: $id) { name }', '}'],
      says: 'schema/rest/example.graphql:2:1: Every operation needs @rest with a method and a path.',
    },
    {
      fault: 'two root fields',
      lines: [
        `query Q($id: UUID!) ${REST}`,
        '  conversation(conversationId: $id) { name }',
        '  node(id: "x") { id }',
        '}',
      ],
      says: 'schema/rest/example.graphql:1:1: A REST operation has a name and exactly one root field.',
    },
    {
      fault: 'a syntax error',
      lines: [`query Q($id: UUID!) ${REST}`, '  conversation(conversationId: $id) { name', '}'],
      says: 'schema/rest/example.graphql:3:2: Syntax Error: Expected Name, found <EOF>.',
    },
    {
      fault: 'an unknown word in @rest',
      lines: ['query Q @rest(get: "/v1/example", code: 200) {', '  conversations { totalCount }', '}'],
      says: 'schema/rest/example.graphql:1:35: Unknown argument "code" on directive "@rest".',
    },
  ])('$fault', ({ lines, says }) => {
    expect(() => compile(...lines)).toThrow(says);
  });

  it('a route without a method, or with a body that is no variable', () => {
    const [bare] = compile('query Q @rest { conversations { totalCount } }');
    expect(() => bare && toRoute(schema, bare)).toThrow('Q: @rest needs a method with a path.');
    const [bodiless] = compile('query Q @rest(post: "/v1/example", body: "input") { conversations { totalCount } }');
    expect(() => bodiless && toRoute(schema, bodiless)).toThrow('Q: body names no variable.');
  });
});

describe('@spread', () => {
  const [document] = compile(
    `query Q($id: UUID!) ${REST}`,
    '  conversation(conversationId: $id) { name run @spread { run_id: runId run_status: status } }',
    '}',
  );
  const shape = document && toRoute(schema, document).shape;

  it("puts a field's own fields in its place", () => {
    const conversation = { name: 'Hello', run: { run_id: '1', run_status: 'completed' } };
    expect(reshape({ conversation }, shape)).toEqual({
      conversation: { name: 'Hello', run_id: '1', run_status: 'completed' },
    });
  });

  it('gives null for each of them where the field is null', () => {
    expect(reshape({ conversation: { name: 'Hello', run: null } }, shape)).toEqual({
      conversation: { name: 'Hello', run_id: null, run_status: null },
    });
  });
});

describe('@header', () => {
  const [document] = compile(
    'mutation M($id: ID!, $seen: String @header(name: "If-Match")) @rest(delete: "/v1/example/{id}") {',
    '  it: deleteResource(id: $id, ifMatch: $seen) { type ...Version }',
    '}',
    'fragment Version on Resource { fields etag @header(name: "ETag") }',
  );
  const route = document && toRoute(schema, document);

  it('fills a variable from the header of the request', () => {
    expect(route?.parameters).toMatchObject([
      { variable: 'id', name: 'id', in: 'path' },
      { variable: 'seen', name: 'If-Match', in: 'header' },
    ]);
    const get = (name: string) => (name === 'If-Match' ? '"a"' : undefined);
    const request = { params: { id: 'res_1' }, query: { seen: 'no', 'If-Match': 'no' }, get } as never;
    expect(route && bindVariables(route, request)).toEqual({ id: 'res_1', seen: '"a"' });
  });

  it('blames the header, not the variable', () => {
    expect(route && [nameField(route, ['ifMatch']), nameField(route, ['seen'])]).toEqual(['If-Match', 'If-Match']);
  });

  it('sends a field as a header of the answer, and leaves it out of the body', () => {
    const result = { it: { type: 'a', fields: { etag: 1 }, etag: '"b"' } };
    expect(headersOf(result, route?.shape)).toEqual({ ETag: '"b"' });
    expect(reshape(result, route?.shape)).toEqual({ it: { type: 'a', fields: { etag: 1 } } });
  });
});

describe('renaming from snake_case', () => {
  const type = schema.getType('MessageInput') as Parameters<typeof toInput>[1];

  it('renames the fields of input types, at every depth, and leaves out what they do not have', () => {
    const part = { type: 'url', mime_type: 'a/b', file_uri: 'https://example.com', mimeType: 'c/d' };
    expect(toInput({ content: [part], history_limit: 3, historyLimit: 4, extra: 1 }, type)).toEqual({
      content: [{ type: 'url', mimeType: 'a/b', fileUri: 'https://example.com' }],
      historyLimit: 3,
    });
  });

  it('never touches keys inside JSON values', () => {
    const meta = { camelCase: 1, snake_case: { deeper_still: [{ mime_type: 1 }] } };
    expect(toInput({ meta }, type)).toEqual({ meta });
  });
});

describe('over HTTP', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.close());

  const LABELS = { camelCase: 'One', snake_case: 'two', history_limit: 'three', conversationId: 'four' };

  it('keys of variables and meta come back as they were sent', async () => {
    const { body } = await service.chat('Hello', { variables: LABELS, meta: LABELS });
    const read = await service.graphql('query ($id: UUID!) { conversation(conversationId: $id) { variables meta } }', {
      id: body.conversation_id,
    });
    expect(read.body).toEqual({ data: { conversation: { variables: LABELS, meta: LABELS } } });
  });

  it('an ordinary conversation reads null for the run that it does not have', async () => {
    const { body } = await service.chat('Hello');
    const read = await service.send('GET', `/v1/runner/conversation/${body.conversation_id}/messages`);
    expect(read.body).toMatchObject({ run_id: null, run_status: null, total: 2 });
    expect(read.body).not.toHaveProperty('run');
  });

  it('a wrong field is blamed by the name that REST gives it', async () => {
    const path = `/v1/runner/${DEMO_CHAT_ID}/conversation`;
    const { body } = await service.send('POST', path, { body: { content: [], history_limit: 'many' } });
    expect(body.error).toMatchObject({ code: 'invalid_request', param: 'history_limit' });
  });
});
