import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Role } from '../../src/contract/roles.ts';
import { DEFAULT_APP_SCOPES } from '../../src/contract/scopes.ts';
import { APP_CALLBACK, type AppServer, startAppServer } from '../support/app-server.ts';
import { expectAccessible, expectQuiet, screenshot } from '../support/browser.ts';
import { TestApp } from '../support/connecting.ts';
import { ownAddress, type SignedInVisit, signedIn } from '../support/dashboard.ts';
import { freePorts } from '../support/free-ports.ts';
import { codeOf, FactorClient } from '../support/second-factors.ts';
import { startService, type TestService } from '../support/service.ts';
import { makeMember, makeWorkspace, openSessionOf } from '../support/tenants.ts';
import { launchBrowser, visit } from '../support/visit.ts';

const PASSWORD = 'the password of a member';

let service: TestService;
let browser: Browser;
let apps: AppServer;
/** The website of the app, which leads members to the service. */
let site: Server;
let siteUrl: string;
let app: TestApp;
beforeAll(async () => {
  const [port] = await freePorts(1);
  const publicUrl = `http://127.0.0.1:${port}`;
  [service, browser] = await Promise.all([
    startService({ trustProxy: 1, port: Number(port), publicUrl }),
    launchBrowser(),
  ]);
  apps = await startAppServer();
  app = new TestApp(service, apps.clientId('orders', { client_name: 'Order assistant' }));
  site = createServer((request, response) => {
    const { searchParams } = new URL(request.url ?? '', siteUrl);
    response.setHeader('content-type', 'text/html');
    response.end(`<!doctype html><html lang="en"><title>App</title><a href="${searchParams.get('to')}">Connect</a>`);
  }).listen(0, '127.0.0.1');
  await once(site, 'listening');
  siteUrl = `http://localhost:${(site.address() as AddressInfo).port}`;
});
afterAll(async () => {
  site?.close();
  await apps?.close();
  await service?.close();
});

const prisma = () => service.service.services.stores.prisma;

async function account(role: Role = 'developer') {
  const email = `${randomUUID()}@example.com`;
  const id = await makeMember(service, role, { email, password: PASSWORD, name: 'Ann Baker' });
  return { id, email, password: PASSWORD };
}

/** A member on the page of a request, which the app opened from its own site. */
async function asked(as: { email: string; password: string }, requester = app): Promise<SignedInVisit> {
  const window = await signedIn(browser, service, '/dashboard', { as });
  await openRequest(window.page, requester);
  await heading(window.page).waitFor();
  return window;
}

/** Follows the link of the app. The navigation comes from another site, as for every real app. */
async function openRequest(page: Page, requester = app): Promise<void> {
  await page.goto(`${siteUrl}/?to=${encodeURIComponent(service.url + requester.authorizeUrl())}`);
  await page.getByRole('link', { name: 'Connect' }).click();
}

const heading = (page: Page) => page.getByRole('heading', { name: 'Connect an app' });
const allow = (page: Page) => page.getByRole('button', { name: 'Allow' });
const deny = (page: Page) => page.getByRole('button', { name: 'Deny' });

/** Presses a button. Returns what the app receives: the browser cannot resolve its host, and does not need to. */
async function answerAfter(page: Page, button: Locator): Promise<URLSearchParams> {
  const request = page.waitForRequest((one) => one.url().startsWith(APP_CALLBACK));
  await button.click();
  return new URL((await request).url()).searchParams;
}

const connectedApps = (userId: string) => prisma().connectedApp.findMany({ where: { userId } });

async function sendPassword(page: Page, { email, password }: { email: string; password: string }): Promise<void> {
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}

