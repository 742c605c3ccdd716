import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sweepApps } from '../../src/domain/access/apps/registered-apps.ts';
import { ALLOW_APP, authorizationError, decide, TestApp, TestBrowser } from '../support/connecting.ts';
import { createDatabase, POSTGRES_URL, type TestDatabase } from '../support/database.ts';
import { registeredApp, sendRegistration } from '../support/registering.ts';
import { startService, type TestService } from '../support/service.ts';
import { openSession } from '../support/tenants.ts';

/** Two processes with the same database. In one of them, registration is off. */
describe.skipIf(!POSTGRES_URL)('two processes', () => {
  let service: TestService;
  let off: TestService;
  let session: string;
  let home: TestDatabase;
  beforeAll(async () => {
    home = await createDatabase();
    service = await startService({ trustProxy: 'loopback', appRegistration: true }, { home });
    off = await startService({ trustProxy: 'loopback' }, { home: { ...home, drop: async () => {} } });
    session = await openSession(service, 'developer');
  });
  afterAll(async () => {
    await off.close();
    await service.close();
  });

  const stores = () => service.service.services.stores;

  describe('a registration', () => {
    const expire = (id: string) =>
      stores().prisma.registeredApp.update({ where: { id }, data: { expiresAt: new Date(Date.now() - 1_000) } });
    const sweepBoth = () => Promise.all([service, off].map(({ service: { services } }) => sweepApps(services)));

    it('is deleted if no member has connected the app for some time, and lives as long as a connection', async () => {
      const [unused, used] = [await registeredApp(service), await registeredApp(service)];
      const { refresh_token } = await used.connect(session);
      for (const { clientId } of [unused, used]) await expire(clientId);
      await sweepBoth();
      expect(await authorizationError(service, unused, {})).toMatchObject({ shown: 400 });
      const { status } = await used.refresh(refresh_token);
      expect(status).toBe(200);

      const app = await stores().prisma.connectedApp.findFirstOrThrow({ where: { clientId: used.clientId } });
      await stores().prisma.connectedApp.update({ where: { id: app.id }, data: { expiresAt: new Date(0) } });
      await sweepBoth();
      expect(await stores().prisma.connectedApp.count({ where: { id: app.id } })).toBe(0);
      await sweepBoth();
      expect(await used.start(new TestBrowser(service))).toMatch(/^[\w-]{43}$/);
      await expire(used.clientId);
      await sweepBoth();
      expect(await stores().prisma.registeredApp.findUnique({ where: { id: used.clientId } })).toBeNull();
    });

    it('is not deleted if it has not expired', async () => {
      const app = await registeredApp(service);
      await sweepBoth();
      expect(await app.start(new TestBrowser(service))).toMatch(/^[\w-]{43}$/);
    });

    it('that is deleted before the decision connects nothing', async () => {
      const app = await registeredApp(service);
      const browser = new TestBrowser(service);
      const requestId = await app.start(browser);
      await expire(app.clientId);
      await sweepBoth();
      const input = { request: requestId, environment: 'LIVE', scopes: ['RESOURCES_READ'] };
      const { body } = await decide(service, browser, session, ALLOW_APP, input);
      expect(body.data.allowApp).toMatchObject({
        code: 'INVALID_REQUEST',
        message: expect.stringContaining('Start again'),
      });
      expect(await stores().prisma.connectedApp.count({ where: { clientId: app.clientId } })).toBe(0);
    });

    it('and its connection are consistent if a sweep runs at the same time', async () => {
      for (let round = 0; round < 10; round += 1) {
        const app = await registeredApp(service);
        const browser = new TestBrowser(service);
        const requestId = await app.start(browser);
        await expire(app.clientId);
        const input = { request: requestId, environment: 'LIVE', scopes: ['RESOURCES_READ'] };
        const [{ body }] = await Promise.all([decide(service, browser, session, ALLOW_APP, input), sweepBoth()]);
        const isConnected = body.data.allowApp.redirectUrl !== undefined;
        const stored = await stores().prisma.registeredApp.count({ where: { id: app.clientId } });
        expect(stored).toBe(isConnected ? 1 : 0);
      }
    });
  });

  describe('a service where registration is off', () => {
    it('has no such path, and does not name it', async () => {
      expect((await sendRegistration(off, '{}')).status).toBe(404);
      const { body } = await off.send('GET', '/.well-known/oauth-authorization-server', { key: null });
      expect(body).not.toHaveProperty('registration_endpoint');
    });

    it('connects no registered app, and keeps those that members have connected', async () => {
      const app = await registeredApp(service);
      const { access_token: key, refresh_token } = await app.connect(session);
      const there = new TestApp(off, app.clientId);
      expect(await authorizationError(off, there, {})).toMatchObject({
        shown: 400,
        text: expect.stringContaining('registered themselves'),
      });
      expect((await off.send('GET', '/v1/resources', { key })).status).toBe(200);
      expect((await there.refresh(refresh_token)).status).toBe(200);
    });

    it('allows no request that began before', async () => {
      const app = await registeredApp(service);
      const browser = new TestBrowser(service);
      const requestId = await app.start(browser);
      const input = { request: requestId, environment: 'LIVE', scopes: ['RESOURCES_READ'] };
      const { body } = await decide(off, browser, session, ALLOW_APP, input);
      expect(body.data.allowApp).toMatchObject({ code: 'INVALID_REQUEST' });
    });
  });

  it('share registrations and connections', async () => {
    const third = await startService(
      { trustProxy: 'loopback', appRegistration: true },
      { home: { ...home, drop: async () => {} } },
    );
    const app = await registeredApp(service, undefined, third);
    const { access_token: key } = await app.connect(session);
    expect((await service.send('GET', '/v1/resources', { key })).status).toBe(200);
    await third.close();
  });
});
