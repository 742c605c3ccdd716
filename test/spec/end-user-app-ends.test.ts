import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { lockIssuer } from '../../src/domain/access/end-users/issuer-lock.ts';
import { DEMO_AGENT_ID, DEMO_CHAT_ID } from '../../src/domain/first-start.ts';
import { type AppServer, startAppServer } from '../support/app-server.ts';
import { TestBrowser } from '../support/connecting.ts';
import { POSTGRES_URL } from '../support/database.ts';
import { EndUserSite } from '../support/end-user-connecting.ts';
import { ERASE_END_USER, REVOKE_TOKENS } from '../support/end-users.ts';
import { FAKE_CLIENT } from '../support/fake-oidc.ts';
import { startService, type TestService } from '../support/service.ts';
import { makeKey } from '../support/tenants.ts';

let service: TestService;
let apps: AppServer;
let site: EndUserSite;
beforeAll(async () => {
  service = await startService({ trustProxy: 'loopback' });
  apps = await startAppServer();
  site = await EndUserSite.open(service, { deploymentId: DEMO_AGENT_ID, clientId: apps.clientId('assistant') });
});
afterAll(async () => {
  site?.close();
  await apps.close();
  await service.close();
});

const prisma = () => service.service.services.stores.prisma;
const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
const post = (path: string, key: string) => service.send('POST', path, { key, body: LIST });
const isWaiting = async () => {
  const rows = await prisma().$queryRaw<object[]>`
    SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
  return rows.length > 0;
};
const conversations = (key: string) => service.send('GET', '/v1/conversations', { key });

describe('the access of an app of an end user ends', () => {
  const admin = () => makeKey(service, { scopes: ['end_users:manage'] });
  const endings: [string, () => Promise<unknown>][] = [
    [
      'when the tokens of the user are revoked',
      async () => service.graphql(REVOKE_TOKENS, { input: { endUser: 'ada' } }, { key: await admin() }),
    ],
    [
      'when the user is erased',
      async () => service.graphql(ERASE_END_USER, { input: { endUser: 'ada' } }, { key: await admin() }),
    ],
    ['when the issuer is removed', () => site.remove()],
    ['when sign-in is no longer offered', () => site.offer({ signIn: null })],
    ['when the client changes', () => site.offer({ signIn: { clientId: 'another', clientSecret: 'x' } })],
    ['when the issuer changes', () => site.offer({ issuer: 'https://1.1.1.1/other' })],
    ['when the claim with scopes changes', () => site.offer({ scopeClaim: 'name' })],
    ['when the deployment is no longer one of the issuer', () => site.offer({ deploymentIds: [DEMO_CHAT_ID] })],
  ];

  it.each(endings)('%s', async (_case, end) => {
    await site.offer();
    // A revocation also rejects sign-ins of the seconds around it.
    await prisma().revokedEndUser.deleteMany({});
    const { access_token: key, refresh_token: token } = await site.connect('ada');
    expect((await conversations(key)).status).toBe(200);
    await end();
    expect((await conversations(key)).status).toBe(401);
    expect((await site.app.refresh(token)).body).toMatchObject({ error: 'invalid_grant' });
    expect(await prisma().connectedApp.count({ where: { endUser: 'ada' } })).toBe(0);
    await site.offer();
    expect((await conversations(key)).status).toBe(401);
  });

  it('when sign-in is offered again after an earlier release removed it', async () => {
    await site.offer();
    await prisma().revokedEndUser.deleteMany({});
    const { access_token: key } = await site.connect('ada');
    const where = { environmentId: site.environmentId };
    await prisma().endUserIssuer.updateMany({ where, data: { signInClientId: null, sealedSignInSecret: null } });
    expect((await conversations(key)).status).toBe(401);
    await site.offer();
    expect((await conversations(key)).status).toBe(401);
  });

  it('not when another deployment is added', async () => {
    await site.offer();
    await prisma().revokedEndUser.deleteMany({});
    const { access_token: key } = await site.connect('ada');
    await site.offer({ deploymentIds: [DEMO_AGENT_ID, DEMO_CHAT_ID], signIn: { clientId: FAKE_CLIENT.clientId } });
    expect((await conversations(key)).status).toBe(200);
    expect((await post(`/mcp/deployments/${DEMO_CHAT_ID}`, key)).status).toBe(401);
    await site.offer();
  });

  it('before a user who signed in earlier can allow one', async () => {
    const browser = new TestBrowser(service);
    const requestId = await site.signIn(browser, 'ada');
    await service.graphql(REVOKE_TOKENS, { input: { endUser: 'ada' } }, { key: await admin() });
    expect((await site.answer(browser, requestId, 'allow')).status).toBe(401);
    expect(await prisma().connectedApp.count({ where: { endUser: 'ada' } })).toBe(0);
    await prisma().revokedEndUser.deleteMany({});
  });

  it.skipIf(!POSTGRES_URL)('with the lock of the new issuer if it was replaced during the wait', async () => {
    await site.offer();
    const { environmentId } = site;
    const replaced = await prisma().$transaction(
      async (tx) => {
        const issuer = await tx.endUserIssuer.delete({ where: { environmentId } });
        await tx.endUserIssuer.create({ data: { ...issuer, id: `${issuer.id}2`, scopeClaim: 'new' } });
        const locking = prisma().$transaction((other) => lockIssuer(other, environmentId), { timeout: 60_000 });
        await expect.poll(isWaiting).toBe(true);
        return { locking };
      },
      { timeout: 60_000 },
    );
    expect(await replaced.locking).toMatchObject({ scopeClaim: 'new' });
    await site.offer();
  });

  it.skipIf(!POSTGRES_URL)('before it begins if the issuer changes during the answer', async () => {
    await site.offer();
    const browser = new TestBrowser(service);
    const requestId = await site.signIn(browser, 'ada');
    let isAnswered = false;
    const answer = await prisma().$transaction(
      async (tx) => {
        const where = { environmentId: site.environmentId };
        await tx.endUserIssuer.updateMany({ where, data: { signInClientId: 'another' } });
        const answering = site.answer(browser, requestId, 'allow').finally(() => {
          isAnswered = true;
        });
        await expect.poll(async () => isAnswered || (await isWaiting())).toBe(true);
        // Not awaited here: it waits for this transaction.
        return { answering };
      },
      { timeout: 60_000 },
    );
    expect((await answer.answering).status).toBe(401);
    expect(await prisma().connectedApp.count({ where: { endUser: 'ada' } })).toBe(0);
    await site.offer();
  });
});
