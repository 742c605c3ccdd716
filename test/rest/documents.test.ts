import { type OperationDefinitionNode, parse, Source } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { internalSchema } from '../../src/graphql/schema/schema.ts';
import { coerceVariables } from '../../src/operation/input.ts';
import { bindVariables, nameField } from '../../src/rest/bind.ts';
import { compileDocuments } from '../../src/rest/documents.ts';
import { REST_INPUT } from '../../src/rest/names.ts';
import { toRoute } from '../../src/rest/route.ts';
import { headersOf, reshape } from '../../src/rest/shape.ts';
import { byName } from '../support/graph-content.ts';
import { DEMO_CHAT_ID, startService, type TestService } from '../support/service.ts';

/** Lines as a file in `schema/rest`. */
function compile(...lines: string[]) {
  return compileDocuments(internalSchema, [new Source(lines.join('\n'), 'schema/rest/example.graphql')]);
}

const REST = '@rest(get: "/v1/example/{id}", unwrap: true) {';

describe('an invalid document is rejected with its location', () => {
  it.each([
    {
      fault: 'a field that the schema does not have',
      lines: [`query Q($id: UUID!) ${REST}`, '  conversation(id: $id) {', '    title', '  }', '}'],
      says: 'schema/rest/example.graphql:3:5: Cannot query field "title" on type "Conversation".',
    },
    {
      fault: 'a variable of an unknown type',
      lines: [`query Q($id: Guid!) ${REST}`, '  conversation(id: $id) { name }', '}'],
      says: 'schema/rest/example.graphql:1:14: Unknown type "Guid".',
    },
    {
      fault: 'a variable of another type than its argument',
      lines: [`query Q($id: String!) ${REST}`, '  conversation(id: $id) { name }', '}'],
      says: 'schema/rest/example.graphql:1:9: Variable "$id" of type "String!" used in position expecting type "UUID!".',
    },
    {
      fault: 'no @rest',
      lines: ['', 'query Q($id: UUID!) {', '  conversation(id: $id) { name }', '}'],
      says: 'schema/rest/example.graphql:2:1: Every operation needs @rest with a method and a path.',
    },
    {
      fault: 'two root fields',
      lines: [`query Q($id: UUID!) ${REST}`, '  conversation(id: $id) { name }', '  node(id: "x") { id }', '}'],
      says: 'schema/rest/example.graphql:1:1: A REST operation needs a name and exactly one root field.',
    },
    {
      fault: 'a syntax error',
      lines: [`query Q($id: UUID!) ${REST}`, '  conversation(id: $id) { name', '}'],
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

  it('if it has no method, or its body is not a variable', () => {
    const [bare] = compile('query Q @rest { conversations { totalCount } }');
    expect(() => bare && toRoute(internalSchema, bare)).toThrow('Q: @rest needs a method with a path.');
    const [bodiless] = compile('query Q @rest(post: "/v1/example", body: "input") { conversations { totalCount } }');
    expect(() => bodiless && toRoute(internalSchema, bodiless)).toThrow(
      'Q: the argument body of @rest must name a variable.',
    );
  });
});

describe('@spread', () => {
  const [document] = compile(
    `query Q($id: UUID!) ${REST}`,
    '  conversation(id: $id) { name run @spread { run_id: runId run_status: status } }',
    '}',
  );
  const shape = document && toRoute(internalSchema, document).shape;

  it('replaces a field with its subfields', () => {
    const conversation = { name: 'Hello', run: { run_id: '1', run_status: 'completed' } };
    expect(reshape({ conversation }, shape)).toEqual({
      conversation: { name: 'Hello', run_id: '1', run_status: 'completed' },
    });
  });

  it('returns null for each subfield if the field is null', () => {
    expect(reshape({ conversation: { name: 'Hello', run: null } }, shape)).toEqual({
      conversation: { name: 'Hello', run_id: null, run_status: null },
    });
  });
});

describe('@header', () => {
  const [document] = compile(
    'mutation M($id: ID!, $seen: String @header(name: "If-Match")) @rest(delete: "/v1/example/{id}") {',
    '  it: deleteResource(input: { id: $id, ifMatch: $seen }) { ... on DeleteResourcePayload { resource { type ...Version } } }',
    '}',
    'fragment Version on Resource { fields etag @header(name: "ETag") }',
  );
  const route = document && toRoute(internalSchema, document);

  it('reads a variable from the request header', () => {
    expect(route?.parameters).toMatchObject([
      { variable: 'id', name: 'id', in: 'path' },
      { variable: 'seen', name: 'If-Match', in: 'header' },
    ]);
    const get = (name: string) => (name === 'If-Match' ? '"a"' : undefined);
    const request = { params: { id: 'res_1' }, query: { seen: 'no', 'If-Match': 'no' }, get } as never;
    expect(route && bindVariables(route, request)).toEqual({ id: 'res_1', seen: '"a"' });
  });

  it('names the header in errors', () => {
    expect(route && [nameField(route, ['ifMatch']), nameField(route, ['seen'])]).toEqual(['If-Match', 'If-Match']);
  });

  it('sends a field as a response header instead of in the body', () => {
    const result = { it: { resource: { type: 'a', fields: { etag: 1 }, etag: '"b"' } } };
    expect(headersOf(result, route?.shape)).toEqual({ ETag: '"b"' });
    expect(reshape(result, route?.shape)).toEqual({ it: { resource: { type: 'a', fields: { etag: 1 } } } });
  });
});

describe('renaming from snake_case', () => {
  const [operation] = parse('query ($input: SendMessageInput) { __typename }').definitions;
  const deploymentId = '00000000-0000-4000-8000-000000000001';
  const read = (fields: object) => {
    const input = { deployment_id: deploymentId, ...fields };
    return coerceVariables(internalSchema, operation as OperationDefinitionNode, { input }, REST_INPUT).input;
  };

  it('renames the fields of input types at every depth, and ignores unknown fields', () => {
    const part = { type: 'url', mime_type: 'a/b', file_uri: 'https://example.com', mimeType: 'c/d' };
    expect(read({ content: [part], history_limit: 3, historyLimit: 4, extra: 1 })).toEqual({
      deploymentId,
      content: [{ url: { mimeType: 'a/b', fileUri: 'https://example.com' } }],
      historyLimit: 3,
    });
  });

  it('does not rename keys inside JSON values', () => {
    const meta = { camelCase: 1, snake_case: { deeper_still: [{ mime_type: 1 }] } };
    expect(read({ meta })).toEqual({ deploymentId, meta });
  });
});

describe('over HTTP', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.close());

  const LABELS = { camelCase: 'One', snake_case: 'two', history_limit: 'three', conversationId: 'four' };

  it('keys of variables and meta are not renamed', async () => {
    const { body } = await service.chat('Hello', { variables: LABELS, meta: LABELS });
    const read = await service.graphql('query ($id: ID!) { conversation(id: $id) { variables { name value } meta } }', {
      id: body.conversation_id,
    });
    expect(read.body).toEqual({ data: { conversation: { variables: expect.any(Array), meta: LABELS } } });
    expect(byName(read.body.data.conversation.variables)).toEqual(LABELS);
  });

  it('an ordinary conversation has null for its run', async () => {
    const { body } = await service.chat('Hello');
    const read = await service.send('GET', `/v1/runner/conversation/${body.conversation_id}/messages`);
    expect(read.body).toMatchObject({ run_id: null, run_status: null, total: 2 });
    expect(read.body).not.toHaveProperty('run');
  });

  it('errors name fields as in REST', async () => {
    const path = `/v1/runner/${DEMO_CHAT_ID}/conversation`;
    const { body } = await service.send('POST', path, { body: { content: [], history_limit: 'many' } });
    expect(body.error).toMatchObject({ code: 'invalid_request', param: 'history_limit' });
  });
});
