import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { LIMITS } from '../../src/contract/limits.ts';
import { ModelError, type ModelRequest, type ModelStep } from '../../src/domain/agent/model-port.ts';
import { createModels } from '../../src/model/models.ts';

const closes: (() => void)[] = [];
afterEach(() => {
  for (const close of closes.splice(0)) close();
});

type Respond = (response: ServerResponse, path: string) => void;

/** Starts a provider that responds to its requests in turn. The last response repeats. */
async function startProvider(...responds: readonly Respond[]): Promise<{ url: string; count: () => number }> {
  let count = 0;
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      const respond = responds[Math.min(count, responds.length - 1)];
      count += 1;
      respond?.(response, request.url ?? '');
    });
  });
  closes.push(
    () => server.closeAllConnections(),
    () => server.close(),
  );
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, count: () => count };
}

const LOOK = { name: 'look', description: 'Looks.', inputSchema: { type: 'object' } };

function step(url: string, model = 'openai:any', changes: Partial<ModelRequest> = {}): Promise<ModelStep> {
  const settings = { apiKey: 'a-key', baseUrl: `${url}/v1` };
  const { signal } = new AbortController();
  const messages = [{ role: 'user', content: 'Hello' }] as const;
  return createModels({ openai: settings, anthropic: settings }).step({
    ...{ model, instructions: '', messages, tools: [LOOK], timeoutMs: 20_000, signal },
    ...changes,
  });
}

async function failureOf(result: Promise<unknown>): Promise<ModelError> {
  const failure = await result.then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(failure).toBeInstanceOf(ModelError);
  return failure as ModelError;
}

const event = (data: object) => `data: ${JSON.stringify(data)}\n\n`;
const delta = (fields: object) => event({ choices: [{ index: 0, delta: fields }] });
const end = (reason = 'stop') => event({ choices: [{ index: 0, delta: {}, finish_reason: reason }] });
const stream =
  (...events: readonly string[]): Respond =>
  (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).end(events.join(''));
  };

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
      const write = (): boolean => !response.destroyed && response.write(ping, write as () => void);
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
      const write = (): boolean => !response.destroyed && response.write('x'.repeat(64 * 1024), write as () => void);
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
  const reply = async (...events: readonly string[]) => step((await startProvider(stream(...events))).url);
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

  it('fail if a call has no name', async () => {
    const nameless = reply(delta({ tool_calls: [{ index: 0, id: 'a', function: { arguments: '{}' } }] }), end());
    expect(await failureOf(nameless)).toMatchObject(UNREADABLE);
  });

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
    const expected = { inputTokens: 321, outputTokens: 7, finishReason: null };
    expect(await step(url, 'anthropic:any')).toMatchObject({
      ...expected,
      calls: [{ name: 'look', arguments: { at: 1 } }],
    });
  });
});
