import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildClientSchema, buildSchema, getIntrospectionQuery, lexicographicSortSchema, printSchema } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEMO_AGENT_ID } from '../../src/domain/first-start.ts';
import type { HttpResponse } from '../support/client.ts';
import { ROOT } from '../support/database.ts';
import { expectGraphqlError } from '../support/error-bodies.ts';
import { DEMO_CHAT_ID, startService, type TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

/** Documents that name a member of the internal schema, and the start of the message. */
const HIDDEN = [
  { name: 'a root field', query: '{ conversationPage { total } }', says: 'Cannot query field "conversationPage"' },
  {
    name: 'a field',
    query: '{ conversations { nodes { messagePage { total } } } }',
    says: 'Cannot query field "messagePage"',
  },
  {
    name: 'a misspelled root field',
    query: '{ conversationPages { total } }',
    says: 'Cannot query field "conversationPages"',
  },
  { name: 'a type', query: '{ node(id: "x") { ... on TriggerPage { total } } }', says: 'Unknown type "TriggerPage"' },
];

/** Sends a document. Returns the response's body, or the first event of a stream. */
const WAYS: Readonly<Record<string, (query: string) => Promise<HttpResponse['body']>>> = {
  POST: async (query) => (await service.send('POST', '/graphql', { body: { query } })).body,
  GET: async (query) => (await service.send('GET', `/graphql?query=${encodeURIComponent(query)}`)).body,
  async '/graphql/stream'(query) {
    const headers = { accept: 'text/event-stream' };
    const { body } = await service.send('POST', '/graphql/stream', { body: { query }, headers });
    return JSON.parse(/^data: (\{.*)$/m.exec(body)?.[1] ?? '{}');
  },
};

describe.each(Object.entries(WAYS))('the public schema at %s', (_way, send) => {
  it.each(HIDDEN)('has no internal member: $name', async ({ query, says }) => {
    const { errors, data } = await send(query);
    expect(data).toBeUndefined();
    expect(errors[0]).toMatchObject({
      message: expect.stringContaining(says),
      extensions: { code: 'INVALID_REQUEST', status: 400 },
    });
    expect(errors[0].message.split('Did you mean')[1] ?? '').not.toContain('Page"');
  });
});

describe('the public schema', () => {
  it('has no internal input field, in a literal and in a variable', async () => {
    const resume = (input: string, variables = '') =>
      `mutation ${variables} { runAgentTurn(input: ${input}) { __typename ... on RunAgentTurnPayload { turn { __typename } } ... on Error { code message path } } }`;
    expectGraphqlError(
      await service.graphql(resume(`{ deploymentId: "${DEMO_AGENT_ID}", toolResults: [] }`)),
      'invalid_request',
      {
        message: /^Field "toolResults" is not defined by type "RunAgentTurnInput"\.$/,
      },
    );
    const send = async (field: string) => {
      const { body } = await service.graphql(resume('$input', '($input: RunAgentTurnInput!)'), {
        input: { deploymentId: DEMO_AGENT_ID, [field]: [] },
      });
      return body.errors[0].message.replaceAll(field, 'FIELD');
    };
    expect(await send('toolResults')).toBe(await send('nothing'));
  });

  it('is what introspection shows', async () => {
    const { body } = await service.graphql(getIntrospectionQuery({ specifiedByUrl: true, oneOf: true }));
    const committed = buildSchema(readFileSync(join(ROOT, 'schema/schema.graphql'), 'utf8'));
    // Introspection does not show applied directives, and `printSchema` does not print them.
    const [shown, expected] = [buildClientSchema(body.data), committed].map((one) =>
      printSchema(lexicographicSortSchema(one)),
    );
    expect(shown).toBe(expected);
    const hidden = await service.graphql('{ __type(name: "ConversationPage") { name } }');
    expect(hidden.body).toEqual({ data: { __type: null } });
  });
});

describe('a REST document', () => {
  it('reads internal fields', async () => {
    const { body } = await service.chat('Hello');
    const path = `/v1/runner/conversation/${body.conversation_id}/messages?page_size=1`;
    expect((await service.send('GET', path)).body).toMatchObject({ total: 2, page_size: 1, progress: [] });
    const list = await service.send('GET', `/v1/runner/${DEMO_CHAT_ID}/conversations`);
    expect(list.body).toMatchObject({ total: 1, page: 1, has_more: false });
  });
});
