import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEMO_AGENT_ID } from '../../src/domain/first-start.ts';
import { APP_CALLBACK, type AppServer, startAppServer } from '../support/app-server.ts';
import { expectAccessible, expectQuiet, screenshot } from '../support/browser.ts';
import { TestApp } from '../support/connecting.ts';
import { ownAddress } from '../support/dashboard.ts';
import { EndUserSite } from '../support/end-user-connecting.ts';
import { freePorts } from '../support/free-ports.ts';
import { registeredApp } from '../support/registering.ts';
import { startService, type TestService } from '../support/service.ts';
import { launchBrowser, type Visit, visit } from '../support/visit.ts';

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const UPDATE = `mutation ($id: ID!, $branding: DeploymentBrandingInput, $hostedPage: Boolean) {
  updateDeployment(input: { deploymentId: $id, branding: $branding, hostedPage: $hostedPage }) {
    __typename ... on Error { message } } }`;

let service: TestService;
let browser: Browser;
let apps: AppServer;
let users: EndUserSite;
/** The website of the app, which leads end users to the service. */
let website: Server;
let websiteUrl: string;
beforeAll(async () => {
  const [port] = await freePorts(1);
  const publicUrl = `http://127.0.0.1:${port}`;
  [service, browser] = await Promise.all([
    startService({ trustProxy: 1, port: Number(port), publicUrl, appRegistration: true }),
    launchBrowser(),
  ]);
  apps = await startAppServer();
  const clientId = apps.clientId('helper', { client_name: 'My helper' });
  // To the browser, the provider is another site.
  users = await EndUserSite.open(service, { deploymentId: DEMO_AGENT_ID, clientId }, 'localhost');
  const branding = { name: 'Blue Shoes', logo: PNG, accent: '#0a5c36' };
  const { body } = await service.graphql(UPDATE, { id: DEMO_AGENT_ID, branding, hostedPage: false });
  expect(body.data.updateDeployment).toEqual({ __typename: 'UpdateDeploymentPayload' });
  website = createServer((request, response) => {
    const { searchParams } = new URL(request.url ?? '', websiteUrl);
    response.setHeader('content-type', 'text/html');
    response.end(`<!doctype html><html lang="en"><title>App</title><a href="${searchParams.get('to')}">Connect</a>`);
  }).listen(0, '127.0.0.1');
  await once(website, 'listening');
  websiteUrl = `http://localhost:${(website.address() as AddressInfo).port}`;
});
afterAll(async () => {
  website?.close();
  users?.close();
  await apps?.close();
  await service?.close();
});

const prisma = () => service.service.services.stores.prisma;

interface Person extends Visit {
  readonly page: Page;
}

/** A person at the page of the issuer. The navigation began at another site, as for every real app. */
async function sentToIssuer(app: TestApp = users.app): Promise<Person> {
  const window = await visit(browser, service.url, ownAddress());
  const page = await window.open('/healthz');
  const to = service.url + app.authorizeUrl({ resource: users.resource });
  await page.goto(`${websiteUrl}/?to=${encodeURIComponent(to)}`);
  await page.getByRole('link', { name: 'Connect' }).click();
  await page.locator('input[name=login]').waitFor();
  return { ...window, page };
}

/** A person on the page with the decision. */
async function asked(app?: TestApp): Promise<Person> {
  const window = await sentToIssuer(app);
  const { page } = window;
  await page.locator('input[name=login]').fill('ada');
  await page.locator('input[name=password]').fill('any');
  await page.locator('button[type=submit]').click();
  await page.getByRole('button', { name: 'Continue' }).click();
  await allow(page).waitFor();
  // Complaints about the pages of the issuer. Then the page of the service loads alone.
  for (const complaints of [window.consoleErrors, window.foreignRequests]) complaints.splice(0);
  await page.reload();
  await allow(page).waitFor();
  return window;
}

const allow = (page: Page) => page.getByRole('button', { name: 'Allow' });
const deny = (page: Page) => page.getByRole('button', { name: 'Deny' });

/** Presses a button. Returns what the app receives: the browser cannot resolve its host, and does not need to. */
async function answerAfter(page: Page, button: Locator): Promise<URLSearchParams> {
  const request = page.waitForRequest((one) => one.url().startsWith(APP_CALLBACK));
  await button.click();
  return new URL((await request).url()).searchParams;
}

const connectedApps = () => prisma().connectedApp.count({ where: { endUser: { not: null } } });

