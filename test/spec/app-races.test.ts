import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hashToken } from '../../src/domain/access/tokens.ts';
import { type AppServer, startAppServer } from '../support/app-server.ts';
import { ALLOW_APP, decide, TestApp, TestBrowser, type TokenReply } from '../support/connecting.ts';
import { createDatabase, POSTGRES_URL } from '../support/database.ts';
import { startService, type TestService } from '../support/service.ts';
import { openSession } from '../support/tenants.ts';

describe.skipIf(!POSTGRES_URL)('two processes', () => {
  let services: readonly [TestService, TestService];
  let apps: AppServer;
  let senders: readonly [TestApp, TestApp];
  let session: string;
  beforeAll(async () => {
    const home = await createDatabase();
    const first = await startService({}, { home });
    services = [first, await startService({}, { home })];
    apps = await startAppServer();
    const clientId = apps.clientId('assistant');
    senders = [new TestApp(services[0], clientId), new TestApp(services[1], clientId)];
    session = await openSession(services[0], 'developer');
  });
  afterAll(async () => {
    await apps.close();
    for (const service of [...services].reverse()) await service.close();
  });

  const status = async (key: string) => (await services[1].send('GET', '/v1/resources', { key })).status;

  /** One of two requests at most gets tokens, and the app has lost them afterwards. */
  async function expectOneUse(replies: readonly TokenReply[]): Promise<void> {
    expect(replies.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1);
    for (const reply of replies) {
      if (reply.status === 200) expect(await status(reply.body.access_token)).toBe(401);
      else expect(reply).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
    }
  }

  it('accept a refresh token once, and end its app', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { refresh_token: token } = await senders[0].connect(session);
      await expectOneUse(await Promise.all(senders.map((sender) => sender.refresh(token))));
    }
  });

  it('accept a code once, and end its app', async () => {
    const [first, second] = senders;
    for (let round = 0; round < 5; round += 1) {
      const code = (await first.allow(session)).searchParams.get('code') ?? '';
      const changes = { code_verifier: first.verifier };
      await expectOneUse(await Promise.all([first.redeem(code), second.redeem(code, changes)]));
    }
  });

  it('let no session allow an app after another process has ended it', async () => {
    const [service] = services;
    const own = await openSession(service, 'developer');
    const browser = new TestBrowser(service);
    const requestId = await senders[0].start(browser);
    const input = { request: requestId, environment: 'LIVE', scopes: ['RESOURCES_READ'] };
    const { prisma } = service.service.services.stores;
    const pending = await prisma.$transaction(async (tx) => {
      await tx.session.update({ where: { tokenHash: hashToken(own) }, data: { revokedAt: new Date() } });
      const decision = decide(service, browser, own, ALLOW_APP, input);
      const waiting = () => prisma.$queryRaw<object[]>`
        SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
      await expect.poll(waiting).not.toEqual([]);
      return [decision];
    });
    const { body } = await (pending[0] as ReturnType<typeof decide>);
    expect(body.errors[0].extensions.code).toBe('UNAUTHORIZED');
    expect(await prisma.connectedApp.count({ where: { scopes: { equals: ['resources:read'] } } })).toBe(0);
  });

  it('know at once that an app was disconnected', async () => {
    const { access_token: key, refresh_token: token } = await senders[0].connect(session);
    expect(await status(key)).toBe(200);
    await senders[1].refresh(token);
    await senders[0].refresh(token);
    expect(await status(key)).toBe(401);
  });
});
