import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CAPABLE, lookup } from '../support/agent-turns.ts';
import { expectAccessible, expectQuiet, screenshot } from '../support/browser.ts';
import { signedIn } from '../support/dashboard.ts';
import { plantConversations, plantUsage } from '../support/dashboard-data.ts';
import { startProxy } from '../support/faulty-proxy.ts';
import { startService, type TestService } from '../support/service.ts';
import { launchBrowser } from '../support/visit.ts';

/** Nov 23, 2026 */
const dayName = (day: string) =>
  new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeZone: 'UTC' }).format(new Date(day));

let service: TestService;
let browser: Browser;
beforeAll(async () => {
  [service, browser] = await Promise.all([startService(), launchBrowser()]);
});
afterAll(async () => {
  await service?.close();
});

describe('the overview', () => {
  it('explains how to start a first turn', async () => {
    const window = await signedIn(browser, service);
    const { page } = window;
    await page.getByText('No turns in the last 30 days').waitFor();
    expect(await page.getByRole('link', { name: 'Try Demo chat' }).getAttribute('href')).toMatch(/^\/chat\//);
    await page.getByText('No turns in progress').waitFor();
    await expectAccessible(page);
    await screenshot(page, 'dashboard-overview-empty');
    expectQuiet(window);
    await window.close();
  });

  it('shows new turns without a reload', async () => {
    const window = await signedIn(browser, service);
    const { page } = window;
    await page.getByText('No turns in progress').waitFor();
    await page.getByRole('status').filter({ hasText: 'Updates live' }).waitFor();
    await service.agentTurn('/ask', { client_capabilities: ['ask_user'] });
    const active = page.getByRole('table', { name: 'In progress' });
    await active.getByRole('link', { name: '/ask' }).waitFor();
    await active.getByText('Waiting').first().waitFor();
    await page
      .locator('dt', { hasText: 'Waiting' })
      .locator('xpath=following-sibling::dd[1]')
      .filter({ hasText: '1' })
      .waitFor();
    await service.agentTurn('/fail');
    await page.getByRole('table', { name: 'Latest failures' }).getByText('Model error').waitFor();
    await page.getByRole('heading', { name: 'Latency' }).waitFor();
    expectQuiet(window);
    await window.close();
  });

  it('draws turns, failures, tokens and latency for the period in the URL, each with a table', async () => {
    await plantConversations(service, 4);
    await plantUsage(service, 90);
    const window = await signedIn(browser, service);
    const { page } = window;
    await page.getByText('7 days', { exact: true }).click();
    await page.waitForURL(/\?days=7$/);
    await page.reload();
    await page.getByRole('heading', { name: 'Tokens' }).waitFor();
    await expect.poll(() => page.getByRole('radio', { name: '7 days' }).isChecked()).toBe(true);
    await page.getByText('Show as table').first().click();
    const table = page.getByRole('table', { name: 'Turns by day' });
    await expect.poll(() => table.locator('tbody tr').count()).toBe(7);
    const { body } = await service.graphql(
      'query ($from: DateTime!, $to: DateTime!) { usage(period: { from: $from, to: $to }) { day turns } }',
      {
        from: new Date(Date.now() - 10 * 86_400_000).toISOString(),
        to: new Date(Date.now() + 86_400_000).toISOString(),
      },
    );
    const [latest] = body.data.usage;
    await expect
      .poll(() => table.locator('tbody tr').last().innerText())
      .toBe(`${dayName(latest.day)}\t${latest.turns}`);
    await page.getByText('Show as table').first().click();
    await expect.poll(() => page.locator('canvas').count()).toBe(4);
    await page.locator('.u-over').first().hover();
    const [, month = '', date = ''] = /(\w+) (\d+)/.exec(await page.getByText(/^[A-Z][a-z]{2} \d+$/).innerText()) ?? [];
    const pointed = new Date(`${month} ${date} ${new Date().getUTCFullYear()} UTC`).toISOString().slice(0, 10);
    const usageOfDay = body.data.usage.find((one: { day: string }) => one.day === pointed);
    await page
      .getByRole('listitem')
      .filter({ hasText: new RegExp(`^${usageOfDay.turns}$`) })
      .waitFor();
    const facts = page.getByLabel('The last 7 days, compared with the 7 days before');
    for (const name of ['Turns', 'Failed', 'Input tokens', 'Median duration']) {
      const fact = facts.locator('div', { has: page.getByText(name, { exact: true }) });
      expect(await fact.locator('dd').last().innerText()).toMatch(/^([+−][\d.,]+%|No change|0 before)$/);
    }
    const cost = facts.locator('div', { has: page.getByText('Cost', { exact: true }) });
    expect(await cost.locator('dd').allInnerTexts()).toEqual(['–', '']);
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

  it('redraws the charts when the color scheme changes', async () => {
    const window = await signedIn(browser, service);
    const { page } = window;
    await page.locator('canvas').first().waitFor();
    const drawn = () =>
      page
        .locator('canvas')
        .first()
        .evaluate((canvas) => (canvas as HTMLCanvasElement).toDataURL());
    await expect.poll(async () => (await drawn()).length).toBeGreaterThan(2_000);
    const light = await drawn();
    await page.emulateMedia({ colorScheme: 'dark' });
    await expect.poll(drawn).not.toBe(light);
    const before = await page.locator('canvas').first().boundingBox();
    await page.setViewportSize({ width: 390, height: 844 });
    await expect
      .poll(async () => (await page.locator('canvas').first().boundingBox())?.width)
      .toBeLessThan(before?.width ?? 0);
    expectQuiet(window);
    await window.close();
  });
});

describe('the connection', () => {
  it('shows a lost connection without an error and catches up when it is back', async () => {
    const proxy = await startProxy(service.url);
    const window = await signedIn(browser, { ...service, url: proxy.url }, '/dashboard');
    const { page } = window;
    const sign = (text: string) => page.getByRole('status').filter({ hasText: text }).waitFor();
    await sign('Updates live');
    await proxy.cut('event');
    const turn = service.agentTurn(lookup('c-3'), CAPABLE);
    await sign('Connecting…');
    expect(await page.getByRole('alert').count()).toBe(0);
    await turn;
    await sign('Updates live');
    await page
      .getByRole('table', { name: 'In progress' })
      .getByRole('link', { name: '/call lookup_customer' })
      .waitFor();
    for (const complaint of window.consoleErrors) expect(complaint).toMatch(/net::ERR_/);
    await window.close();
    await proxy.close();
  });
});
