import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Prisma, PrismaClient } from '../../src/db/generated/client.ts';
import { claimRuns } from '../../src/domain/agent/queue/claim-runs.ts';
import { textContent } from '../support/agent-apis.ts';
import { expectError } from '../support/error-bodies.ts';
import { DEMO_AGENT_ID, startService, type TestService } from '../support/service.ts';
import { makeDeployment } from '../support/tenants.ts';
import { until } from '../support/until.ts';

let service: TestService;
let deploymentId: string;
let environmentId: string;
let conversationId: string;
beforeAll(async () => {
  service = await startService({ trustProxy: 1 });
  ({ id: deploymentId } = await makeDeployment(service, {}, { kind: 'agent', authRequired: false }));
  environmentId = (await db().environment.findFirstOrThrow({ where: { kind: 'live' } })).id;
  conversationId = (await start('192.0.2.1', 'Hello', {})).body.conversation_id;
});
afterAll(() => service.close());
afterEach(async () => {
  await db().$executeRaw`
    UPDATE run SET status = 'failed', lease_owner = NULL, lease_expires_at = NULL WHERE request_id = 'inserted'`;
  await limits({ backgroundRuns: null, concurrentRuns: null });
});

const db = () => service.service.services.stores.prisma;
const limits = (data: object) => db().environment.update({ where: { id: environmentId }, data });
const ASYNC = { prefer: 'respond-async' };

/** A turn without credentials from an address. */
const start = (address: string, text = 'Hello', headers: object = ASYNC) =>
  service.send('POST', `/v2/runner/${deploymentId}/conversation`, {
    key: null,
    body: { content: textContent(text) },
    headers: { 'x-forwarded-for': address, ...headers },
  });

/**
 * Stores queued runs of a caller, or runs of another process. Only `claimed` sees them as such: the processes of this test
 * would take them.
 */
const insert = (share: string | null, count: number, isRunning = false, status = 'waiting_for_client_action') =>
  db().$executeRaw`
    WITH other AS (
      INSERT INTO conversation (id, environment_id, deployment_id, name, variables, meta, created_at, updated_at)
      SELECT gen_random_uuid(), environment_id, deployment_id, 'inserted', '{}', '{}', now(), now()
      FROM conversation, generate_series(1, ${count}::int) WHERE id = ${conversationId}::uuid
      RETURNING id, environment_id
    )
    INSERT INTO run (id, environment_id, conversation_id, workflow_version, agent, status, model, background, share_key,
                     lease_owner, lease_expires_at, request_id, accepted_at, created_at, updated_at)
    SELECT gen_random_uuid(), other.environment_id, other.id, 1, true, ${status}::run_status, 'demo', true, ${share},
           CASE WHEN ${isRunning} THEN ${randomUUID()}::uuid END, CASE WHEN ${isRunning} THEN now() END,
           'inserted', clock_timestamp(), now(), now()
    FROM other`;

/** Claims like a process, and returns how many runs each share got. Nothing starts them. */
async function claimed(most = 250): Promise<Record<string, number>> {
  const { leases } = service.service.services.stores;
  const inTransaction = (work: (tx: Prisma.TransactionClient) => Promise<unknown>) =>
    db().$transaction(async (tx) => {
      await tx.$executeRaw`UPDATE run SET status = 'running' WHERE request_id = 'inserted' AND status = 'waiting_for_client_action'`;
      const result = await work(tx);
      await tx.$executeRaw`UPDATE run SET status = 'waiting_for_client_action' WHERE request_id = 'inserted' AND status = 'running'`;
      return result;
    });
  const runs = await claimRuns({ $transaction: inTransaction } as PrismaClient, leases, environmentId, {
    most,
    background: most,
  });
  const rows = await db().run.findMany({ where: { id: { in: runs.map(({ id }) => id) } } });
  const counts: Record<string, number> = {};
  for (const { shareKey } of rows) counts[shareKey ?? 'service'] = (counts[shareKey ?? 'service'] ?? 0) + 1;
  return counts;
}