describe('the page on which an app asks for access', () => {
  it('shows who asks for what, and gives the app a code', async () => {
    const member = await account();
    const window = await asked(member);
    const { page } = window;
    await page.getByText('The app gives itself this name.').waitFor();
    const main = (await page.getByRole('main').textContent()) ?? '';
    for (const text of ['“Order assistant”', new URL(app.clientId).host, 'app.example.com', member.email, 'Demo']) {
      expect(main).toContain(text);
    }
    expect(await page.getByRole('radio', { name: 'Live' }).isChecked()).toBe(true);
    expect(await page.getByRole('checkbox').count()).toBe(DEFAULT_APP_SCOPES.length);
    await expectAccessible(page);
    await screenshot(page, 'connect');
    await page.getByRole('radio', { name: 'Test' }).check();
    await page.getByRole('checkbox', { name: 'Create, change and delete resources' }).uncheck();
    const { status, body } = await app.redeem((await answerAfter(page, allow(page))).get('code') ?? '');
    const scopes = DEFAULT_APP_SCOPES.filter((scope) => scope !== 'resources:write');
    expect({ status, scope: body.scope }).toEqual({ status: 200, scope: scopes.join(' ') });
    expect(await connectedApps(member.id)).toMatchObject([{ environment: 'test', scopes }]);
    await window.close();
  });

  it('tells the app that the member denied', async () => {
    const member = await account();
    const window = await asked(member);
    const answer = await answerAfter(window.page, deny(window.page));
    expect(Object.fromEntries(answer)).toMatchObject({ error: 'access_denied', state: 'a state' });
    expect(await connectedApps(member.id)).toEqual([]);
    await window.close();
  });

  it('needs a permission, and offers only those of the role', async () => {
    const window = await asked(await account('viewer'));
    const { page } = window;
    expect(await page.getByRole('checkbox', { name: 'Create, change and delete resources' }).isDisabled()).toBe(true);
    const checked = page.getByRole('checkbox', { checked: true });
    for (let left = await checked.count(); left > 0; left -= 1) await checked.first().uncheck();
    await allow(page).click();
    await page.getByRole('alert').filter({ hasText: 'Select at least one permission.' }).waitFor();
    await page.getByRole('checkbox', { name: 'Read resources' }).check();
    const { body } = await app.redeem((await answerAfter(page, allow(page))).get('code') ?? '');
    expect(body.scope).toBe('resources:read');
    await window.close();
  });

  it('lets a member without the permissions only deny', async () => {
    const window = await signedIn(browser, service, '/dashboard', { as: await account('viewer') });
    const { page } = window;
    await page.goto(service.url + app.authorizeUrl({ scope: 'resources:write keys:manage' }));
    await page.getByText('so you can only deny').waitFor();
    expect(await allow(page).isDisabled()).toBe(true);
    expect(await deny(page).isEnabled()).toBe(true);
    await window.close();
  });

  it('says which permissions outlast the access', async () => {
    const window = await signedIn(browser, service, '/dashboard', { as: await account('admin') });
    const { page } = window;
    await page.goto(service.url + app.authorizeUrl({ scope: 'resources:read keys:manage end_users:manage' }));
    await heading(page).waitFor();
    await page.getByRole('checkbox', { name: 'Read resources' }).waitFor();
    expect(await page.getByText('stays valid after you disconnect it').count()).toBe(2);
    await window.close();
  });

  it('warns about programs on the computer, and starts with their test data', async () => {
    const callback = `${siteUrl.replace('localhost', '127.0.0.1')}/callback`;
    const program = new TestApp(service, apps.clientId('Editor', { redirect_uris: [callback] }), callback);
    const window = await asked(await account(), program);
    const { page } = window;
    await page.getByText('A program on this computer gets the access').waitFor();
    expect(await page.getByRole('radio', { name: 'Test' }).isChecked()).toBe(true);
    await expectAccessible(page);
    await screenshot(page, 'connect-program');
    await allow(page).click();
    await page.waitForURL(`${callback}**`);
    expect((await program.redeem(new URL(page.url()).searchParams.get('code') ?? '')).status).toBe(200);
    await window.close();
  });

  it('stays open when the answer opens another program', async () => {
    const callback = 'com.example.editor:/callback';
    const document = { application_type: 'native', redirect_uris: [callback] };
    const program = new TestApp(service, apps.clientId('Native', document), callback);
    const window = await asked(await account(), program);
    const { page } = window;
    await page.getByText('A program on this computer (com.example.editor:)').waitFor();
    await deny(page).click();
    await page.getByText('If it does not open, return to it yourself.').waitFor();
    await screenshot(page, 'connect-answered');
    expect(new URL(page.url()).pathname).toMatch(/^\/dashboard\/connect\//);
    await window.close();
  });

  it('warns about apps that nobody verified', async () => {
    const window = await asked(await account());
    const { page } = window;
    const idHash = { kind: 'Interaction', consumedAt: null };
    const row = await prisma().authorizationRecord.findFirstOrThrow({ where: idHash, orderBy: { expiresAt: 'desc' } });
    const payload = { ...(row.payload as object), app: { name: '\u202eknab ruoY', host: null } };
    await prisma().authorizationRecord.update({ where: { idHash: row.idHash }, data: { payload } });
    await page.reload();
    await page.getByText('Nobody has verified this app.').waitFor();
    await page.getByText('Unverified', { exact: true }).waitFor();
    expect(await page.getByRole('radio', { name: 'Test' }).isChecked()).toBe(true);
    await expectAccessible(page);
    await window.close();
  });

  it('ignores the second click of a double click that began in another window', async () => {
    const member = await account();
    const window = await asked(member);
    const { page } = window;
    await allow(page).and(page.locator(':not([aria-disabled])')).waitFor();
    await page.evaluate(() => {
      dispatchEvent(new Event('focus'));
    });
    await allow(page).and(page.locator('[aria-disabled]')).waitFor();
    await allow(page).dispatchEvent('click');
    await allow(page).and(page.locator(':not([aria-disabled])')).waitFor();
    expect(await connectedApps(member.id)).toEqual([]);
    await window.close();
  });

  it('says that a request has expired, before and after the answer', async () => {
    const window = await asked(await account());
    const { page } = window;
    await allow(page).waitFor();
    await prisma().authorizationRecord.updateMany({ where: { kind: 'Interaction' }, data: { expiresAt: new Date(0) } });
    await allow(page).click();
    await page.getByText('There is nothing to decide here.').waitFor();
    await page.reload();
    await page.getByText('There is nothing to decide here.').waitFor();
    await expectAccessible(page);
    await screenshot(page, 'connect-expired');
    await page.goto(`${service.url}/dashboard/connect/${'x'.repeat(43)}`);
    await page.getByText('There is nothing to decide here.').waitFor();
    expectQuiet(window);
    await window.close();
  });

  it('cannot be shown in a frame', async () => {
    const { headers } = await fetch(`${service.url}/dashboard/connect/any`);
    expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
  });
});

describe('a member who is not signed in', () => {
  it('signs in first, with a second factor too', async () => {
    const member = await account();
    const { secret } = await new FactorClient(service).enrol(await openSessionOf(service, member.id), PASSWORD);
    const window = await visit(browser, service.url, ownAddress());
    const page = await window.open('/healthz');
    await openRequest(page);
    await page.getByText('An app asks for access to your workspace. Sign in to decide.').waitFor();
    await screenshot(page, 'connect-sign-in');
    await sendPassword(page, member);
    await page.getByLabel('Code from your authenticator app').fill(codeOf(secret));
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await heading(page).waitFor();
    expect((await answerAfter(page, allow(page))).get('code')).toMatch(/^oac_/);
    await window.close();
  });

  it('can use another account or workspace', async () => {
    const [first, second] = [await account(), await account()];
    const { id: workspaceId } = await makeWorkspace(service);
    const createdAt = new Date();
    await prisma().membership.create({
      data: { workspaceId, userId: second.id, role: 'admin', createdAt, acceptsPassword: true },
    });
    const window = await asked(first);
    const { page } = window;
    await page.getByRole('button', { name: 'Use another account' }).click();
    await sendPassword(page, second);
    await page.getByText(second.email).waitFor();
    await page.getByLabel('Use another workspace').waitFor();
    await screenshot(page, 'connect-workspaces');
    await window.close();
  });
});

describe('the connected apps of a member', () => {
  it('are listed on the page of the account, and can be disconnected', async () => {
    const member = await account();
    const tokens = await app.connect(await openSessionOf(service, member.id));
    const window = await signedIn(browser, service, '/dashboard/account', { as: member });
    const { page } = window;
    const row = page.getByRole('row', { name: /Order assistant/ });
    await row.getByText('Live', { exact: true }).waitFor();
    expect(await row.textContent()).toContain(DEFAULT_APP_SCOPES.join(', '));
    await expectAccessible(page);
    await row.scrollIntoViewIfNeeded();
    await screenshot(page, 'connected-apps');
    await page.getByRole('button', { name: 'Disconnect Order assistant' }).click();
    const dialog = page.getByRole('dialog', { name: 'Disconnect “Order assistant”?' });
    await dialog.getByText('loses its access immediately').waitFor();
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Disconnect', exact: true }).click();
    await page.getByText('You have connected no apps.').waitFor();
    expect((await service.send('GET', '/v1/resources', { key: tokens.access_token })).status).toBe(401);
    expectQuiet(window);
    await window.close();
  });
});
