import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { LIMITS } from '../../src/contract/limits.ts';
import { ModelError, type TextListener } from '../../src/domain/agent/model-port.ts';
import { createModels } from '../../src/model/models.ts';

const closes: (() => void)[] = [];
afterEach(() => {
  for (const close of closes.splice(0)) close();
});

/** Runs a step whose provider responds as `respond` does. */
async function step(respond: (response: ServerResponse) => Promise<void>, onText?: TextListener) {
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    void respond(response);
  });
  closes.push(
    () => server.closeAllConnections(),
    () => server.close(),
  );
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  const models = createModels({ openai: { apiKey: 'a-key', baseUrl } });
  const signal = new AbortController().signal;
  const messages = [{ role: 'user', content: 'Hello' }] as const;
  return models.step({ model: 'openai:any', instructions: '', messages, tools: [], timeoutMs: 30_000, signal }, onText);
}

const piece = (content: string) => event({ choices: [{ index: 0, delta: { content } }] });
const event = (data: object) => `data: ${JSON.stringify(data)}\n\n`;
const END = `${event({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })}data: [DONE]\n\n`;

const PIECES = Array.from({ length: 40 }, (_, index) => `word${index} `);

describe('the stream of a provider', () => {
  it('is read correctly if each byte arrives alone', async () => {
    const reply =
      piece('Grüße ') +
      piece('👋') +
      event({ choices: [], usage: { prompt_tokens: '7', completion_tokens: null, total_tokens: 7 } }) +
      END;
    const result = await step(async (response) => {
      response.socket?.setNoDelay(true);
      for (const byte of Buffer.from(reply)) await new Promise((written) => response.write(Buffer.of(byte), written));
      response.end();
    });
    expect(result).toMatchObject({ text: 'Grüße 👋', finishReason: 'stop', inputTokens: 0, outputTokens: 0 });
  });

  it('is passed on at most every 50 ms after its first pieces', async () => {
    const heardMs: number[] = [];
    let isDelivering = false;
    const result = await step(
      async (response) => {
        for (const text of PIECES) {
          response.write(piece(text));
          await pause(8);
        }
        response.end(END);
      },
      () => {
        if (!isDelivering) heardMs.push(performance.now());
        isDelivering = true;
        // The pieces of one delivery come before the event loop does anything else.
        setImmediate(() => (isDelivering = false));
      },
    );
    expect(result.text).toBe(PIECES.join(''));
    const later = heardMs.slice(8);
    expect(later.length).toBeGreaterThan(0);
    expect(later.length).toBeLessThanOrEqual((performance.now() - (heardMs[7] ?? 0)) / 50 + 2);
  });

  it('ends at a reply of 1 MiB, without half a character, and the connection is closed', async () => {
    let closed: Promise<unknown> | undefined;
    const half = 'ä'.repeat(LIMITS.replyBytes / 4);
    const { text, finishReason, calls } = await step(async (response) => {
      closed = once(response, 'close');
      for (const one of ['x', half, half, 'never']) response.write(piece(one));
    });
    expect(Buffer.byteLength(text)).toBe(LIMITS.replyBytes - 1);
    expect([text.slice(0, 2), text.slice(-2), finishReason, calls]).toEqual(['xä', 'ää', 'length', []]);
    await closed;
  });

  it('is passed on completely before the error if the connection breaks', async () => {
    const broken = step(async (response) => {
      for (const text of PIECES) await new Promise((written) => response.write(piece(text), written));
      response.destroy();
    });
    const failure = await broken.catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ModelError);
    expect((failure as ModelError).partialText).toBe(PIECES.join(''));
  });
});
