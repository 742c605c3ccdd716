import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { LIMITS } from '../../src/contract/limits.ts';
import { RATE_LIMITS } from '../../src/domain/access/rate-limits.ts';
import { endUserToken } from '../support/end-users.ts';
import { RawClient } from '../support/raw-client.ts';
import { startService, type TestService } from '../support/service.ts';
import { makeDeployment } from '../support/tenants.ts';

const limits = LIMITS as { strangerBodyBytesPerSecond: number; strangerWaitSeconds: number };
const stored = { ...limits };

let service: TestService;
let deploymentId: string;
beforeAll(async () => {
  // Most tests are about clients that do not finish.
  limits.strangerBodyBytesPerSecond = 2 ** 40;
  service = await startService({ trustProxy: 1 });
  ({ id: deploymentId } = await makeDeployment(service, {}, { kind: 'agent', authRequired: false }));
});
afterAll(async () => {
  Object.assign(limits, stored);
  await service.close();
});

const clients: RawClient[] = [];
afterEach(() => {
  for (const { socket } of clients.splice(0)) socket.destroy();
});

const JSON_TYPE = { 'Content-Type': 'application/json' };
const LARGE = 2 * LIMITS.strangerBodyBytes;

async function open(address: string, headers: Readonly<Record<string, string | number>>): Promise<RawClient> {
  const client = await RawClient.open(service.url);
  clients.push(client);
  return client.head('POST', '/graphql', { ...JSON_TYPE, 'X-Forwarded-For': address, ...headers });
}

/** Takes all places of an address: clients that send no more than the beginning of their bodies. */
async function takeAll(address: string): Promise<RawClient[]> {
  const taken: RawClient[] = [];
  for (let count = 0; count < LIMITS.strangerBodies; count += 1) {
    const client = await open(address, { 'Content-Length': 2 * LARGE });
    await client.send(Buffer.alloc(LARGE, ' '));
    taken.push(client);
  }
  return taken;
}

/** Sends white space, which is no JSON: 400 says that the service has read it. */
async function send(address: string, size: number, headers: Readonly<Record<string, string>> = {}) {
  const client = await open(address, { ...headers, 'Content-Length': size });
  await client.send(Buffer.alloc(size, ' '));
  return client.response();
}

function waitBriefly(): void {
  limits.strangerWaitSeconds = 0.2;
  onTestFinished(() => void Object.assign(limits, { strangerWaitSeconds: stored.strangerWaitSeconds }));
}

describe('large bodies of strangers', () => {
  it('wait until earlier ones of their address are read, unless the caller has a key', async () => {
    const address = '10.8.0.1';
    const [first] = await takeAll(address);
    let waited: number | undefined;
    const waiting = send(address, LARGE).then(({ status }) => {
      waited = status;
    });
    expect((await send(address, LARGE, { 'X-Api-Key': service.keys.live })).status).toBe(400);
    expect((await send('10.8.0.2', LARGE)).status).toBe(400);
    expect((await send(address, LIMITS.strangerBodyBytes)).status).toBe(400);
    expect(waited).toBeUndefined();
    await first?.send(Buffer.alloc(LARGE, ' '));
    await waiting;
    expect(waited).toBe(400);
  });

  it('wait for a limited time', async () => {
    const address = '10.8.0.3';
    const taken = await takeAll(address);
    waitBriefly();
    const { status, text } = await send(address, LARGE);
    expect([status, text]).toEqual([429, expect.stringContaining('too many large bodies')]);
    for (const { socket } of taken) socket.destroy();
    limits.strangerWaitSeconds = stored.strangerWaitSeconds;
    expect((await send(address, LARGE)).status).toBe(400);
  });

  it('keep their place by their size', async () => {
    const address = '10.8.0.4';
    waitBriefly();
    limits.strangerBodyBytesPerSecond = LARGE / 10;
    onTestFinished(() => void Object.assign(limits, { strangerBodyBytesPerSecond: 2 ** 40 }));
    for (let count = 0; count < LIMITS.strangerBodies; count += 1)
      expect((await send(address, LARGE)).status).toBe(400);
    expect((await send(address, LARGE)).status).toBe(429);
  });

  it('wait without a Content-Length too', async () => {
    const address = '10.8.0.5';
    await takeAll(address);
    waitBriefly();
    const client = await open(address, { 'Transfer-Encoding': 'chunked' });
    await client.chunk(Buffer.alloc(LARGE, ' '));
    expect((await client.response()).status).toBe(429);
  });

  it('leave the queue when their client is gone', async () => {
    const address = '10.8.0.6';
    const [first] = await takeAll(address);
    const gone = await open(address, { 'Content-Length': LARGE });
    await gone.send(Buffer.alloc(LARGE, ' '));
    const waiting = send(address, LARGE);
    gone.socket.destroy();
    first?.socket.destroy();
    expect((await waiting).status).toBe(400);
  });

  it('wait if an end user compresses them', async () => {
    const token = await endUserToken(service, deploymentId, 'ann');
    const address = '10.8.0.7';
    await takeAll(address);
    waitBriefly();
    const bytes = gzipSync(Buffer.alloc(LARGE, ' '));
    const headers = { Authorization: `Bearer ${token}`, 'Content-Encoding': 'gzip' };
    const client = await open(address, { ...headers, 'Content-Length': bytes.length });
    await client.send(bytes);
    expect((await client.response()).status).toBe(429);
  });
});

describe('requests of a stranger over the limit', () => {
  it('count as requests without credentials, so that their bodies are not read in the end', async () => {
    const headers = { 'x-forwarded-for': '10.8.1.1' };
    const path = `/v2/runner/${deploymentId}/conversation`;
    const start = () => service.send('POST', path, { key: null, headers, body: { content: 'No content' } });
    const { anonymousStarts, withoutCredentials } = RATE_LIMITS;
    for (let count = 0; count < anonymousStarts.points; count += 1) expect((await start()).status).toBe(400);
    for (let count = 0; count < withoutCredentials.points; count += 1) expect((await start()).status).toBe(429);
    const client = await open('10.8.1.1', { 'Content-Length': LARGE, Expect: '100-continue' });
    expect((await client.response()).status).toBe(429);
  });
});
