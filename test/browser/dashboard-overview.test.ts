import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectAccessible, expectQuiet, launchBrowser, screenshot } from '../support/browser.ts';
import { signedIn, signInAt } from '../support/dashboard.ts';
import { plantConversations, plantUsage } from '../support/dashboard-data.ts';
import { accept, invited } from '../support/members.ts';
import { startService, type TestService } from '../support/service.ts';

/** How long something may take that is not there at once. */
const SOON = { timeout: 15_000 };

let service: TestService;
let browser: Browser;
beforeAll(async () => {
  [service, browser] = await Promise.all([startService(), launchBrowser()]);
});
afterAll(async () => {
  await browser?.close();
  await service?.close();
});

/** A bearer of the owner's. */
async function ownerToken(): Promise<string> {
  const { body } = await service.graphql(
    'mutation ($input: SignInInput!) { signIn(input: $input) { token } }',
    { input: service.owner },
    { key: null },
  );
  return body.data.signIn.token;
}

describe('the overview', () => {
  it('says how the first turn comes to be, where there is none yet', async () => {
    const window = await signedIn(browser, service);
    const { page } = window;
    await page.getByText('No turn in the last 30 days').waitFor();
    expect(await page.getByRole('link', { name: 'Try Demo chat' }).getAttribute('href')).toMatch(/^\/chat\//);
    await page.getByText('Nothing is running or waiting').waitFor();
    await expectAccessible(page);
    await screenshot(page, 'dashboard-overview-empty');
    expectQuiet(window);
    await window.close();
  });

  it('shows turns that run elsewhere as they come, without being loaded again', async () => {
    const window = await signedIn(browser, service);
    const { page } = window;
    await page.getByText('Nothing is running or waiting').waitFor();
    await page.getByRole('status').filter({ hasText: 'Live' }).waitFor();
    await service.agentTurn('/ask', { client_capabilities: ['ask_user'] });
    const underWay = page.getByRole('table', { name: 'Under way' });
    await underWay.getByRole('link', { name: '/ask' }).waitFor();
    await underWay.getByText('Waiting').first().waitFor();
    await page.getByText('Waiting now').locator('xpath=following-sibling::dd[1]').filter({ hasText: '1' }).waitFor();
    await service.agentTurn('/fail');
    await page.getByRole('table', { name: 'Newest failures' }).getByText('model_error').waitFor();
    await page.getByRole('heading', { name: 'Latency' }).waitFor();
    expectQuiet(window);
    await window.close();
  });

  it('draws turns, failures, tokens and latency of the days that the address says, with a table behind each', async () => {
    await plantConversations(service, 4);
    await plantUsage(service, 90);
    const window = await signedIn(browser, service);
    const { page } = window;
    await page.getByText('7 days', { exact: true }).click();
    await page.waitForURL(/\?days=7$/);
    await page.reload();
    await page.getByRole('heading', { name: 'Tokens' }).waitFor();
    expect(await page.getByLabel('7 days').isChecked()).toBe(true);
    await page.getByText('Show as table').first().click();
    const table = page.getByRole('table', { name: 'Turns by day' });
    expect(await table.locator('tbody tr').count()).toBe(7);
    const { body } = await service.graphql(
      'query ($from: DateTime!, $to: DateTime!) { usage(from: $from, to: $to) { day turns } }',
      {
        from: new Date(Date.now() - 10 * 86_400_000).toISOString(),
        to: new Date(Date.now() + 86_400_000).toISOString(),
      },
    );
    const [latest] = body.data.usage;
    expect(await table.locator('tbody tr').last().innerText()).toBe(`${latest.day}\t${latest.turns}`);
    await page.getByText('Show as table').first().click();
    expect(await page.locator('canvas').count()).toBe(4);
    await page.locator('.u-over').first().hover();
    const [, month = '', date = ''] = /(\w+) (\d+)/.exec(await page.getByText(/^[A-Z][a-z]{2} \d+$/).innerText()) ?? [];
    const pointed = new Date(`${month} ${date} ${new Date().getUTCFullYear()} UTC`).toISOString().slice(0, 10);
    const told = body.data.usage.find((one: { day: string }) => one.day === pointed);
    await page
      .getByRole('listitem')
      .filter({ hasText: `Turns${told.turns}` })
      .waitFor();
    await page.getByText('30 days', { exact: true }).click();
    await page.getByText('Show as table').nth(2).click();
    await page.getByRole('table', { name: 'Tokens by day' }).waitFor();
    await expectAccessible(page);
    await page.getByText('Show as table').nth(2).click();
    await page.evaluate(() => scrollTo(0, 0));
    await screenshot(page, 'dashboard-overview');
    expectQuiet(window);
    await window.close();
  });

  it('is drawn in the colours of the page, also when those change', async () => {
    const window = await signedIn(browser, service);
    const { page } = window;
    await page.locator('canvas').first().waitFor();
    const drawn = () =>
      page
        .locator('canvas')
        .first()
        .evaluate((canvas) => (canvas as HTMLCanvasElement).toDataURL());
    await expect.poll(async () => (await drawn()).length, SOON).toBeGreaterThan(2_000);
    const light = await drawn();
    await page.emulateMedia({ colorScheme: 'dark' });
    await expect.poll(drawn, SOON).not.toBe(light);
    const before = await page.locator('canvas').first().boundingBox();
    await page.setViewportSize({ width: 390, height: 844 });
    await expect
      .poll(async () => (await page.locator('canvas').first().boundingBox())?.width, SOON)
      .toBeLessThan(before?.width ?? 0);
    expectQuiet(window);
    await window.close();
  });
});

describe('a session that is over', () => {
  it('is told on the page that was open, and signing in leads back to it', async () => {
    const window = await signedIn(browser, service, '/dashboard/conversations?search=order');
    const { page } = window;
    await page.getByRole('table', { name: 'Conversations' }).waitFor();
    const key = await ownerToken();
    const { body } = await service.graphql('{ sessions { sessionId current: isCurrent } }', {}, { key });
    for (const { sessionId, current } of body.data.sessions) {
      if (current) continue;
      await service.graphql('mutation ($id: UUID!) { revokeSession(sessionId: $id) }', { id: sessionId }, { key });
    }
    await page.getByText('Your session is over').waitFor();
    expect(page.url()).toContain('/dashboard/conversations?search=order');
    await signInAt(page, service.owner);
    await page.getByRole('table', { name: 'Conversations' }).waitFor();
    expect(page.url()).toContain('/dashboard/conversations?search=order');
    // Those who read without a session are told so.
    const told = 'Failed to load resource: the server responded with a status of 401 (Unauthorized)';
    expect([...new Set(window.complaints)]).toEqual([told]);
    await window.close();
  });
});

describe('a viewer', () => {
  it('sees what may be read, and nothing that changes it', async () => {
    const email = 'viewer@example.com';
    const token = await invited(service, await ownerToken(), email, 'viewer');
    await accept(service, { token, name: 'Vera', password: 'a password of some length' });
    await service.agentTurn('/ask', { client_capabilities: ['ask_user'] });
    const window = await signedIn(browser, service, '/dashboard/conversations', {
      as: { email, password: 'a password of some length' },
    });
    const { page } = window;
    const navigation = page.getByRole('navigation', { name: 'Dashboard' });
    await navigation.getByRole('link', { name: 'Usage and cost' }).waitFor();
    for (const name of ['API keys', 'Members', 'Audit log', 'Webhooks']) {
      expect(await navigation.getByRole('link', { name, exact: true }).count()).toBe(0);
    }
    await page.getByRole('link', { name: '/ask' }).first().click();
    await page.getByRole('list', { name: 'Conversation' }).getByText('Questions', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Export' }).waitFor();
    expect(await page.getByRole('button', { name: 'Delete' }).count()).toBe(0);
    expect(await page.getByRole('heading', { name: 'Waiting for the client' }).count()).toBe(0);
    await navigation.getByRole('link', { name: 'Usage and cost' }).click();
    await page.getByRole('heading', { name: 'Model prices' }).waitFor();
    expect(await page.getByRole('button', { name: 'Set a price' }).count()).toBe(0);
    expectQuiet(window);
    await window.close();
  });
});
