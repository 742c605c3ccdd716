import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { HttpResponse } from '../support/client.ts';
import { expectEnvelope, expectError } from '../support/error-bodies.ts';
import { anyJson, anyQuery, anyTurn, deepList, deepObject } from '../support/json-text.ts';
import { SEED } from '../support/seed.ts';
import { DEMO_AGENT_ID, DEMO_CHAT_ID, startService, type TestService } from '../support/service.ts';

const RUNS = { seed: SEED, numRuns: 150 };

let service: TestService;
let conversation: string;
beforeAll(async () => {
  service = await startService();
  conversation = (await service.agentTurn('Hello')).body.conversation_id;
});
afterAll(() => service.close());

const TURNS = [`/v1/runner/${DEMO_CHAT_ID}/conversation`, `/v2/runner/${DEMO_AGENT_ID}/conversation`];

/** Holds for every response: it is not a 5xx, and an error has the standard form. */
function expectOrderly(response: HttpResponse): void {
  expect(response.status).toBeLessThan(500);
  expect(response.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  if (response.status !== 200) expectEnvelope(response);
}

describe('any input gets the standard error form and never a 5xx', () => {
  it('for any body of a turn', async () => {
    let taken = 0;
    const post = async (path: string, raw: string) => {
      const response = await service.send('POST', path, { raw });
      expectOrderly(response);
      if (response.status === 200) taken += 1;
    };
    const path = fc.constantFrom(...TURNS);
    await fc.assert(fc.asyncProperty(path, anyTurn, post), RUNS);
    await fc.assert(fc.asyncProperty(path, anyJson, post), { ...RUNS, numRuns: 30 });
    // If every body were rejected early, the test would prove little.
    expect(taken).toBeGreaterThan(10);
  });

  it('for any text, also text that is not JSON', async () => {
    const post = async (raw: string) => expectOrderly(await service.send('POST', TURNS[0] ?? '', { raw }));
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.string(),
          anyTurn.map((text) => text.slice(0, -1)),
        ),
        post,
      ),
      {
        ...RUNS,
        numRuns: 50,
      },
    );
  });

  it('for any query of the messages and of the history', async () => {
    const path = fc.constantFrom(
      `/v1/runner/conversation/${conversation}/messages`,
      `/v2/runner/${DEMO_AGENT_ID}/conversation/${conversation}/history`,
    );
    const read = async (to: string, query: string) => expectOrderly(await service.send('GET', `${to}?${query}`));
    await fc.assert(fc.asyncProperty(path, anyQuery, read), RUNS);
  });

  it('for any segment of a path', async () => {
    const segment = fc.oneof(
      fc.string({ unit: 'grapheme', minLength: 1 }).map(encodeURIComponent),
      fc.constantFrom('%00', '%', '%ED%A0%80', '__proto__', 'constructor'),
    );
    const read = async (id: string) => {
      expectOrderly(await service.send('GET', `/v1/runner/conversation/${id}/messages`));
      expectOrderly(await service.send('GET', `/v2/runner/${id}/conversation/${id}/history`));
    };
    await fc.assert(fc.asyncProperty(segment, read), { ...RUNS, numRuns: 50 });
  });
});

