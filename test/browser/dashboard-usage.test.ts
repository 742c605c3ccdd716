import { readFile } from 'node:fs/promises';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectAccessible, expectQuiet, launchBrowser, screenshot } from '../support/browser.ts';
import { signedIn } from '../support/dashboard.ts';
import { plantUsage } from '../support/dashboard-data.ts';
import { startService, type TestService } from '../support/service.ts';

/** How long something may take that is not there at once. */
const SOON = { timeout: 15_000 };

let service: TestService;
let browser: Browser;
beforeAll(async () => {
  [service, browser] = await Promise.all([startService(), launchBrowser()]);
  await plantUsage(service, 60);
});
afterAll(async () => {
  await browser?.close();
  await service?.close();
});

const USAGE = `query ($from: DateTime!, $to: DateTime!, $by: [UsageGroup!]!) { usage(from: $from, to: $to, by: $by) {
  day deploymentId model turns failures inputTokens outputTokens cost } }`;

const day = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10);

/** What the API says of the days from `first` to `last`. */
async function usage(first: string, last: string, by: readonly string[]) {
  const to = new Date(Date.parse(last) + 86_400_000).toISOString();
  const { body } = await service.graphql(USAGE, { from: `${first}T00:00:00Z`, to, by });
  return body.data.usage;
}

const number = (text: string) => Number(text.replaceAll(',', ''));

describe('usage and cost', () => {
  it('counts the days, and by what, that the address says, with a total', async () => {
    const window = await signedIn(browser, service, '/dashboard/usage');
    const { page } = window;
    const table = page.getByRole('table', { name: 'Usage', exact: true });
    const rows = table.locator('tbody tr');
    await table.waitFor();
    await expect.poll(() => rows.count()).toBe(30);
    await page.getByRole('button', { name: '7 days' }).click();
    await page.waitForURL(new RegExp(`from=${day(6)}&to=${day(0)}`));
    await expect.poll(() => rows.count(), SOON).toBe(7);
    await page.getByLabel('First day').fill(day(9));
    await page.getByLabel('Last day').fill(day(2));
    await page.getByLabel('Model', { exact: true }).first().check();
    await page.getByLabel('Day', { exact: true }).uncheck();
    await page.waitForURL(/by=model/);
    await expect.poll(() => rows.count(), SOON).toBe(3);
    await page.reload();
    await table.waitFor();
    const [all] = await usage(day(9), day(2), []);
    const cells = await table.locator('tfoot td').allInnerTexts();
    expect(cells.slice(0, 4).map(number)).toEqual([all.turns, all.failures, all.inputTokens, all.outputTokens]);
    expect(cells.at(-1)).toBe('–');
    await page.getByLabel('First day').fill(day(1));
    await page.getByText('The first day is after the last one.').waitFor();
    expectQuiet(window);
    await window.close();
  });

  it('tells the cost where all models have a price, which is set, changed and removed here', async () => {
    const window = await signedIn(browser, service, '/dashboard/usage');
    const { page } = window;
    for (const [model, input, output] of [
      ['demo', '0.5', '1'],
      ['openai:gpt-5-mini', '0.25', '2'],
      ['anthropic:claude-sonnet-4-5', '3', '15'],
    ] as const) {
      await page.getByRole('button', { name: 'Set a price' }).click();
      await page.getByRole('dialog').getByLabel('Model').fill(model);
      await page.getByLabel('A million tokens in').fill(input);
      await page.getByLabel('A million tokens out').fill(output);
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    }
    const costs = page.getByRole('table', { name: 'Usage', exact: true }).locator('tfoot td').last();
    await expect.poll(() => costs.innerText(), SOON).not.toBe('–');
    const [all] = await usage(day(29), day(0), []);
    expect(number(await costs.innerText())).toBeCloseTo(Number(all.cost), 5);
    await page.getByRole('heading', { name: 'Cost', exact: true }).waitFor();
    await page.locator('canvas').nth(1).waitFor();
    await expectAccessible(page);
    await page.evaluate(() => scrollTo(0, 0));
    await screenshot(page, 'dashboard-usage');
    await page.getByRole('button', { name: 'Change the price of demo' }).click();
    await page.getByLabel('A million tokens in').fill('2000000');
    await page.getByRole('button', { name: 'Save' }).click();
    // The browser itself says how much it may be.
    await expect.poll(() => page.getByRole('dialog').count()).toBe(1);
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Remove the price of demo' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await expect.poll(() => costs.innerText(), SOON).toBe('–');
    expectQuiet(window);
    await window.close();
  });

  it('gives the report as a file of comma-separated values, made in the browser', async () => {
    const address = `/dashboard/usage?from=${day(6)}&to=${day(0)}&by=day,deployment,model`;
    const window = await signedIn(browser, service, address);
    const { page } = window;
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download CSV' }).click();
    const file = await download;
    expect(file.suggestedFilename()).toBe(`usage-${day(6)}-${day(0)}.csv`);
    const [head, ...lines] = (await readFile(await file.path(), 'utf8')).trimEnd().split('\r\n');
    expect(head).toBe(
      'day,deployment_id,deployment,model,turns,failures,input_tokens,output_tokens,median_response_time,p95_response_time,p99_response_time,cost',
    );
    const told = await usage(day(6), day(0), ['day', 'deployment', 'model']);
    expect(lines.length).toBe(told.length);
    const [first] = told;
    expect(lines[0]).toContain(`${first.day},${first.deploymentId},Demo `);
    expect(lines[0]).toContain(`,${first.model},${first.turns},${first.failures},${first.inputTokens},`);
    expectQuiet(window);
    await window.close();
  });

  it('lists turns and one-shot runs with filters and pages in the address', async () => {
    const { body } = await service.chat('A turn to be found');
    const window = await signedIn(browser, service, '/dashboard/usage?outcome=failed&model=demo');
    const { page } = window;
    const table = page.getByRole('table', { name: 'Turns and one-shot runs' });
    const rows = table.locator('tbody tr');
    await table.waitFor();
    expect(await rows.count()).toBe(
      await rows.filter({ hasText: 'model_timeout' }).filter({ hasText: 'demo' }).count(),
    );
    await page.getByLabel('Outcome').selectOption('');
    await page.getByRole('link', { name: 'Older →' }).click();
    await page.waitForURL(/after=/);
    await page.reload();
    await page.getByRole('link', { name: '← Newer' }).waitFor();
    const filters = page.getByRole('search', { name: 'Filters of turns' });
    await filters.getByLabel('Conversation').fill('no id');
    await page.getByText('This is no id of a conversation.').waitFor();
    await filters.getByLabel('Conversation').fill(body.conversation_id);
    await expect.poll(() => rows.count(), SOON).toBe(1);
    await table.getByRole('link', { name: body.conversation_id.slice(0, 8) }).click();
    await page.getByRole('list', { name: 'Conversation' }).getByText('A turn to be found', { exact: true }).waitFor();
    expectQuiet(window);
    await window.close();
  });
});
