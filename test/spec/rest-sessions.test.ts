import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectError } from '../support/error-bodies.ts';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const signIn = (body: object, headers: Record<string, string> = {}) =>
  service.send('POST', '/v1/sessions', { body, key: null, headers });

describe('sessions over REST', () => {
  it('returns a working token and the signed-in member', async () => {
    const response = await signIn({ ...service.owner, email: service.owner.email.toUpperCase() });
    expect(response.status).toBe(201);
    expect(response.headers.get('cache-control')).toContain('no-store');
    expect(response.headers.get('location')).toBe('/v1/sessions/current');
    const { token, expires_at, ...member } = response.body.data;
    expect(token).toMatch(/^sess_[A-Za-z0-9]{43}$/);
    expect(Date.parse(expires_at)).toBeGreaterThan(Date.now() + 23 * 3_600_000);
    const me = await service.send('GET', '/v1/me', { key: token });
    const { user, workspace, role } = me.body.data;
    expect(member).toEqual({ user, workspace, role });
    expect(user.email).toBe(service.owner.email);
  });

  it('ends only the session of the request', async () => {
    const [one, other] = [await signIn(service.owner), await signIn(service.owner)].map(({ body }) => body.data.token);
    const ended = await service.send('DELETE', '/v1/sessions/current', { key: one });
    expect([ended.status, ended.body]).toEqual([204, '']);
    expect((await service.send('GET', '/v1/me', { key: one })).status).toBe(401);
    expect((await service.send('DELETE', '/v1/sessions/current', { key: one })).status).toBe(401);
    expect((await service.send('GET', '/v1/me', { key: other })).status).toBe(200);
  });

  it('rejects a wrong password, missing fields, and a sign-out with an API key', async () => {
    expectError(await signIn({ ...service.owner, password: 'not the one' }), 'unauthorized', { param: null });
    expectError(await signIn({ email: service.owner.email }), 'invalid_request', { param: 'password' });
    expectError(await signIn({ ...service.owner, email: 7 }), 'invalid_request', { param: 'email' });
    expectError(await service.send('DELETE', '/v1/sessions/current'), 'session_required', { param: null });
  });

  it('signs out permanently, even when two requests race', async () => {
    const { token } = (await signIn(service.owner)).body.data;
    const signOut = () => service.send('DELETE', '/v1/sessions/current', { key: token });
    const statuses = (await Promise.all([signOut(), signOut(), signOut()])).map(({ status }) => status);
    expect(statuses).toContain(204);
    expect(statuses.every((status) => status === 204 || status === 401)).toBe(true);
    expectError(await signOut(), 'unauthorized');
  });

  it('never logs, stores or returns the password', async () => {
    const password = 'a password that must stay secret 0123456789';
    const headers = { 'idempotency-key': 'a key of at least 32 characters, for a caller without any' };
    const responses = [
      await signIn({ email: service.owner.email, password }, headers),
      await service.send('POST', '/v1/sessions', { body: { email: service.owner.email, password }, headers }),
      await signIn({ email: service.owner.email, password: `${password}\0` }),
      await signIn({ email: service.owner.email, password: [password] }),
    ];
    for (const { status } of responses) expect([400, 401]).toContain(status);
    const records = await service.service.services.stores.prisma.idempotencyRecord.findMany();
    expect(JSON.stringify([responses, records, service.logLines])).not.toContain(password);
  });

  it('is limited to 10 attempts per minute and account', async () => {
    const email = 'somebody@example.com';
    const attempts = [];
    for (let count = 0; count < 11; count += 1) attempts.push(await signIn({ email, password: 'x' }));
    const limited = attempts.filter(({ status }) => status === 429);
    expect(limited.length).toBeGreaterThan(0);
    expect(limited[0]?.headers.get('retry-after')).toMatch(/^\d+$/);
  });
});
