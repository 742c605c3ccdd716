import { randomUUID } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import express, { type Response } from 'express';

// What is live, by hand and from memory: no keys, no database, no cursors, no log. It writes what the service writes.

/** As the demo model speaks while somebody listens. */
const WORD_PAUSE_MS = 15;

const app = express().disable('x-powered-by').set('query parser', 'simple').set('etag', false).use(express.json());
const subscribers = new Set<Response>();

function begin(response: Response): void {
  response.set({ 'content-type': 'text/event-stream', 'cache-control': 'no-cache, no-transform' });
}

function written(event: string, data: object, id?: string): string {
  return `${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}

app.get('/v1/resources', (_, response) => {
  response.json({ data: [], meta: { nextCursor: null, hasMore: false } });
});

app.post('/graphql', (_, response) => {
  begin(response);
  response.write(':\n\n');
  subscribers.add(response);
  response.once('close', () => subscribers.delete(response));
});

app.post('/v1/resources', (request, response) => {
  // As long as they are at the service.
  const [cursor, id] = [randomUUID().repeat(2), randomUUID() + randomUUID().slice(0, 16)];
  const event = { id, type: 'resource.created' };
  const text = written('next', { data: { eventAppended: { cursor, event } } }, cursor);
  for (const subscriber of subscribers) subscriber.write(text);
  response.status(201).json({ data: request.body });
});

app.post('/v1/runner/:id/conversation/stream', async (request, response) => {
  const words = Number(/^\/stream (\d+)$/.exec(request.body.content[0].text)?.[1]);
  const ids = { conversation_id: randomUUID(), run_id: randomUUID() };
  begin(response);
  response.write(written('start', ids));
  for (let word = 1; word <= words; word += 1) {
    if (word > 1) await delay(WORD_PAUSE_MS);
    response.write(written('delta', { text: `word${word}${word < words ? ' ' : ''}` }));
  }
  response.end(written('done', { ...ids, status: 'active' }));
});

const server = app.listen(0, '127.0.0.1', () => {
  console.log(`Floor runs at http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
process.once('SIGTERM', () => process.exit(0));
