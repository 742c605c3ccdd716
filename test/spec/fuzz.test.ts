import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Answer } from '../support/client.ts';
import { expectEnvelope, expectError } from '../support/error-bodies.ts';
import { anyJson, anyQuery, anyTurn, deepList, deepObject } from '../support/json-text.ts';
import { DEMO_AGENT_ID, DEMO_CHAT_ID, startService, type TestService } from '../support/service.ts';

/** Fixed, so that a failure comes again. */
const RUNS = { seed: 20260131, numRuns: 150 };

let service: TestService;
let conversation: string;
beforeAll(async () => {
  service = await startService();
  conversation = (await service.agentTurn('Hello')).body.conversation_id;
});
afterAll(() => service.close());

const TURNS = [`/v1/runner/${DEMO_CHAT_ID}/conversation`, `/v2/runner/${DEMO_AGENT_ID}/conversation`];

/** What holds for any answer to anything: it is no fault of the service, and an error has the one form. */
function expectOrderly(answer: Answer): void {
  expect(answer.status).toBeLessThan(500);
  expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  if (answer.status !== 200) expectEnvelope(answer);
}

describe('WIRE 3: whatever is sent, an error has the one form and is never a 5xx', () => {
  it('for any body of a turn', async () => {
    let taken = 0;
    const post = async (path: string, raw: string) => {
      const answer = await service.send('POST', path, { raw });
      expectOrderly(answer);
      if (answer.status === 200) taken += 1;
    };
    const path = fc.constantFrom(...TURNS);
    await fc.assert(fc.asyncProperty(path, anyTurn, post), RUNS);
    await fc.assert(fc.asyncProperty(path, anyJson, post), { ...RUNS, numRuns: 30 });
    // Bodies that are all refused at the first look would prove little.
    expect(taken).toBeGreaterThan(10);
  });

  it('for any text that may be no JSON at all', async () => {
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

describe('WIRE 1: JSON that is nested or numbered beyond measure', () => {
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
    it.each(FIELDS)(`is refused in %s: ${path}`, async (param, bodyWith) => {
      for (const value of [...DEEP, '1e999', '-1e999']) {
        expectError(await service.send('POST', path, { raw: bodyWith(value) }), 'invalid_request', { param });
      }
    });

    it(`is refused however deep it is: ${path}`, async () => {
      const raw = `{"content":[${text}],"variables":{"a":${deepList(200_000)}}}`;
      expectError(await service.send('POST', path, { raw }), 'invalid_request', { param: 'variables.a' });
    });

    it(`is ignored in an unknown field: ${path}`, async () => {
      for (const value of [...DEEP, '1e999']) {
        const raw = `{"content":[{"nope":${value},${text.slice(1)}],"nope":${value}}`;
        expect((await service.send('POST', path, { raw })).status).toBe(200);
      }
    });

    it(`is refused where keys or items are beyond number: ${path}`, async () => {
      const many = Array.from({ length: 20_000 }, (_, index) => `"k${index}":"v"`).join();
      const bodies = [
        ['variables', `{"content":[${text}],"variables":{${many}}}`],
        ['meta', `{"content":[${text}],"meta":{${many}}}`],
        ['content', `{"content":[${Array(20_000).fill(text).join()}]}`],
      ] as const;
      for (const [param, raw] of bodies) {
        expectError(await service.send('POST', path, { raw }), 'invalid_request', { param, message: 'at most' });
      }
    });
  }

  it('is refused in what the client made of a call, and in the schemas of its tools', async () => {
    const asked = await service.agentTurn('/ask', { client_capabilities: ['ask_user'] });
    const { conversation_id, client_tool_calls } = asked.body;
    const path = TURNS[1] ?? '';
    for (const value of DEEP) {
      const resume = `{"conversation_id":"${conversation_id}","tool_results":[{"call_id":"${client_tool_calls[0].call_id}","output":{"a":${value}}}]}`;
      expectError(await service.send('POST', path, { raw: resume }), 'invalid_request', { param: 'tool_results[0]' });
      const start = `{"content":[${text}],"client_capabilities":[{"name":"a","input_schema":{"a":${value}}}]}`;
      expectError(await service.send('POST', path, { raw: start }), 'invalid_request', {
        param: 'client_capabilities[0]',
      });
    }
  });

  it('never makes a GraphQL answer an internal error', async () => {
    const document = `mutation ($input: MessageInput!) { sendMessage(deploymentId: "${DEMO_CHAT_ID}", input: $input) { name } }`;
    const documents = [
      '{a'.repeat(20_000),
      `{ conversations(after: ${deepList(20_000)}) { totalCount } }`,
      '{'.repeat(100),
    ];
    const bodies = [
      ...FIELDS.flatMap(([, bodyWith]) =>
        DEEP.map((value) => `{"query":${JSON.stringify(document)},"variables":{"input":${bodyWith(value)}}}`),
      ),
      ...documents.map((query) => JSON.stringify({ query })),
      ...DEEP.map((value) => `{"query":"{ __typename }","variables":{"a":${value}},"extensions":{"a":${value}}}`),
    ];
    for (const raw of bodies) {
      const { status, body } = await service.send('POST', '/graphql', { raw });
      expect(status).toBe(200);
      for (const { extensions } of body.errors ?? []) expect(extensions.code).not.toBe('internal_error');
    }
  });
});
