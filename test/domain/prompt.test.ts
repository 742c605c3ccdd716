import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ContentPart } from '../../src/contract/content.ts';
import { CALL_KINDS, CALL_STATUSES } from '../../src/contract/statuses.ts';
import type { ModelMessage } from '../../src/domain/agent/model-port.ts';
import { compilePrompt } from '../../src/domain/agent/prompt/compile-prompt.ts';
import type { TimelineEntry } from '../../src/domain/conversations/timeline.ts';
import { type FakeProvider, startFakeProvider } from '../support/fake-provider.ts';
import { modelsAt } from '../support/provider-models.ts';
import '../support/seed.ts';

const text = fc.string({ minLength: 1, maxLength: 20 }).filter((value) => value.trim() !== '');
const userPart: fc.Arbitrary<ContentPart> = fc.oneof(
  fc.record({ type: fc.constant('text' as const), text }),
  fc.constant({ type: 'data' as const, mimeType: 'image/png', data: 'aGVsbG8=' }),
);
const call = fc.record({
  kind: fc.constantFrom(...CALL_KINDS),
  name: fc.constantFrom('ask_user', 'lookup_customer', 'complete_conversation'),
  arguments: fc.dictionary(fc.constantFrom('a', 'b'), fc.jsonValue({ maxDepth: 1 })),
  status: fc.constantFrom(...CALL_STATUSES),
  output: fc.option(fc.dictionary(fc.constantFrom('x', 'y'), fc.jsonValue({ maxDepth: 1 })), { nil: null }),
});
const step = fc.record({ said: fc.option(text, { nil: undefined }), calls: fc.array(call, { maxLength: 3 }) });
const turn = fc.record({
  said: fc.array(userPart, { minLength: 1, maxLength: 3 }),
  steps: fc.array(step, { maxLength: 4 }),
});

/** Timelines as turns leave them: failed turns without a reply, dead ones with calls without a result. */
const timeline = fc.array(turn, { minLength: 1, maxLength: 5 }).map((turns) => {
  const entries: TimelineEntry[] = [];
  const add = (entry: object) => entries.push({ ...entry, id: BigInt(entries.length + 1) } as TimelineEntry);
  for (const [number, { said, steps }] of turns.entries()) {
    const runId = `run-${number}`;
    add({ runId, step: 0, kind: 'message', role: 'user', content: said });
    for (const [index, { said: words, calls }] of steps.entries()) {
      const at = { runId, step: index + 1 };
      if (words) add({ ...at, kind: 'message', role: 'assistant', content: [{ type: 'text', text: words }] });
      for (const made of calls) add({ ...at, ...made, callId: `call_${entries.length}` });
    }
  }
  // The current user message.
  add({ runId: 'run-now', step: 0, kind: 'message', role: 'user', content: [{ type: 'text', text: 'Continue.' }] });
  return entries;
});

/** The rules of the providers. Every call has exactly one result, in the next message. */
function checkMessages(messages: readonly ModelMessage[]): void {
  expect(messages[0]?.role).toBe('user');
  expect(messages.at(-1)?.role).toBe('user');
  for (const [index, message] of messages.entries()) {
    const calls = idsOf(message, 'tool-call');
    const next = messages[index + 1];
    expect(next?.role === 'tool' ? idsOf(next, 'tool-result') : []).toEqual(calls);
    if (message.role === 'assistant') expect(message.content.length).toBeGreaterThan(0);
  }
}

function idsOf({ content }: ModelMessage, type: 'tool-call' | 'tool-result'): string[] {
  if (typeof content === 'string') return [];
  return content.flatMap((part) => (part.type === type ? [part.toolCallId] : []));
}

describe('prompts compiled from any timeline', () => {
  it('follow the rules of the providers, with exactly one result right after every tool call', () => {
    const check = (entries: TimelineEntry[]) => checkMessages(compilePrompt(entries));
    fc.assert(fc.property(timeline, check), { seed: 4, numRuns: 300 });
  });

  it.each([
    ['client_tool', 'cancelled', /^This call was interrupted before it had a result\.$/],
    ['action', 'failed', /Whether it did anything is not known/],
    ['tool', 'failed', /Whether it did anything is not known/],
  ] as const)('says of a call without a result that it was interrupted: %s', (kind, status, says) => {
    const entries = [
      { id: 1n, runId: 'r', step: 0, kind: 'message', role: 'user', content: [{ type: 'text', text: 'Hi' }] },
      {
        id: 2n,
        runId: 'r',
        step: 1,
        kind,
        callId: 'call_1',
        name: 'ask_user',
        arguments: {},
        status,
        output: null,
      },
    ] as const satisfies TimelineEntry[];
    expect(compilePrompt(entries)[2]).toMatchObject({
      role: 'tool',
      content: [{ toolCallId: 'call_1', output: { type: 'error-text', value: expect.stringMatching(says) } }],
    });
  });
});

type Wire = { role: string; content: unknown; tool_calls?: { id: string }[]; tool_call_id?: string };

/** OpenAI: the results of an assistant's calls follow it immediately, one per call, and occur nowhere else. */
function checkOpenAi(messages: readonly Wire[]): void {
  let open: string[] = [];
  for (const { role, tool_calls, tool_call_id } of messages) {
    if (role === 'tool') {
      expect(open).toContain(tool_call_id);
      open = open.filter((id) => id !== tool_call_id);
      continue;
    }
    expect(open).toEqual([]);
    open = (tool_calls ?? []).map(({ id }) => id);
  }
  expect(open).toEqual([]);
}

type Block = { type: string; id?: string; tool_use_id?: string };

/** Anthropic: user and assistant alternate, and the next message answers every tool_use. */
function checkAnthropic(messages: readonly Wire[]): void {
  let asked: (string | undefined)[] = [];
  for (const [index, { role, content }] of messages.entries()) {
    expect(role).toBe(index % 2 === 0 ? 'user' : 'assistant');
    const blocks = content as Block[];
    const results = blocks.filter(({ type }) => type === 'tool_result').map((block) => block.tool_use_id);
    expect(results).toEqual(asked);
    expect(blocks.slice(0, results.length).every(({ type }) => type === 'tool_result')).toBe(true);
    asked = blocks.filter(({ type }) => type === 'tool_use').map(({ id }) => id);
  }
  expect(asked).toEqual([]);
}

describe('the requests to providers', () => {
  let provider: FakeProvider;
  beforeAll(async () => {
    provider = await startFakeProvider();
    provider.reply({ kind: 'answer', deltas: ['ok'] });
  });
  afterAll(() => provider.close());

  it.each([
    ['openai:gpt', checkOpenAi],
    ['anthropic:claude', checkAnthropic],
  ] as const)('keeps the message rules of %s for any timeline', async (model, check) => {
    const models = modelsAt(provider.url);
    const run = async (entries: TimelineEntry[]) => {
      const sent = provider.nextRequest();
      const messages = compilePrompt(entries);
      const signal = new AbortController().signal;
      await models.step({ model, instructions: '', messages, tools: [], timeoutMs: 10_000, signal });
      check((await sent).body.messages as Wire[]);
    };
    await fc.assert(fc.asyncProperty(timeline, run), { seed: 4, numRuns: 40 });
  });
});
