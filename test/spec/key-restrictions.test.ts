import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LIMITS } from '../../src/contract/limits.ts';
import { expectGraphqlError } from '../support/error-bodies.ts';
import { busyMs } from '../support/event-loop.ts';
import { CREATE_KEY, createKey, statusOf, updateKey } from '../support/keys.ts';
import { startService, type TestService } from '../support/service.ts';
import { subscribe } from '../support/subscriptions.ts';
import { openSession } from '../support/tenants.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService({ trustProxy: 'loopback' });
});
afterAll(() => service.close());

const FOLLOW = 'subscription { eventAppended { cursor } }';
const soon = (ms: number) => new Date(Date.now() + ms).toISOString();
const create = (settings: object) =>
  service.graphql(CREATE_KEY, { input: { name: 'A', scopes: ['EVENTS_READ'], ...settings } });
const prisma = () => service.service.services.stores.prisma;

describe('the expiry of an API key', () => {
  it('turns its responses into 401 and ends its open stream', async () => {
    const { id, secret, apiKey } = await createKey(service, { expiresAt: soon(600_000) });
    expect(Date.parse(apiKey.expiresAt)).toBeGreaterThan(Date.now());
    const stream = await subscribe(service, FOLLOW, {}, secret);
    expect(await statusOf(service, secret)).toBe(200);
    const expiresAt = soon(2_000);
    await updateKey(service, id, { expiresAt });
    expect(await stream.next()).toBeUndefined();
    expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(expiresAt));
    expect(Date.now()).toBeLessThan(Date.parse(expiresAt) + busyMs(1_000));
    await expect.poll(() => statusOf(service, secret)).toBe(401);
  });

  it('can move closer, further away, and disappear, while a stream is open', async () => {
    const { id, secret } = await createKey(service, { expiresAt: soon(600_000) });
    const other = await createKey(service, { expiresAt: soon(600_000) });
    const follow = (key: string) => subscribe(service, FOLLOW, {}, key);
    const [stream, expiring] = await Promise.all([follow(secret), follow(other.secret)]);
    const expiresAt = soon(1_000);
    await updateKey(service, id, { expiresAt });
    await updateKey(service, id, { expiresAt: null });
    await updateKey(service, other.id, { expiresAt });
    let isOpen = true;
    const ended = stream.next().then((event) => {
      isOpen = false;
      return event;
    });
    // The stream of a key that expires at the same time ends.
    expect(await expiring.next()).toBeUndefined();
    expect([isOpen, await statusOf(service, secret)]).toEqual([true, 200]);
    await updateKey(service, id, { expiresAt: soon(500) });
    expect(await ended).toBeUndefined();
    await expect.poll(() => statusOf(service, secret)).toBe(401);
  });

  it('must be in the future', async () => {
    expectGraphqlError(await create({ expiresAt: soon(-1_000) }), 'invalid_request', { param: 'expiresAt' });
    const { id } = await createKey(service);
    const changed = await updateKey(service, id, { expiresAt: soon(-1_000) });
    expectGraphqlError(changed, 'invalid_request', { param: 'expiresAt' });
  });
});

const from = (address: string) => ({ 'x-forwarded-for': address });

