import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AGENT_APIS, type AgentApi, type Call, type TurnOutcome, textContent } from '../support/agent-apis.ts';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

/** Pauses a new conversation with a script. Returns the pending calls. */
async function pause(api: AgentApi, script: string, capabilities: readonly unknown[]) {
  const turn = await api.turn(service, { content: textContent(script), client_capabilities: capabilities });
  expect(turn).toMatchObject({ status: 200, runStatus: 'waiting_for_client_action' });
  return { conversationId: turn.conversationId ?? '', calls: turn.calls ?? [] };
}

function send(api: AgentApi, conversationId: string, call: Call | undefined, output: unknown): Promise<TurnOutcome> {
  return api.turn(service, {
    conversation_id: conversationId,
    tool_results: [{ call_id: call?.call_id ?? '', output }],
  });
}

const QUESTIONS = [
  { id: 'name', question: 'Your name?', input_type: 'text' },
  { id: 'size', question: 'Which size?', input_type: 'single_select', options: ['S', 'M'] },
  { id: 'colours', question: 'Which colours?', input_type: 'multi_select', options: ['red', 'blue'] },
];
const ASK = `/call ask_user ${JSON.stringify({ questions: QUESTIONS })}\n/say thanks`;
const ANSWERS = [
  { id: 'name', value: 'Ann' },
  { id: 'size', value: 'M' },
  { id: 'colours', value: ['red'] },
];

/** The valid answers with one changed. */
function withAnswer(id: string, value: unknown) {
  return { answers: ANSWERS.map((response) => (response.id === id ? { id, value } : response)) };
}

const ASK_USER_GOOD: [string, unknown][] = [
  ['one answer for every question', { answers: ANSWERS }],
  ['answers in another order', { answers: [...ANSWERS].reverse() }],
  ['an option that was not offered, because people answer "other"', withAnswer('size', 'XL')],
  ['no choice of several', withAnswer('colours', [])],
  ['all choices of several', withAnswer('colours', ['red', 'blue'])],
];

const at = (path: string) => `tool_results[0].output${path}`;
const ASK_USER_BAD: [string, unknown, string][] = [
  ['no answers', {}, at('.answers')],
  ['answers that are no list', { answers: { name: 'Ann' } }, at('.answers')],
  ['an answer that is not an object', { answers: ['Ann'] }, at('.answers[0]')],
  ['a question left out', { answers: ANSWERS.slice(0, 2) }, at('.answers')],
  ['a question answered twice', { answers: [...ANSWERS, ANSWERS[0]] }, at('.answers[3].id')],
  ['a question that was not asked', { answers: [...ANSWERS, { id: 'age', value: '7' }] }, at('.answers[3].id')],
  ['an empty text', withAnswer('name', ''), at('.answers[0].value')],
  ['a blank text', withAnswer('name', '  '), at('.answers[0].value')],
  ['a text that is a number', withAnswer('name', 7), at('.answers[0].value')],
  ['a single choice that is a list', withAnswer('size', ['M']), at('.answers[1].value')],
  ['an empty single choice', withAnswer('size', ''), at('.answers[1].value')],
  ['several choices that are a string', withAnswer('colours', 'red'), at('.answers[2].value')],
  ['several choices that hold a number', withAnswer('colours', ['red', 7]), at('.answers[2].value')],
  ['an answer without a value', { answers: [{ id: 'name' }, ...ANSWERS.slice(1)] }, at('.answers[0].value')],
];

const URL_PART = { type: 'url', mime_type: 'application/pdf', file_uri: 'https://files.example/a.pdf' };
const DATA_PART = { type: 'data', mime_type: 'text/plain', data: 'aGVsbG8=' };
const UPLOAD_GOOD: [string, unknown][] = [
  ['a url part', { content: [URL_PART] }],
  ['a data part', { content: [DATA_PART] }],
  ['a text next to a file', { content: [{ type: 'text', text: 'here' }, DATA_PART] }],
];
const UPLOAD_BAD: [string, unknown, string][] = [
  ['no content', {}, at('.content')],
  ['empty content', { content: [] }, at('.content')],
  ['only text', { content: [{ type: 'text', text: 'here' }] }, at('.content')],
  ['a url part without file_uri', { content: [{ ...URL_PART, file_uri: undefined }] }, at('.content[0].file_uri')],
  ['a url part without mime_type', { content: [{ ...URL_PART, mime_type: undefined }] }, at('.content[0].mime_type')],
  ['a url that is a path', { content: [{ ...URL_PART, file_uri: '/etc/passwd' }] }, at('.content[0].file_uri')],
  ['data that is not base64', { content: [{ ...DATA_PART, data: '???' }] }, at('.content[0].data')],
  ['a part of an unknown type', { content: [{ ...DATA_PART, type: 'zip' }] }, at('.content[0].type')],
];

