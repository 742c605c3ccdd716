import { describe, expect, it } from 'vitest';
import { LIMITS } from '../../src/contract/limits.ts';
import { longestBlockMs } from '../support/event-loop.ts';
import {
  closeProviders,
  delta,
  end,
  event,
  failureOf,
  reply,
  startProvider,
  step,
  stream,
} from '../support/reply-provider.ts';

closeProviders();

/** Far below the seconds that each of these replies took. The provider runs in the same thread. */
const MOST_MS = 400;
const MIB = 1024 * 1024;
const UNREADABLE = { reason: 'provider_unreadable' };

const call = (fields: object) => delta({ tool_calls: [fields] });
const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);

describe('the event loop is not blocked', () => {
  it.each<[string, string, string]>([
    ['unknown lines', 'openai:any', 'x\n'.repeat(2 * MIB)],
    ['carriage returns', 'openai:any', '\r'.repeat(2 * MIB)],
    ['line feeds with carriage returns between them', 'openai:any', `${'\n'.repeat(65_000)}\r`.repeat(60)],
    ['events of one line break', 'openai:any', `${'data:{}\n'.repeat(500_000)}\n`],
    [
      'pieces that each name their call',
      'openai:any',
      call({ function: { name: 'look', arguments: 'xx' } }).repeat(100_000),
    ],
    ['reasoning in tags', 'openai:any', delta({ content: '<think>a</think>'.repeat(100_000) })],
    ['reasoning in pieces', 'openai:any', delta({ reasoning: 'x' }).repeat(100_000)],
    [
      'blocks without a text',
      'anthropic:any',
      event({ type: 'content_block_start', content_block: { type: 'thinking' } }).repeat(50_000),
    ],
  ])('by %s', async (_description, model, text) => {
    const { url } = await startProvider(stream(text));
    const longestMs = await longestBlockMs(() => failureOf(step(url, model, { onReasoning: async () => {} })));
    expect(longestMs).toBeLessThan(MOST_MS);
  });
});

describe('an event of a provider', () => {
  it.each([
    ['values', `[${'[],'.repeat(100_000)}1]`],
    ['keys', `{${Array.from({ length: 20_000 }, (_, index) => `"k${index}":1`).join()}}`],
    ['levels', nested(2_000)],
  ])('is refused with too many %s', async (_description, json) => {
    const { url } = await startProvider(stream(`data: {"x":${json}}\n\n`, end()));
    expect(await failureOf(step(url))).toMatchObject(UNREADABLE);
  });

  it.each([[7], [['a']], ['text']])('is refused with extra content of a call that is no object: %o', async (extra) => {
    const { url } = await startProvider(
      stream(call({ index: 0, id: 'a', function: { name: 'look', arguments: '{}' }, extra_content: extra }), end()),
    );
    expect(await failureOf(step(url))).toMatchObject(UNREADABLE);
  });

  it.each([[{ type: 'signature_delta', signature: 7 }], [{ type: 'signature_delta', signature: { a: 1 } }]])(
    'is refused with a signature that the adapter would refuse in every later turn: %o',
    async (changes) => {
      const { url } = await startProvider(stream(event({ type: 'content_block_delta', index: 0, delta: changes })));
      expect(await failureOf(step(url, 'anthropic:any'))).toMatchObject(UNREADABLE);
    },
  );
});

describe('the calls of a reply', () => {
  it('are refused if their arguments are too long', async () => {
    const piece = call({ index: 0, function: { arguments: 'x'.repeat(MIB / 4) } });
    const first = call({ index: 0, id: 'a', function: { name: 'look', arguments: '{"a":"' } });
    const { calls } = await reply(first, piece.repeat(4), call({ index: 0, function: { arguments: '"}' } }), end());
    const unreadable = expect.stringContaining('too long');
    expect(calls).toEqual([{ name: 'look', arguments: {}, unreadable }]);
  });

  it('are refused if their arguments have too many levels', async () => {
    const text = `{"a":${nested(100_000)}}`;
    const { calls } = await reply(call({ index: 0, id: 'a', function: { name: 'look', arguments: text } }), end());
    expect(calls).toMatchObject([{ arguments: {}, unreadable: expect.stringContaining('too many values or levels') }]);
  });

  it('have names of a limited length', async () => {
    const name = 'n'.repeat(MIB);
    const { calls } = await reply(call({ index: 0, id: 'a', function: { name, arguments: '{}' } }), end());
    expect(calls[0]?.name).toHaveLength(LIMITS.draftToolNameLength);
  });

  it.each([
    [LIMITS.draftCalls, true],
    [LIMITS.draftCalls + 1, false],
  ])('can be %i: %s', async (count, isRead) => {
    const calls = Array.from({ length: count }, (_, index) => call({ index, function: { name: 'look' } }));
    const read = reply(...calls, end());
    if (isRead) expect((await read).calls).toHaveLength(count);
    else expect(await failureOf(read)).toMatchObject(UNREADABLE);
  });
});

it('signatures without a limit are not kept for later steps', async () => {
  const signature = 's'.repeat(LIMITS.stepMemoryLength);
  const { url } = await startProvider(
    stream(
      event({ type: 'content_block_delta', index: 0, delta: { type: 'signature_delta', signature } }),
      event({ type: 'message_delta', delta: { stop_reason: 'end_turn' } }),
      event({ type: 'message_stop' }),
    ),
  );
  expect((await step(url, 'anthropic:any')).reasoning).toBeUndefined();
});