describe('the IP ranges of an API key', () => {
  it('are stored in CIDR notation, without bits after the prefix', async () => {
    const ranges = ['192.0.2.7', '10.1.2.3/8', '2001:DB8::1/32', '2001:db8::2', '10.0.0.0/8'];
    const { apiKey } = await createKey(service, { allowedIpRanges: ranges });
    expect(apiKey.allowedIpRanges).toEqual(['192.0.2.7/32', '10.0.0.0/8', '2001:db8::/32', '2001:db8::2/128']);
  });

  it.each([
    ['192.0.2.200', 200],
    ['::ffff:192.0.2.200', 200],
    ['192.0.3.1', 401],
    ['2001:db8:0:1::1', 200],
    ['2001:db9::1', 401],
    // IPv4 in IPv6: another range, even though it ends in the same bytes.
    ['2002:c000:2c8::1', 401],
  ])('decide a request from %s: %i', async (address, status) => {
    const { secret } = await createKey(service, { allowedIpRanges: ['192.0.2.0/24', '2001:db8::/32'] });
    expect(await statusOf(service, secret, from(address))).toBe(status);
  });

  it('do not show an outsider that the key is valid', async () => {
    const { secret } = await createKey(service, { allowedIpRanges: ['192.0.2.0/24'] });
    const send = (key: string) =>
      service.send('GET', '/v1/events', { key, headers: { ...from('198.51.100.1'), 'x-request-id': 'same' } });
    const [refused, unknown] = [await send(secret), await send(`sk_live_${'x'.repeat(43)}`)];
    expect(refused.status).toBe(401);
    expect(refused.body).toEqual(unknown.body);
  });

  it('are audited once for many refused requests, with the address', async () => {
    const { id, secret } = await createKey(service, { allowedIpRanges: ['192.0.2.0/24'] });
    await Promise.all([1, 2, 3, 4, 5].map(() => statusOf(service, secret, from('198.51.100.2'))));
    await service.service.services.stores.credentialUse.close();
    await service.graphql(
      'query ($filter: AuditFilter) { auditLog(filter: $filter) { nodes { action } } }',
      { filter: { subjectId: id } },
      { key: await openSession(service, 'admin') },
    );
    const entries = await prisma().auditEntry.findMany({ where: { subjectId: id, action: 'api_key.refused' } });
    expect(entries).toMatchObject([{ address: '198.51.100.2', actorKind: 'anonymous' }]);
    expect(JSON.stringify(entries.map(({ details }) => details))).not.toContain(secret);
  });

  it('are audited again only after an hour, on any process the request arrives', async () => {
    const entriesAfter = async (minutes: number) => {
      const { id, secret } = await createKey(service, { allowedIpRanges: ['192.0.2.0/24'] });
      const lastRefusedAt = new Date(Date.now() - minutes * 60_000);
      await prisma().apiKey.update({ where: { id }, data: { lastRefusedAt } });
      await statusOf(service, secret, from('198.51.100.3'));
      await service.service.services.stores.credentialUse.close();
      return prisma().auditEntry.count({ where: { subjectId: id, action: 'api_key.refused' } });
    };
    expect([await entriesAfter(59), await entriesAfter(61)]).toEqual([0, 1]);
  });

  it('break the open streams of the key if they change, because it can still be valid there', async () => {
    const { id, secret } = await createKey(service);
    const stream = await subscribe(service, FOLLOW, {}, secret);
    await updateKey(service, id, { allowedIpRanges: ['192.0.2.0/24'] });
    await expect(stream.next()).rejects.toThrow('terminated');
    expect(await statusOf(service, secret)).toBe(401);
    await updateKey(service, id, { allowedIpRanges: null });
    expect(await statusOf(service, secret)).toBe(200);
  });

  it('stay if a change of the key does not name them', async () => {
    const { id, secret } = await createKey(service, { allowedIpRanges: ['192.0.2.0/24'] });
    await updateKey(service, id, { name: 'Renamed' });
    expect(await statusOf(service, secret, from('192.0.2.1'))).toBe(200);
    expect(await statusOf(service, secret, from('198.51.100.1'))).toBe(401);
  });

  it.each([
    ['a name', ['example.com']],
    ['an abbreviated address', ['10.1']],
    ['a number', ['3221225985']],
    ['a long prefix', ['192.0.2.0/33']],
    ['an empty prefix', ['192.0.2.0/']],
    ['two prefixes', ['192.0.2.0/24/8']],
    ['a zone', ['fe80::1%eth0']],
    ['a long text', ['1'.repeat(100_000)]],
  ])('cannot contain %s', async (_description, allowedIpRanges) => {
    expectGraphqlError(await create({ allowedIpRanges }), 'invalid_request', { param: 'allowedIpRanges[0]' });
  });

  it('are between 1 and the limit', async () => {
    const ranges = (count: number) => Array.from({ length: count }, (_, index) => `192.0.2.${index}`);
    expectGraphqlError(await create({ allowedIpRanges: [] }), 'invalid_request', { param: 'allowedIpRanges' });
    const tooMany = await create({ allowedIpRanges: ranges(LIMITS.keyIpRanges + 1) });
    expectGraphqlError(tooMany, 'invalid_request', { param: 'allowedIpRanges' });
    const { apiKey } = await createKey(service, { allowedIpRanges: ranges(LIMITS.keyIpRanges) });
    expect(apiKey.allowedIpRanges).toHaveLength(LIMITS.keyIpRanges);
  });
});

describe('the use of an API key', () => {
  it('is shown with its address', async () => {
    const { id, secret } = await createKey(service);
    await statusOf(service, secret, from('203.0.113.9'));
    await service.service.services.stores.credentialUse.close();
    const { body } = await updateKey(service, id, {});
    expect(body.data.updateApiKey.apiKey).toMatchObject({
      lastUsedAddress: '203.0.113.9',
      lastUsedAt: expect.any(String),
      isUnused: false,
    });
  });

  it('makes a warning after 90 days without it, unless the key has ended', async () => {
    const { id } = await createKey(service);
    const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000);
    const isUnused = async (data: object) => {
      await prisma().apiKey.update({ where: { id }, data });
      return (await updateKey(service, id, {})).body.data.updateApiKey.apiKey.isUnused;
    };
    expect(await isUnused({ createdAt: daysAgo(LIMITS.unusedKeyDays - 1) })).toBe(false);
    expect(await isUnused({ createdAt: daysAgo(LIMITS.unusedKeyDays) })).toBe(true);
    expect(await isUnused({ lastUsedAt: daysAgo(LIMITS.unusedKeyDays - 1) })).toBe(false);
    expect(await isUnused({ lastUsedAt: daysAgo(LIMITS.unusedKeyDays + 1) })).toBe(true);
    expect(await isUnused({ expiresAt: daysAgo(1) })).toBe(false);
  });
});

describe('a restricted key', () => {
  it('needs no more statements than any other key', async () => {
    const restricted = await createKey(service, { allowedIpRanges: ['192.0.2.0/24'], expiresAt: soon(60_000) });
    const open = await createKey(service);
    const count = async (key: string) => {
      service.takeStatements();
      expect(await statusOf(service, key, from('192.0.2.1'))).toBe(200);
      return service.takeStatements().length;
    };
    await count(open.secret);
    expect(await count(restricted.secret)).toBe(await count(open.secret));
  });
});
