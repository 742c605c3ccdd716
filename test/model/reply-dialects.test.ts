import { describe, expect, it } from 'vitest';
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

describe('the chunks of chat completions', () => {
  const look = (fields: object) => delta({ tool_calls: [{ index: 0, ...fields }] });

  it.each(['error', 'abort', 'insufficient_system_resource', 'anything'])('fail with the end %s', async (word) => {
    const failed = reply(delta({ content: 'Half ' }), end(word));
    expect(await failureOf(failed)).toMatchObject({ reason: 'provider_failed', partialText: 'Half ' });
  });

  it('are complete after the end, whatever follows', async () => {
    const { url } = await startProvider((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(`${delta({ content: 'Hi' })}${end()}data: {\n\n`, () => response.destroy());
    });
    expect(await step(url)).toMatchObject({ text: 'Hi', finishReason: 'stop' });
  });

  it('are refused as a call if a piece belongs to no call', async () => {
    const named = { id: 'a', function: { name: 'look', arguments: '' } };
    const { calls } = await reply(
      look(named),
      look({ id: 'b', function: { arguments: '{"at":2}' } }),
      end('tool_calls'),
    );
    const unreadable = expect.stringContaining('did not arrive as one call');
    expect(calls).toEqual([{ name: 'look', arguments: {}, unreadable }]);
  });

  it('are refused as a call with a number that is too large', async () => {
    const { calls } = await reply(look({ function: { name: 'look', arguments: '{"at":9007199254740993}' } }), end());
    const unreadable = 'The number 9007199254740993 is too large to be exact. Send it as a string.';
    expect(calls).toEqual([{ name: 'look', arguments: {}, unreadable }]);
  });
});

describe('the events of messages', () => {
  const call = (input: object, ...pieces: readonly string[]) =>
    stream(
      event({
        type: 'content_block_start',
        index: 0,
        content_block: { type: 'tool_use', id: 't', name: 'look', input },
      }),
      ...pieces.map((partial_json) =>
        event({ type: 'content_block_delta', index: 0, delta: { partial_json, type: '' } }),
      ),
      event({ type: 'message_delta', usage: { output_tokens: 3 } }),
      event({ type: 'message_delta', delta: { stop_reason: 'tool_use' } }),
      event({ type: 'message_stop' }),
    );

  it('can have the input of a call twice, unless it differs', async () => {
    const same = await startProvider(call({ at: 1 }, '{"at":', ' 1}'));
    expect((await step(same.url, 'anthropic:any')).calls).toEqual([{ name: 'look', arguments: { at: 1 } }]);
    const other = await startProvider(call({ at: 1 }, '{"at":2}'));
    const [refused] = (await step(other.url, 'anthropic:any')).calls;
    expect(refused).toMatchObject({ arguments: {}, unreadable: expect.stringContaining('did not arrive as one call') });
  });
});
