import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import express from 'express';

// The least that a server between a client and a provider can do: it stores nothing and reads nothing.

const provider = `${process.env.OPENAI_BASE_URL}/chat/completions`;

const app = express().disable('x-powered-by');

app.post('/relay', async (_request, response) => {
  const upstream = await fetch(provider, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
  });
  response.set({ 'content-type': 'text/event-stream', 'cache-control': 'no-cache, no-transform' });
  if (upstream.body) await pipeline(Readable.fromWeb(upstream.body as ReadableStream), response).catch(() => {});
});

const server = app.listen(0, '127.0.0.1', () => {
  console.log(`Baseline runs at http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
process.once('SIGTERM', () => process.exit(0));
