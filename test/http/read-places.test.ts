import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { LIMITS } from '../../src/contract/limits.ts';
import { startService, type TestService } from '../support/service.ts';
import { makeDeployment } from '../support/tenants.ts';
import { until } from '../support/until.ts';

const TEXTS = Array.from({ length: 5 }, () => ({ type: 'text', text: 'word '.repeat(39_900) }));

const limits = LIMITS as { strangerReadBytesPerSecond: number; strangerWaitSeconds: number };
const stored = { ...limits };
/** Most tests are about clients that do not read their responses. */
const QUICK = { strangerReadBytesPerSecond: 2 ** 40 };
afterAll(() => void Object.assign(limits, stored));

let service: TestService;
let conversationId: string;
beforeAll(async () => {
  Object.assign(limits, QUICK);
  service = await startService({ trustProxy: 1 });
  const { id } = await makeDeployment(service, {}, { kind: 'agent', authRequired: false });
  const path = `/v2/runner/${id}/conversation`;
  const turn = await service.send('POST', path, { body: { content: TEXTS }, key: service.keys.live });
  conversationId = turn.body.conversation_id;
  // More than the buffers of the system hold.
  const { timelineItem } = service.service.services.stores.prisma;
  const {
    id: _,
    summary: __,
    author: ___,
    handling: ____,
    ...message
  } = await timelineItem.findFirstOrThrow({ where: { conversationId, kind: 'message' } });
  await timelineItem.createMany({ data: Array.from({ length: 14 }, () => message as never) });
});
afterAll(() => service.close());

const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});

const path = (size: number) => `/v1/runner/conversation/${conversationId}/messages?page_size=${size}`;

/** A client that requests the messages and reads only the beginning of the response. */
async function readBeginning(): Promise<void> {
  const { hostname, port } = new URL(service.url);
  const socket = connect({ host: hostname, port: Number(port) });
  sockets.push(socket);
  socket.write(`GET ${path(100)} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`);
  await once(socket, 'data');
  socket.pause();
}

/** The response to a read, or undefined before it arrives. */
function read(key: string | null) {
  let status: number | undefined;
  const done = service.send('GET', path(1), { key }).then((response) => {
    ({ status } = response);
    return response;
  });
  return { done, status: () => status };
}

async function takeAllPlaces(): Promise<void> {
  for (let count = 0; count < LIMITS.strangerReads; count += 1) await readBeginning();
}

describe('reads of strangers', () => {
  it('wait until the client has read earlier responses, unless the caller has a key', async () => {
    await takeAllPlaces();
    const waiting = read(null);
    expect((await read(service.keys.live).done).status).toBe(200);
    expect(waiting.status()).toBeUndefined();
    for (const socket of sockets) socket.resume();
    expect((await waiting.done).status).toBe(200);
  });

  it('keep their place after a large response, by its size', async () => {
    Object.assign(limits, { strangerReadBytesPerSecond: 1_024, strangerWaitSeconds: 0.2 });
    onTestFinished(() => void Object.assign(limits, stored, QUICK));
    const readAll = (size: number, address: string) =>
      service.send('GET', path(size), { key: null, headers: { 'x-forwarded-for': address } });
    for (let count = 0; count < LIMITS.strangerReads; count += 1) {
      expect((await readAll(100, '10.4.0.1')).status).toBe(200);
    }
    expect((await readAll(1, '10.4.0.1')).body.error.code).toBe('rate_limited');
    expect((await readAll(1, '10.4.0.2')).status).toBe(200);
  });

  it('wait for a limited time', async () => {
    await takeAllPlaces();
    limits.strangerWaitSeconds = 0.2;
    onTestFinished(() => void Object.assign(limits, stored, QUICK));
    const { status, headers, body } = await read(null).done;
    expect([status, body.error.code, headers.get('retry-after')]).toEqual([429, 'rate_limited', '1']);
    for (const socket of sockets) socket.destroy();
    await until(async () => (await read(null).done).status === 200);
  });
});
