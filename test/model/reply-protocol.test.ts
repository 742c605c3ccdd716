import { once } from 'node:events';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { LIMITS } from '../../src/contract/limits.ts';
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

const UNREADABLE = { reason: 'provider_unreadable' };

describe('a response that a hostile provider sends', () => {
  it('fails if one of its events exceeds the limit', async () => {
    const { url } = await startProvider((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(delta({ content: 'Half ' }));
      response.write(`data: ${'x'.repeat(LIMITS.providerEventLength + 1)}`);
    });
    expect(await failureOf(step(url))).toMatchObject({ ...UNREADABLE, partialText: 'Half ' });
  });

  it('fails if it exceeds the limit of bytes, and its connection is closed', async () => {
    let closed: Promise<unknown> | undefined;
    const { url } = await startProvider((response) => {
      closed = once(response, 'close');
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const ping = `: ${'x'.repeat(1024 * 1024)}\n\n`;
      const write = (failed?: Error | null): void => {
        if (!failed) response.write(ping, write);
      };
      write();
    });
    expect(await failureOf(step(url))).toMatchObject(UNREADABLE);
    await closed;
  });

  it('fails if it is compressed, although the request does not allow it', async () => {
    const { url } = await startProvider((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'content-encoding': 'gzip' });
      response.end(gzipSync(delta({ content: 'Hi' }) + end()));
    });
    expect(await failureOf(step(url))).toMatchObject(UNREADABLE);
  });

  it.each(['7', '[]', '{"choices":[7]}', '{"choices":[{"delta":{"content":7}}]}', '{'])(
    'fails at the event %s',
    async (data) => {
      const { url } = await startProvider(stream(`data: ${data}\n\n`, end()));
      expect(await failureOf(step(url))).toMatchObject(UNREADABLE);
    },
  );

  it('is read up to a limit if it is an error', async () => {
    const { url } = await startProvider((response) => {
      response.writeHead(400, { 'content-type': 'application/json' });
      const write = (failed?: Error | null): void => {
        if (!failed) response.write('x'.repeat(64 * 1024), write);
      };
      write();
    });
    expect(await failureOf(step(url))).toMatchObject({ reason: 'provider_refused' });
  });

  it('can have a status without a body', async () => {
    const { url } = await startProvider((response) => void response.writeHead(304).end());
    expect(await failureOf(step(url))).toMatchObject({ reason: 'provider_disconnected' });
  });

  it('ends a step after the end of the reply, although the response does not end', async () => {
    const { url } = await startProvider((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const counts = event({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 1 } });
      response.write(counts + event({ type: 'message_stop' }));
    });
    expect(await step(url, 'anthropic:any')).toMatchObject({ text: '', finishReason: 'stop', outputTokens: 1 });
  });
});

describe('a provider that redirects the request', () => {
  it('is followed with the request', async () => {
    const { url } = await startProvider(
      (response) => void response.writeHead(308, { location: '/v2/chat/completions' }).end(),
      (response, path) => stream(delta({ content: path }), end())(response, path),
    );
    expect(await step(url)).toMatchObject({ text: '/v2/chat/completions' });
  });

  it.each([301, 302, 303, 307, 308])('is not followed to another origin, with status %i', async (status) => {
    const other = await startProvider(stream(delta({ content: 'Stolen' }), end()));
    const provider = await startProvider(
      (response) => void response.writeHead(status, { location: `${other.url}/chat/completions` }).end(),
    );
    for (const model of ['openai:any', 'anthropic:any']) {
      expect(await failureOf(step(provider.url, model))).toMatchObject({ reason: 'provider_refused' });
    }
    expect(other.count()).toBe(0);
  });

  it('is not followed without a limit, or to what is no address', async () => {
    for (const location of ['/v1/chat/completions', 'http://', '']) {
      const provider = await startProvider((response) => void response.writeHead(307, { location }).end());
      expect(await failureOf(step(provider.url))).toMatchObject({ reason: 'provider_refused' });
      expect(provider.count()).toBeLessThanOrEqual(6);
    }
  });
});

