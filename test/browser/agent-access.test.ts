import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AGENT_PAGE, composer, conversationOf, reply, say } from '../support/agent-page.ts';
import { expectAccessible, expectQuiet, screenshot } from '../support/browser.ts';
import { startService, type TestService } from '../support/service.ts';
import { makeDeployment } from '../support/tenants.ts';
import { launchBrowser, visit } from '../support/visit.ts';

let service: TestService;
let browser: Browser;
let site: Server;
beforeAll(async () => {
  [service, browser] = await Promise.all([startService(), launchBrowser()]);
});
afterAll(async () => {
  site?.close();
  await service?.close();
});

const DESK = { kind: 'agent', name: 'Desk', hostedPage: true } as const;

describe('the agent page without a visitor session', () => {
  it('offers a reload when the session has expired and continues the conversation', async () => {
    const window = await visit(browser, service.url);
    const page = await window.open(AGENT_PAGE);
    await say(page, 'Hello');
    await reply(page, 'You said: Hello').waitFor();
    await window.context.clearCookies();
    await say(page, 'Still there?');
    await page.getByText('Your session has expired. Sessions last 24 hours.').waitFor();
    await expectAccessible(page);
    await screenshot(page, 'agent-visit-over');
    expect(window.consoleErrors.length).toBeGreaterThan(0);
    expect(window.consoleErrors.filter((complaint) => !complaint.includes('401'))).toEqual([]);
    await page.getByRole('button', { name: 'Reload page' }).click();
    await reply(page, 'You said: Hello').waitFor();
    await say(page, 'Back again');
    await reply(page, 'You said: Back again').waitFor();
    await window.close();
  });

  it('links to a new tab in a frame of another site, where browsers send no cookies', async () => {
    const { id } = await makeDeployment(service, {}, { ...DESK, allowlist: ['localhost'] });
    site = createServer((_request, response) => {
      response.setHeader('content-type', 'text/html');
      response.end(`<!doctype html><title>Shop</title><iframe title="Agent" width="360" height="560"
        src="${service.url}/agent/${id}"></iframe>`);
    });
    await new Promise<void>((resolve) => site.listen(0, 'localhost', resolve));
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(`http://localhost:${(site.address() as AddressInfo).port}/`);
    const frame = page.frameLocator('iframe');
    await frame.getByRole('textbox', { name: 'Message' }).fill('Hello');
    await frame.getByRole('button', { name: 'Send', exact: true }).click();
    const way = frame.getByRole('link', { name: 'Open in a new tab' });
    await way.waitFor();
    const [opened] = await Promise.all([context.waitForEvent('page'), way.click()]);
    await say(opened, 'Out here');
    await reply(opened, 'You said: Out here').waitFor();
    await context.close();
  });
});

describe('rate limits on the agent page', () => {
  it('shows the waiting time and continues automatically', async () => {
    const { id } = await makeDeployment(service, {}, DESK);
    const limit = (anonymousPerMinute: number) =>
      service.service.services.stores.prisma.deployment.update({ where: { id }, data: { anonymousPerMinute } });
    await limit(100);
    const window = await visit(browser, service.url);
    const page = await window.open(`/agent/${id}`);
    await say(page, 'One');
    await reply(page, 'You said: One').waitFor();
    // The page offers to send again once it has read the turn to its end. Until then it may reconnect.
    await page.getByRole('button', { name: 'Send', exact: true }).waitFor();
    await limit(1);
    // This is the only request allowed in this minute.
    await page.request.get(`${service.url}/v2/runner/${id}/conversation/${await conversationOf(page)}/history`);
    // Shorter than the service's own Retry-After, which is up to 60 s.
    await page.route('**/v2/runner/**', async (route) => {
      const response = await route.fetch();
      const headers = response.headers();
      await route.fulfill({ response, headers: { ...headers, ...(headers['retry-after'] && { 'retry-after': '8' }) } });
    });
    await say(page, 'Two');
    await page.getByText(/Too many requests. This page continues automatically in \d+ seconds?\./).waitFor();
    // Lift the limit at once, because the SDK retries only for a limited time.
    await limit(100);
    await expectAccessible(page);
    await screenshot(page, 'agent-limited');
    await reply(page, 'You said: Two').waitFor();
    await page.getByText('Too many requests').waitFor({ state: 'detached' });
    expect(window.consoleErrors.filter((complaint) => !complaint.includes('429'))).toEqual([]);
    await window.close();
  });
});

describe('the agent page without a network', () => {
  it('shows a notice, keeps the draft and continues automatically', async () => {
    const window = await visit(browser, service.url);
    const page = await window.open(AGENT_PAGE);
    await say(page, 'Hello');
    await reply(page, 'You said: Hello').waitFor();
    expectQuiet(window);
    await composer(page).fill('Half a thought');
    await window.context.setOffline(true);
    await page.getByText('You are offline.').waitFor();
    await screenshot(page, 'agent-offline');
    await window.context.setOffline(false);
    await page.getByText('You are offline.').waitFor({ state: 'detached' });
    await expect.poll(() => composer(page).inputValue()).toBe('Half a thought');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await reply(page, 'You said: Half a thought').waitFor();
    await window.close();
  });
});