describe('the page on which an app asks an end user for access', () => {
  it('shows who asks for what and as whom, after the sign-in at the issuer, and gives the app a code', async () => {
    const window = await asked();
    const { page } = window;
    expect(new URL(page.url()).pathname).toMatch(/^\/connect\/[\w-]+$/);
    await page.getByRole('heading', { name: 'Connect an assistant', level: 1 }).waitFor();
    const main = (await page.getByRole('main').textContent()) ?? '';
    const hosts = [new URL(users.app.clientId).host, 'app.example.com', new URL(users.provider.issuer).host];
    const scopes = ['Read your conversations', 'Send messages in your name'];
    for (const text of ['“My helper”', 'Blue Shoes', 'Ada Lovelace', ...hosts, ...scopes]) expect(main).toContain(text);
    expect(main).toContain('This address was verified.');
    expect(main).not.toContain('Unverified');
    await expectAccessible(page);
    await screenshot(page, 'connect-end-user');
    expectQuiet(window);
    const { status, body } = await users.app.redeem((await answerAfter(page, allow(page))).get('code') ?? '');
    expect({ status, scope: body.scope }).toEqual({ status: 200, scope: 'conversations:read conversations:write' });
    expect((await service.send('GET', '/v1/conversations', { key: body.access_token })).status).toBe(200);
    await window.close();
  });

  it('has the logo and the color of the deployment, whose own page is off', async () => {
    expect((await fetch(`${service.url}/agent/${DEMO_AGENT_ID}`)).status).toBe(404);
    const window = await asked();
    const logo = window.page.locator('header img');
    await expect.poll(() => logo.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBeGreaterThan(0);
    const accent = () => document.documentElement.style.getPropertyValue('--color-accent');
    expect(await window.page.evaluate(accent)).not.toBe('');
    expectQuiet(window);
    await window.close();
  });

  it('sends the answer of a user who denies to the app', async () => {
    const before = await connectedApps();
    const window = await asked();
    const answer = await answerAfter(window.page, deny(window.page));
    expect(Object.fromEntries(answer)).toMatchObject({ error: 'access_denied', state: 'a state' });
    expect(await connectedApps()).toBe(before);
    await window.close();
  });

  it('warns about an app that registered itself', async () => {
    const app = await registeredApp(service);
    const window = await asked(app);
    const { page } = window;
    await page.getByText('Nobody has verified this app. The owner of app.example.com gets the access.').waitFor();
    await page.getByText('Unverified', { exact: true }).waitFor();
    expect(await page.getByText('This address was verified.').count()).toBe(0);
    await expectAccessible(page);
    await screenshot(page, 'connect-end-user-unverified');
    const { status } = await app.redeem((await answerAfter(page, allow(page))).get('code') ?? '');
    expect(status).toBe(200);
    await window.close();
  });

  it('warns about a program on the computer, even if it has a document', async () => {
    const callback = `${websiteUrl.replace('localhost', '127.0.0.1')}/callback`;
    const program = new TestApp(service, apps.clientId('Editor', { redirect_uris: [callback] }), callback);
    const window = await asked(program);
    const { page } = window;
    await page.getByText('A program on this computer gets the access, and nobody can check which one.').waitFor();
    await page.getByText('Unverified', { exact: true }).waitFor();
    await page.getByText(`A program on this computer (${new URL(callback).host})`).waitFor();
    expect(await page.getByText('This address was verified.').count()).toBe(0);
    await expectAccessible(page);
    await screenshot(page, 'connect-end-user-program');
    await allow(page).click();
    await page.waitForURL(`${callback}**`);
    expect((await program.redeem(new URL(page.url()).searchParams.get('code') ?? '')).status).toBe(200);
    await window.close();
  });

  it('stays open when the answer opens another program', async () => {
    const callback = 'com.example.editor:/callback';
    const document = { application_type: 'native', redirect_uris: [callback] };
    const window = await asked(new TestApp(service, apps.clientId('Native', document), callback));
    const { page } = window;
    await page.getByText('A program on this computer (com.example.editor:)').waitFor();
    await deny(page).click();
    await page.getByText('If it does not open, return to it yourself.').waitFor();
    await screenshot(page, 'connect-end-user-answered');
    expect(new URL(page.url()).pathname).toMatch(/^\/connect\//);
    await window.close();
  });

  it('says that a request has expired, before and after the answer', async () => {
    const window = await asked();
    const { page } = window;
    await prisma().authorizationRecord.updateMany({ where: { kind: 'Interaction' }, data: { expiresAt: new Date(0) } });
    await allow(page).and(page.locator(':not([aria-disabled])')).click();
    await page.getByText('There is nothing to decide here.').waitFor();
    expect(await allow(page).count()).toBe(0);
    const response = await page.reload();
    expect(response?.status()).toBe(404);
    await page.getByText('The request of the app is too old').waitFor();
    await expectAccessible(page);
    await screenshot(page, 'connect-end-user-expired');
    await window.close();
  });

  it('asks for another sign-in if the first one does not count any more', async () => {
    const window = await asked();
    const { page, context } = window;
    await context.clearCookies({ name: 'parley_connection_user' });
    await allow(page).and(page.locator(':not([aria-disabled])')).click();
    await page.getByText('Your sign-in does not count any more.').waitFor();
    await expectAccessible(page);
    await screenshot(page, 'connect-end-user-again');
    // The person is still signed in at the issuer, which sends the browser back at once.
    await page.getByRole('link', { name: 'Sign in again' }).click();
    await page.getByText('Ada Lovelace').waitFor();
    expect((await answerAfter(page, allow(page))).get('code')).toMatch(/^oac_/);
    await window.close();
  });

  it('says that the sign-in was cancelled, and lets the user try again', async () => {
    const window = await sentToIssuer();
    const { page } = window;
    await page.getByRole('link', { name: 'Cancel' }).click();
    await page.getByText('The sign-in was cancelled or refused.').waitFor();
    await expectAccessible(page);
    await screenshot(page, 'connect-end-user-cancelled');
    await page.getByRole('link', { name: 'Sign in again' }).click();
    await page.locator('input[name=login]').waitFor();
    await window.close();
  });

  it('speaks the language of the person', async () => {
    const window = await asked();
    const { page } = window;
    await page.addInitScript(() => Object.defineProperty(navigator, 'languages', { value: ['de-DE'] }));
    await page.reload();
    await page.getByRole('button', { name: 'Erlauben' }).waitFor();
    await page.getByRole('heading', { name: 'Assistenten verbinden' }).waitFor();
    await screenshot(page, 'connect-end-user-de');
    // Its script would run in the pages of other tests.
    await window.context.close();
  });
});
