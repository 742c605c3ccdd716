import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LIMITS } from '../../src/contract/limits.ts';
import { Prisma } from '../../src/db/generated/client.ts';
import { hashToken } from '../../src/domain/access/tokens.ts';
import { expectGraphqlError } from '../support/error-bodies.ts';
import { busyMs } from '../support/event-loop.ts';
import { createKey, REVOKE_KEY, ROTATE_KEY, rotateKeyById, statusOf, updateKey } from '../support/keys.ts';
import { startService, type TestService } from '../support/service.ts';
import { subscribe } from '../support/subscriptions.ts';
import { makeKey } from '../support/tenants.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const FOLLOW = 'subscription { eventAppended { cursor } }';
const rotate = (id: string, overlapHours?: number) => rotateKeyById(service, id, overlapHours);
const statuses = (...keys: string[]) => Promise.all(keys.map((key) => statusOf(service, key)));

/** Moves the end of the overlap, because the API takes whole hours. */
async function endOverlapIn(id: string, ms: number): Promise<number> {
  const previousExpiresAt = new Date(Date.now() + ms);
  await service.service.services.stores.prisma.apiKey.update({ where: { id }, data: { previousExpiresAt } });
  return previousExpiresAt.getTime();
}

describe('a caller who manages keys', () => {
  it('cannot get the secret, or lift the limits, of a key with more scopes than their own', async () => {
    const { id } = await createKey(service, { scopes: ['EVENTS_READ', 'RESOURCES_READ'] });
    const key = await makeKey(service, { scopes: ['keys:manage', 'events:read'] });
    const own = await makeKey(service, { scopes: ['keys:manage', 'events:read'] });
    const { id: equal } = await service.service.services.stores.prisma.apiKey.findFirstOrThrow({
      where: { tokenHash: hashToken(own) },
    });
    const errors = async (keyId: string) => {
      const rotated = await service.graphql(ROTATE_KEY, { input: { id: keyId } }, { key });
      const updated = await updateKey(service, keyId, { name: 'Changed' }, { key });
      return [rotated, updated].map(({ body }) => body.errors?.[0]?.extensions.code);
    };
    expect(await errors(id)).toEqual(['FORBIDDEN', 'FORBIDDEN']);
    expect(await errors(equal)).toEqual([undefined, undefined]);
    const revoked = await service.graphql(REVOKE_KEY, { input: { id } }, { key });
    expect(revoked.body.errors).toBeUndefined();
  });
});

describe('a rotation with an overlap', () => {
  it('keeps the old secret until the overlap ends, and ends its streams then', async () => {
    const { id, secret } = await createKey(service);
    const { body } = await service.graphql(ROTATE_KEY, { input: { id, overlapHours: 2 } });
    const { secret: fresh, apiKey } = body.data.rotateApiKey;
    const hours = (Date.parse(apiKey.previousSecretExpiresAt) - Date.now()) / 3_600_000;
    expect(hours).toBeGreaterThan(1.9);
    expect(hours).toBeLessThanOrEqual(2);
    expect(await statuses(secret, fresh)).toEqual([200, 200]);
    const end = await endOverlapIn(id, 1_000);
    const [old, current] = await Promise.all([secret, fresh].map((key) => subscribe(service, FOLLOW, {}, key)));
    expect(await old?.next()).toBeUndefined();
    expect(Date.now()).toBeGreaterThanOrEqual(end);
    expect(Date.now()).toBeLessThan(end + busyMs(1_000));
    await expect.poll(() => statuses(secret, fresh)).toEqual([401, 200]);
    await current?.close();
  });

  it('keeps a stream that was open before the rotation', async () => {
    const { id, secret } = await createKey(service);
    const stream = await subscribe(service, FOLLOW, {}, secret);
    await rotate(id, 1);
    const next = stream.next();
    await service.send('POST', '/v1/resources', { body: { type: 'note', fields: {} } });
    expect(await next).toBeDefined();
    const ended = stream.next();
    await rotate(id, 0);
    expect(await ended).toBeUndefined();
  });

  it('ends the oldest secret if the key is rotated again', async () => {
    const { id, secret: first } = await createKey(service);
    const second = await rotate(id, 24);
    const third = await rotate(id, 24);
    expect(await statuses(first, second, third)).toEqual([401, 200, 200]);
    const fourth = await rotate(id);
    expect(await statuses(first, second, third, fourth)).toEqual([401, 401, 401, 200]);
  });

  it('ends with the key: a revocation ends both secrets at once, and an expiry too', async () => {
    const revoked = await createKey(service);
    const fresh = await rotate(revoked.id, 24);
    const streams = await Promise.all([revoked.secret, fresh].map((key) => subscribe(service, FOLLOW, {}, key)));
    await service.graphql(REVOKE_KEY, { input: { id: revoked.id } });
    expect(await Promise.all(streams.map((stream) => stream.next()))).toEqual([undefined, undefined]);
    expect(await statuses(revoked.secret, fresh)).toEqual([401, 401]);

    const expiring = await createKey(service);
    const other = await rotate(expiring.id, 24);
    expect(await statuses(expiring.secret, other)).toEqual([200, 200]);
    await updateKey(service, expiring.id, { expiresAt: new Date(Date.now() + 500).toISOString() });
    await expect.poll(() => statuses(expiring.secret, other)).toEqual([401, 401]);
  });

  it('lets one of two concurrent rotations win, and keeps a working secret for each caller', async () => {
    const { id, secret } = await createKey(service);
    const fresh = await Promise.all([rotate(id, 24), rotate(id, 24)]);
    expect(await statuses(...fresh)).toEqual([200, 200]);
    expect(await statuses(secret)).toEqual([401]);
  });

  it('keeps the secret in use if a retry rotates again because the response was lost', async () => {
    const { id, secret } = await createKey(service);
    const headers = { 'idempotency-key': `rotate-${id}` };
    const send = async () => {
      const { body } = await service.graphql(ROTATE_KEY, { input: { id, overlapHours: 1 } }, { headers });
      return body.data.rotateApiKey.secret as string;
    };
    const lost = await send();
    // The process died after the commit, before it stored the response.
    const { prisma } = service.service.services.stores;
    await prisma.idempotencyRecord.updateMany({
      where: { key: headers['idempotency-key'] },
      data: { answer: Prisma.DbNull, leaseExpiresAt: new Date(0) },
    });
    const retried = await send();
    expect(retried).not.toBe(lost);
    expect(await statuses(secret, lost, retried)).toEqual([200, 401, 200]);
  });

  it.each([-1, LIMITS.rotationOverlapHours + 1])('cannot last %i hours', async (overlapHours) => {
    const { id } = await createKey(service);
    const response = await service.graphql(ROTATE_KEY, { input: { id, overlapHours } });
    expectGraphqlError(response, 'invalid_request', { param: 'overlapHours' });
  });
});