const UPLOAD = '/call upload_document {"prompt":"Your contract"}\n/say thanks';

for (const api of AGENT_APIS) {
  describe(`through ${api.name}`, () => {
    const tools = [
      { name: 'ask_user', script: ASK, good: ASK_USER_GOOD, bad: ASK_USER_BAD },
      { name: 'upload_document', script: UPLOAD, good: UPLOAD_GOOD, bad: UPLOAD_BAD },
    ];
    for (const { name, script, good, bad } of tools) {
      it.each(good)(`accepts from ${name} %s`, async (_description, output) => {
        const { conversationId, calls } = await pause(api, script, [name]);
        const outcome = await send(api, conversationId, calls[0], output);
        expect(outcome).toMatchObject({ status: 200, runStatus: 'completed', content: 'thanks' });
      });

      it(`rejects from ${name} every invalid result, names the field, and keeps waiting`, async () => {
        const { conversationId, calls } = await pause(api, script, [name]);
        for (const [description, output, param] of bad) {
          const outcome = await send(api, conversationId, calls[0], output);
          expect({ what: description, ...outcome }).toMatchObject({
            what: description,
            status: 400,
            code: 'invalid_tool_result',
          });
          expect({ what: description, param: outcome.error?.param }).toEqual({
            what: description,
            param: api.name === 'REST' ? param : param.replace('tool_results', 'toolResults'),
          });
        }
        expect(await send(api, conversationId, calls[0], good[0]?.[1])).toMatchObject({ status: 200 });
      });
    }

    it('accepts any object from a custom tool and passes it to the model', async () => {
      const { conversationId, calls } = await pause(api, '/call lookup_customer {"customer_id":"1"}', [
        'lookup_customer',
      ]);
      const output = { name: 'Ann', nested: { list: [1, 2.5, null, true] }, camelCase: 1, snake_case: 2 };
      const outcome = await send(api, conversationId, calls[0], output);
      expect(JSON.parse(outcome.content ?? '')).toEqual([{ name: 'lookup_customer', output }]);
    });

    it('resolves 16 pending calls of one round only together', async () => {
      const script = Array.from({ length: 16 }, (_, index) => `/call lookup_customer {"customer_id":"${index}"}`);
      const { conversationId, calls } = await pause(api, script.join(' && '), ['lookup_customer']);
      expect(calls.map((call) => call.arguments.customer_id)).toEqual(script.map((_, index) => String(index)));
      const alone = await send(api, conversationId, calls[0], {});
      expect(alone).toMatchObject({ status: 400, code: 'missing_tool_results' });
      expect(alone.error?.call_ids).toEqual(calls.slice(1).map(({ call_id }) => call_id));
      const twice = [...calls, calls[0] as Call].map(({ call_id }) => ({ call_id, output: {} }));
      expect(await api.turn(service, { conversation_id: conversationId, tool_results: twice })).toMatchObject({
        code: 'invalid_tool_result',
      });
      const results = calls.map(({ call_id }, index) => ({ call_id, output: { index } }));
      const outcome = await api.turn(service, { conversation_id: conversationId, tool_results: results });
      expect(JSON.parse(outcome.content ?? '')).toHaveLength(16);
    });

    it.each([
      ['no output', undefined],
      ['a null output', null],
      ['a list as output', [1]],
      ['a text as output', 'done'],
    ])('returns invalid_tool_result for %s before it looks up the call', async (_description, output) => {
      const { conversationId, calls } = await pause(api, ASK, ['ask_user']);
      const unknown = { call_id: 'call_unknown' } as Call;
      for (const call of [calls[0], unknown]) {
        const outcome = await send(api, conversationId, call, output);
        expect(outcome).toMatchObject({ status: 400, code: 'invalid_tool_result' });
        expect(outcome.error?.param).toBe(api.name === 'REST' ? 'tool_results[0].output' : 'toolResults[0].output');
      }
      expect(await send(api, conversationId, unknown, {})).toMatchObject({ status: 400, code: 'unknown_call_id' });
    });

    it('rejects a resume with content, first-message fields or no conversation', async () => {
      const { conversationId, calls } = await pause(api, ASK, ['ask_user']);
      const results = [{ call_id: calls[0]?.call_id ?? '', output: { answers: ANSWERS } }];
      const rejected = [
        await api.turn(service, {
          conversation_id: conversationId,
          tool_results: results,
          content: textContent('Hi'),
        }),
        await api.turn(service, { tool_results: results }),
      ];
      for (const outcome of rejected) expect(outcome).toMatchObject({ status: 400, code: 'invalid_request' });
      // In GraphQL, a resume has no content field.
      const withContent = api.name === 'REST' && { content: [] };
      expect(
        await api.turn(service, { conversation_id: conversationId, tool_results: results, ...withContent }),
      ).toMatchObject({ status: 200, content: 'thanks' });
    });
  });
}
