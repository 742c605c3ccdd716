import { randomUUID } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import express, { type Response } from 'express';

// Hand-written streams from memory: no keys, no database, no cursors, no log. The output equals that of the service.

/** The demo model's pause between words while a client listens. */
const WORD_PAUSE_MS = 15;

const app = express().disable('x-powered-by').set('query parser', 'simple').set('etag', false).use(express.json());
const subscribers = new Set<Response>();

function startStream(response: Response): void {
  response.set({ 'content-type': 'text/event-stream', 'cache-control': 'no-cache, no-transform' });
}

function eventText(event: string, data: object, id?: string): string {
  return `${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}

app.get('/v1/resources', (_, response) => {
  response.json({ data: [], meta: { nextCursor: null, hasMore: false } });
});

app.post('/graphql', (_, response) => {
  startStream(response);
  response.write(':\n\n');
  subscribers.add(response);
  response.once('close', () => subscribers.delete(response));
});

app.post('/v1/resources', (request, response) => {
  // The same length as those of the service.
  const [cursor, id] = [randomUUID().repeat(2), randomUUID() + randomUUID().slice(0, 16)];
  const event = { id, type: 'resource.created' };
  const text = eventText('next', { data: { eventAppended: { cursor, event } } }, cursor);
  for (const subscriber of subscribers) subscriber.write(text);
  response.status(201).json({ data: request.body });
});

app.post('/v1/runner/:id/conversation/stream', async (request, response) => {
  const wordCount = Number(/^\/stream (\d+)$/.exec(request.body.content[0].text)?.[1]);
  const ids = { conversation_id: randomUUID(), run_id: randomUUID() };
  startStream(response);
  response.write(eventText('start', ids));
  for (let word = 1; word <= wordCount; word += 1) {
    if (word > 1) await delay(WORD_PAUSE_MS);
    response.write(eventText('delta', { text: `word${word}${word < wordCount ? ' ' : ''}` }));
  }
  response.end(eventText('done', { ...ids, status: 'active' }));
});

const server = app.listen(0, '127.0.0.1', () => {
  console.log(`Baseline runs at http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
process.once('SIGTERM', () => process.exit(0));