describe('JSON that is too deep or has too large numbers', () => {
  const text = '{"type":"text","text":"Hello"}';
  const DEEP = [deepList(10_000), deepObject(10_000)];

  const FIELDS: readonly [param: string, bodyWith: (value: string) => string][] = [
    ['content', (value) => `{"content":{"a":${value}}}`],
    ['content[0].text', (value) => `{"content":[{"type":"text","text":${value}}]}`],
    ['content[0].type', (value) => `{"content":[{"type":${value}}]}`],
    ['conversation_id', (value) => `{"content":[${text}],"conversation_id":${value}}`],
    ['history_limit', (value) => `{"content":[${text}],"history_limit":${value}}`],
    ['variables.a', (value) => `{"content":[${text}],"variables":{"a":${value}}}`],
    ['meta.a', (value) => `{"content":[${text}],"meta":{"a":${value}}}`],
  ];

  for (const path of TURNS) {
    it.each(FIELDS)(`is rejected in %s: ${path}`, async (param, bodyWith) => {
      for (const value of [...DEEP, '1e999', '-1e999']) {
        const response = await service.send('POST', path, { raw: bodyWith(value) });
        expectError(response, 'invalid_request');
        // The field, or the value in it that is too deep or too large.
        expect(response.body.error.param.startsWith(param)).toBe(true);
      }
    });

    it(`is rejected at any depth: ${path}`, async () => {
      const raw = `{"content":[${text}],"variables":{"a":${deepList(200_000)}}}`;
      expectError(await service.send('POST', path, { raw }), 'invalid_request', { param: 'variables.a' });
    });

    it(`is rejected in an unknown field too, because walking it costs the same: ${path}`, async () => {
      for (const value of [...DEEP, '1e999']) {
        const raw = `{"content":[${text}],"nope":${value}}`;
        const response = await service.send('POST', path, { raw });
        expectError(response, 'invalid_request');
        expect(response.body.error.param).toMatch(/^nope/);
      }
    });

    it(`is rejected if it has too many keys or items: ${path}`, async () => {
      const many = Array.from({ length: 20_000 }, (_, index) => `"k${index}":"v"`).join();
      const bodies = [
        ['variables', `{"content":[${text}],"variables":{${many}}}`],
        ['meta', `{"content":[${text}],"meta":{${many}}}`],
        ['content', `{"content":[${Array(10_000).fill(text).join()}]}`],
      ] as const;
      for (const [param, raw] of bodies) {
        expectError(await service.send('POST', path, { raw }), 'invalid_request', { param, message: 'at most' });
      }
    });
  }

  it("is rejected in the client's tool results and in the schemas of its tools", async () => {
    const requests = await service.agentTurn('/ask', { client_capabilities: ['ask_user'] });
    const { conversation_id, client_tool_calls } = requests.body;
    const path = TURNS[1] ?? '';
    for (const value of DEEP) {
      const resume = `{"conversation_id":"${conversation_id}","tool_results":[{"call_id":"${client_tool_calls[0].call_id}","output":{"a":${value}}}]}`;
      expectError(await service.send('POST', path, { raw: resume }), 'invalid_request', {
        param: 'tool_results[0].output.a',
      });
      const start = `{"content":[${text}],"client_capabilities":[{"name":"a","input_schema":{"a":${value}}}]}`;
      expectError(await service.send('POST', path, { raw: start }), 'invalid_request', {
        param: 'client_capabilities[0].input_schema.a',
      });
    }
  });

  it('never causes an internal error in a GraphQL response', async () => {
    const document = `mutation ($input: SendMessageInput!) { sendMessage(input: $input) { __typename ... on SendMessagePayload { turn { name } } ... on Error { code message path } } }`;
    const documents = [
      '{a'.repeat(20_000),
      `{ conversations(after: ${deepList(20_000)}) { totalCount } }`,
      '{'.repeat(100),
    ];
    const bodies = [
      ...FIELDS.flatMap(([, bodyWith]) =>
        DEEP.map(
          (value) =>
            `{"query":${JSON.stringify(document)},"variables":{"input":${bodyWith(value).replace('{', `{"deploymentId":"${DEMO_CHAT_ID}",`)}}}`,
        ),
      ),
      ...documents.map((query) => JSON.stringify({ query })),
      ...DEEP.map((value) => `{"query":"{ __typename }","variables":{"a":${value}},"extensions":{"a":${value}}}`),
    ];
    for (const raw of bodies) {
      const { status, body } = await service.send('POST', '/graphql', { raw });
      expect(status).toBeLessThan(500);
      for (const { extensions } of body.errors ?? []) expect(extensions.code).not.toBe('INTERNAL_ERROR');
    }
  });
});
