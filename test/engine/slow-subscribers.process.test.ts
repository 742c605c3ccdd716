import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type PostgresStore, postgresStore, startOn } from '../support/data-stores.ts';
import { POSTGRES_URL } from '../support/database.ts';
import { megabytesOf } from '../support/large-uploads.ts';
import { killAll, type ServiceProcess } from '../support/process.ts';
import { subscribe } from '../support/subscriptions.ts';
import { until } from '../support/until.ts';

/** `SLOW_SUBSCRIBERS=5000` measures a large process. */
const IDLE = Number(process.env.SLOW_SUBSCRIBERS ?? 400);

/** Few, because the kernel buffers some MiB for each of them. */
const SLOW = 24;
const OPENED_AT_ONCE = 50;

const TEXT = 'x'.repeat(60_000);
const NOTES = 250;

const IDS = 'subscription { eventAppended { event { resourceId } } }';
const WHOLE = 'subscription { eventAppended { event { resource { fields } } } }';

describe.skipIf(!POSTGRES_URL || process.platform !== 'linux')('a process with many idle subscribers', () => {
  let store: PostgresStore;
  let service: ServiceProcess;
  const sockets: Socket[] = [];
  beforeAll(async () => {
    store = await postgresStore();
    service = await startOn(store);
  });
  afterAll(async () => {
    for (const socket of sockets) socket.destroy();
    await killAll();
    await store.remove();
  });

  /** A subscription whose socket is never read again after the head of the response. */
  async function subscribeAndStop(query: string): Promise<Socket> {
    const { hostname, port, host } = new URL(service.url);
    const body = JSON.stringify({ query });
    const socket = connect(Number(port), hostname).on('error', () => {});
    socket.write(
      `POST /graphql HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${service.key}\r\nAccept: text/event-stream\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    const [head] = await once(socket, 'data');
    if (!String(head).startsWith('HTTP/1.1 200')) throw new Error(String(head));
    socket.pause();
    sockets.push(socket);
    return socket;
  }

  const createNote = async () => {
    const { body } = await service.send('POST', '/v1/resources', { body: { type: 'note', fields: { text: TEXT } } });
    return body.data.id as string;
  };

  it('needs less than 100 kB for each, and buffers no event for those that read nothing', {
    timeout: 240_000,
  }, async () => {
    const empty = megabytesOf(service, 'VmRSS');
    for (let open = 0; open < IDLE; open += OPENED_AT_ONCE) {
      await Promise.all(Array.from({ length: OPENED_AT_ONCE }, () => subscribeAndStop(IDS)));
    }
    const idle = megabytesOf(service, 'VmRSS');
    expect((idle - empty) / IDLE).toBeLessThan(0.1);
    await Promise.all(Array.from({ length: SLOW }, () => subscribeAndStop(WHOLE)));
    const reader = await subscribe(service, IDS, {}, service.key);
    for (let note = 0; note < NOTES; note += 1) {
      const id = await createNote();
      expect((await reader.next()).data.eventAppended.event.resourceId).toBe(id);
    }
    await reader.close();
    // A buffer of all unread events would have 360 MB.
    expect(megabytesOf(service, 'VmRSS') - idle).toBeLessThan(150);
    if (process.env.SLOW_SUBSCRIBERS) console.log({ empty, idle, slow: megabytesOf(service, 'VmRSS') });
  });

  // It takes 30 s.
  it.skipIf(!process.env.SLOW_SUBSCRIBERS)('closes the subscriptions that nobody reads', async () => {
    const closed = () => service.output.filter((line) => line.includes('its subscriber is too slow'));
    await until(async () => closed().length === SLOW, { withinMs: 40_000 });
    expect((await service.send('GET', '/readyz', { key: null })).status).toBe(200);
  });
});