describe('queued background turns', () => {
  it('of two addresses do not hold up a third', async () => {
    await insert('address_a', 54);
    await insert('address_b', 54);
    await insert('address_c', 1);
    await insert('key_k', 30);
    expect(await claimed()).toEqual({ address_a: 10, address_b: 10, address_c: 1, key_k: 30 });
    // Their shares are taken until a turn ends.
    expect(await claimed()).toEqual({});
    await db().$executeRaw`
      UPDATE run SET status = 'completed', lease_owner = NULL, lease_expires_at = NULL
      WHERE id IN (SELECT id FROM run WHERE share_key = 'address_a' AND lease_owner IS NOT NULL LIMIT 2)`;
    expect(await claimed()).toEqual({ address_a: 2 });
  });

  it('of all strangers leave places to the workspace', async () => {
    for (let number = 0; number < 10; number += 1) await insert(`end_user_${number}`, 9);
    expect(Object.values(await claimed()).reduce((sum, count) => sum + count, 0)).toBe(75);
    await insert('key_k', 40);
    expect(await claimed()).toEqual({ key_k: 25 });
  });

  it('alternate between callers, and count those that run already', async () => {
    await limits({ backgroundRuns: 6 });
    await insert('key_one', 2, true);
    await insert('key_one', 10);
    await insert('key_two', 10);
    await insert(null, 1);
    // The third run of each key has the same place, and that of the first key waits longer.
    expect(await claimed()).toEqual({ key_one: 1, key_two: 2, service: 1 });
    await limits({ backgroundRuns: 10 });
    expect(await claimed()).toEqual({ key_one: 2, key_two: 2 });
    await db().$executeRaw`
      UPDATE run SET status = 'failed', lease_owner = NULL, lease_expires_at = NULL WHERE share_key = 'key_two'`;
    expect(await claimed()).toEqual({ key_one: 4 });
  });

  it('get at least one place each in a small environment', async () => {
    await limits({ backgroundRuns: 1 });
    await insert('address_a', 2);
    await insert('address_b', 2);
    expect(await claimed()).toEqual({ address_a: 1 });
  });

  it('are taken within the smaller of the two limits', async () => {
    await limits({ backgroundRuns: 100, concurrentRuns: 20 });
    await insert('address_a', 5);
    expect(await claimed()).toEqual({ address_a: 2 });
  });
});

describe('the place of a background turn', () => {
  it('is refused to an address that has its share, and not to others', async () => {
    // No turn starts, so they wait.
    await limits({ backgroundRuns: 0 });
    const first = await start('198.51.100.7');
    expect(first.status).toBe(202);
    const { shareKey } = await db().run.findFirstOrThrow({ where: { id: first.body.run_id } });
    expect(shareKey).toMatch(/^address_[\w-]{43}$/);
    await insert(shareKey, 99, false, 'running');
    const refused = await start('198.51.100.7');
    expectError(refused, 'rate_limited', { message: /your share of 100 waiting background turns/ });
    expect(refused.headers.get('retry-after')).toBe('10');
    expect((await start('198.51.100.8')).status).toBe(202);
    const ofWorkspace = { body: { content: textContent('Hi') }, headers: ASYNC };
    const path = `/v2/runner/${deploymentId}/conversation`;
    expect((await service.send('POST', path, ofWorkspace)).status).toBe(202);
    await insert('address_others', 649, false, 'running');
    expectError(await start('198.51.100.9'), 'rate_limited', { message: /Callers like you .* 750 waiting/ });
    expect((await service.send('POST', path, ofWorkspace)).status).toBe(202);
  });

  it('is shared by the addresses of an IPv6 network', async () => {
    const runs = [await start('2001:db8:1:2::1'), await start('2001:db8:1:2:ffff::9'), await start('2001:db8:1:3::1')];
    const found = await db().run.findMany({ where: { id: { in: runs.map(({ body }) => body.run_id) } } });
    expect(new Set(found.map(({ shareKey }) => shareKey)).size).toBe(2);
  });
});

describe('running turns', () => {
  it('of an address are limited to its share of the limit of the environment', async () => {
    await limits({ concurrentRuns: 20 });
    const slow = [start('203.0.113.1', '/slow 3', {}), start('203.0.113.1', '/slow 3', {})];
    // The background turns of earlier tests run now.
    await until(async () => (await db().run.count({ where: { status: 'running', background: false } })) === 2);
    const refused = await start('203.0.113.1', 'Hello', {});
    expectError(refused, 'rate_limited', { message: /your share of 2 running turns/ });
    expect((await start('203.0.113.2', 'Hello', {})).status).toBe(200);
    const own = await service.send('POST', `/v2/runner/${DEMO_AGENT_ID}/conversation`, {
      body: { content: textContent('Hello') },
    });
    expect(own.status).toBe(200);
    for (const response of await Promise.all(slow)) expect(response.status).toBe(200);
  });
});