describe('an error that comes instead of a reply', () => {
  it.each([
    ['openai:any', event({ error: { message: 'busy', type: 'server_error' } })],
    ['openai:any', event({ error: { message: 'busy', code: 503 } })],
    ['openai:any', event({ error: { message: 'slow down', type: 'rate_limit_exceeded' } })],
    ['anthropic:any', event({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } })],
  ])('is repeated like a response with its status, by %s', async (model, error) => {
    const done = model.startsWith('openai')
      ? [delta({ content: 'Now.' }), end()]
      : [
          event({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Now.' } }),
          event({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: {} }),
          event({ type: 'message_stop' }),
        ];
    const provider = await startProvider(stream(error), stream(...done));
    expect(await step(provider.url, model)).toMatchObject({ text: 'Now.' });
    expect(provider.count()).toBe(2);
  });

  it.each([
    [{ type: 'insufficient_quota', message: 'pay' }, 'provider_limited'],
    [{ type: 'authentication_error', message: 'who' }, 'provider_key_rejected'],
    [{ type: 'invalid_request_error', message: 'what' }, 'provider_refused'],
    [{ type: 'not_found_error', message: 'which' }, 'provider_model_unknown'],
  ])('is not repeated if that would not help: %o', async (error, reason) => {
    const provider = await startProvider(stream(event({ error })));
    expect(await failureOf(step(provider.url))).toMatchObject({ reason });
    expect(provider.count()).toBe(1);
  });

  it('is not repeated after the first text', async () => {
    const provider = await startProvider(stream(delta({ content: 'Half ' }), event({ error: { message: 'busy' } })));
    expect(await failureOf(step(provider.url))).toMatchObject({ partialText: 'Half ' });
    expect(provider.count()).toBe(1);
  });
});

describe('the chunks of chat completions', () => {
  it('can have the pieces of several calls in turn', async () => {
    const call = (index: number, fields: object) => delta({ tool_calls: [{ index, ...fields }] });
    const { calls } = await reply(
      call(0, { id: 'a', type: 'function', function: { name: 'look', arguments: '{"at"' } }),
      call(1, { id: 'b', type: 'function', function: { name: 'look', arguments: '' } }),
      call(0, { function: { arguments: ':1}' } }),
      call(1, { function: { arguments: '{"at":2}' } }),
      end('tool_calls'),
    );
    expect(calls.map((call) => call.arguments)).toEqual([{ at: 1 }, { at: 2 }]);
  });

  it('can have the name of a call after its first arguments', async () => {
    const { calls } = await reply(
      delta({ tool_calls: [{ index: 0, id: 'a', function: { arguments: '{"at"' } }] }),
      delta({ tool_calls: [{ index: 0, function: { name: 'look', arguments: ':1}' } }] }),
      end('tool_calls'),
    );
    expect(calls).toEqual([{ name: 'look', arguments: { at: 1 } }]);
  });

  it.each([[{ arguments: '{}' }], [{ name: '', arguments: '{}' }]])(
    'can have a call without a name, which does not run: %o',
    async (its) => {
      const { calls } = await reply(delta({ tool_calls: [{ index: 0, id: 'a', function: its }] }), end());
      expect(calls).toEqual([{ name: 'unnamed', arguments: {}, unreadable: 'There is no tool named unnamed.' }]);
    },
  );

  it('can have content in parts, with reasoning', async () => {
    const thinking = { type: 'thinking', thinking: [{ type: 'text', text: 'Hm.' }] };
    const heard: string[] = [];
    const { url } = await startProvider(
      stream(delta({ content: [thinking, { type: 'text', text: 'Good ' }] }), delta({ content: 'day.' }), end()),
    );
    const onReasoning = (text: string) => void heard.push(text);
    expect(await step(url, 'openai-compatible:any', { onReasoning })).toMatchObject({ text: 'Good day.' });
    expect(heard).toEqual(['Hm.']);
  });

  it('end with content_filter after a refusal', async () => {
    const refused = await reply(delta({ refusal: 'I cannot help.' }), end());
    expect(refused).toMatchObject({ text: 'I cannot help.', finishReason: 'content_filter' });
  });

  it.each([
    ['1e999', Number.MAX_SAFE_INTEGER],
    ['-1e999', -Number.MAX_SAFE_INTEGER],
    ['"7"', 0],
    ['null', 0],
  ])('can have the token count %s', async (count, expected) => {
    const usage = `data: {"choices":[],"usage":{"prompt_tokens":${count},"completion_tokens":2}}\n\n`;
    expect(await reply(delta({ content: 'Hi' }), end(), usage)).toMatchObject({
      inputTokens: expected,
      outputTokens: 2,
    });
  });

  it.each([
    ['prompt_tokens_details of another form', '"prompt_tokens_details":["a"]', [0, 0]],
    ['a text', '"prompt_tokens_details":{"cached_tokens":"7"},"cached_tokens":"7"', [0, 0]],
    ['null', '"prompt_tokens_details":null,"prompt_cache_hit_tokens":null', [0, 0]],
    ['several names', '"prompt_tokens_details":{"cached_tokens":0},"cached_tokens":8', [8, 0]],
    ['tokens written to the cache', '"prompt_tokens_details":{"cached_tokens":8,"cache_write_tokens":3}', [8, 3]],
  ])('can count the tokens of the cache as %s', async (_form, counts, [cached, written]) => {
    const usage = `data: {"choices":[],"usage":{"prompt_tokens":12,${counts},"completion_tokens":2}}\n\n`;
    expect(await reply(delta({ content: 'Hi' }), end(), usage)).toMatchObject({
      ...{ inputTokens: 12, cachedInputTokens: cached, cacheWriteTokens: written, outputTokens: 2 },
    });
  });
});

describe('the events of messages', () => {
  it('add the tokens of the cache, ignore unknown events, and keep the input of a call', async () => {
    const usage = { input_tokens: 1, cache_creation_input_tokens: 20, cache_read_input_tokens: 300, output_tokens: 1 };
    const block = { type: 'tool_use', id: 't', name: 'look', input: { at: 1 } };
    const { url } = await startProvider(
      stream(
        event({ type: 'message_start', message: { usage } }),
        event({ type: 'news', anything: true }),
        event({ type: 'content_block_start', index: 0, content_block: { type: 'news' } }),
        event({ type: 'content_block_delta', index: 0, delta: { type: 'news_delta' } }),
        event({ type: 'content_block_stop', index: 0 }),
        event({ type: 'content_block_start', index: 1, content_block: block }),
        event({ type: 'content_block_stop', index: 1 }),
        event({ type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 7 } }),
        event({ type: 'message_stop' }),
      ),
    );
    const usageOfStep = { inputTokens: 321, cachedInputTokens: 300, cacheWriteTokens: 20, outputTokens: 7 };
    expect(await step(url, 'anthropic:any')).toMatchObject({
      ...usageOfStep,
      finishReason: null,
      calls: [{ name: 'look', arguments: { at: 1 } }],
    });
  });
});
