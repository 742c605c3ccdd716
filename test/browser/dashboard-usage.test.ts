import { readFile } from 'node:fs/promises';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectAccessible, expectQuiet, screenshot } from '../support/browser.ts';
import { choose } from '../support/choose.ts';
import { signedIn } from '../support/dashboard.ts';
import { plantUsage } from '../support/dashboard-data.ts';
import { endUserToken } from '../support/end-users.ts';
import { DEMO_CHAT_ID, startService, type TestService } from '../support/service.ts';
import { launchBrowser } from '../support/visit.ts';

let service: TestService;
let browser: Browser;
beforeAll(async () => {
  [service, browser] = await Promise.all([startService(), launchBrowser()]);
  await plantUsage(service, 60);
});
afterAll(async () => {
  await service?.close();
});

const USAGE = `query ($from: DateTime!, $to: DateTime!, $by: [UsageGroup!]!) { usage(period: { from: $from, to: $to }, groupBy: $by) {
  day deploymentId model turns failures inputTokens cachedInputTokens outputTokens cost cacheSavings } }`;

const day = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10);

/** The usage from the API, from the day `first` to the day `last`. */
async function usage(first: string, last: string, by: readonly string[]) {
  const to = new Date(Date.parse(last) + 86_400_000).toISOString();
  const { body } = await service.graphql(USAGE, { from: `${first}T00:00:00Z`, to, by });
  return body.data.usage;
}

const number = (text: string) => Number(text.replace(/[$,]/g, ''));

describe('usage and cost', () => {
  it('reports the period and the groups in the URL, with a total', async () => {
    const window = await signedIn(browser, service, '/dashboard/usage');
    const { page } = window;
    const table = page.getByRole('table', { name: 'Usage', exact: true });
    const rows = table.locator('tbody tr');
    await table.waitFor();
    await expect.poll(() => rows.count()).toBe(30);
    await page.getByText('7 days', { exact: true }).click();
    await page.waitForURL(new RegExp(`from=${day(6)}&to=${day(0)}`));
    await expect.poll(() => page.getByRole('radio', { name: '7 days' }).isChecked()).toBe(true);
    await expect.poll(() => rows.count()).toBe(7);
    await page.getByLabel('First day').fill(day(9));
    await page.getByLabel('Last day').fill(day(2));
    await page.getByLabel('Model', { exact: true }).first().check();
    await page.getByLabel('Day', { exact: true }).uncheck();
    await page.waitForURL(/by=model/);
    await expect.poll(() => rows.count()).toBe(3);
    await page.reload();
    await table.waitFor();
    const [all] = await usage(day(9), day(2), []);
    const cells = await table.locator('tfoot td').allInnerTexts();
    const { turns, failures, inputTokens, cachedInputTokens, outputTokens } = all;
    const counts = [turns, failures, inputTokens, cachedInputTokens, outputTokens];
    expect(cells.slice(0, 5).map(number)).toEqual(counts);
    expect(cachedInputTokens).toBeGreaterThan(0);
    expect(cells.at(-1)).toBe('–');
    await page.getByLabel('First day').fill(day(1));
    await page.getByText('The first day must not be after the last day.').waitFor();
    expectQuiet(window);
    await window.close();
  });

  it('groups by end user and filters by one', async () => {
    const key = await endUserToken(service, DEMO_CHAT_ID, 'ada@example.com');
    const body = { content: [{ type: 'text', text: 'Hello' }] };
    await service.send('POST', `/v1/runner/${DEMO_CHAT_ID}/conversation`, { key, body });
    const window = await signedIn(browser, service, '/dashboard/usage?by=end_user');
    const { page } = window;
    const table = page.getByRole('table', { name: 'Usage', exact: true });
    const rows = table.locator('tbody tr');
    await table.getByRole('columnheader', { name: 'End user' }).waitFor();
    await expect.poll(() => rows.count()).toBe(2);
    await table.getByText('No end user').waitFor();
    await page.getByLabel('End user', { exact: true }).first().fill('ada@example.com');
    await expect.poll(() => rows.count()).toBe(1);
    await page.waitForURL(/end_user=ada/);
    expect((await rows.first().locator('td').allInnerTexts()).slice(0, 2)).toEqual(['ada@example.com', '1']);
    await expectAccessible(page);
    await screenshot(page, 'usage-end-users');
    expectQuiet(window);
    await window.close();
  });

  it('shows the cost if all models have a price, and sets, changes and removes prices', async () => {
    const window = await signedIn(browser, service, '/dashboard/usage');
    const { page } = window;
    for (const [model, input, output] of [
      ['demo', '0.5', '1'],
      ['openai:gpt-5-mini', '0.25', '2'],
      ['anthropic:claude-sonnet-4-5', '3', '15'],
    ] as const) {
      await page.getByRole('button', { name: 'Add price' }).click();
      await page.getByRole('dialog').getByLabel('Model').fill(model);
      await page.getByLabel('Input price per 1M tokens, in USD').first().fill(input);
      await page.getByLabel('Output price per 1M tokens, in USD').fill(output);
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    }
    const totals = page.getByRole('table', { name: 'Usage', exact: true }).locator('tfoot td');
    const [costs, savings] = [totals.nth(-2), totals.last()];
    await expect.poll(() => costs.innerText()).not.toBe('–');
    const [all] = await usage(day(29), day(0), []);
    expect(number(await costs.innerText())).toBeCloseTo(Number(all.cost), 2);
    expect(await costs.innerText()).toMatch(/^\$\d/);
    await page.getByRole('heading', { name: 'Cost', exact: true }).waitFor();
    await page.locator('canvas').nth(1).waitFor();
    await expectAccessible(page);
    await page.evaluate(() => scrollTo(0, 0));
    await screenshot(page, 'dashboard-usage');
    expect(await savings.innerText()).toBe('0%');
    await page.getByRole('button', { name: 'Change the price of demo' }).click();
    await page.getByLabel('Cached input price per 1M tokens').fill('0.05');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await expect.poll(() => savings.innerText()).toMatch(/^0?[1-9.][\d.]*%$/);
    await page.getByRole('button', { name: 'Change the price of demo' }).click();
    expect(await page.getByLabel('Cached input price per 1M tokens').inputValue()).toBe('0.05');
    await page.getByLabel('Input price per 1M tokens').first().fill('2000000');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Enter a number from 0 to 1,000,000.').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Remove the price of demo' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await expect.poll(() => costs.innerText()).toBe('–');
    expectQuiet(window);
    await window.close();
  });

  it('downloads the report as CSV', async () => {
    const address = `/dashboard/usage?from=${day(6)}&to=${day(0)}&by=day,deployment,model`;
    const window = await signedIn(browser, service, address);
    const { page } = window;
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download CSV' }).click();
    const file = await download;
    expect(file.suggestedFilename()).toBe(`usage-${day(6)}-${day(0)}.csv`);
    const [head, ...lines] = (await readFile(await file.path(), 'utf8')).trimEnd().split('\r\n');
    expect(head).toBe(
      'day,deployment_id,deployment,model,turns,failures,input_tokens,cached_input_tokens,output_tokens,median_response_time,p95_response_time,p99_response_time,cost,cache_savings,currency',
    );
    const expected = await usage(day(6), day(0), ['DAY', 'DEPLOYMENT', 'MODEL']);
    expect(lines.length).toBe(expected.length);
    const [first] = expected;
    expect(lines[0]).toContain(`${first.day},${first.deploymentId},Demo `);
    expect(lines.every((line) => line.endsWith(',USD'))).toBe(true);
    expect(lines[0]).toContain(`,${first.model},${first.turns},${first.failures},${first.inputTokens},`);
    expectQuiet(window);
    await window.close();
  });

  it('keeps the filters and the page of the turns in the URL', async () => {
    const { body } = await service.chat('A turn to be found');
    const window = await signedIn(browser, service, '/dashboard/usage?outcome=failed&model=demo');
    const { page } = window;
    const table = page.getByRole('table', { name: 'Turns and one-shot runs' });
    const rows = table.locator('tbody tr');
    await table.waitFor();
    expect(await rows.count()).toBe(
      await rows.filter({ hasText: 'Model timeout' }).filter({ hasText: 'demo' }).count(),
    );
    await choose(page.getByLabel('Outcome'), '');
    await page.getByRole('link', { name: 'Older →' }).click();
    await page.waitForURL(/after=/);
    await page.reload();
    await page.getByRole('link', { name: '← Newer' }).waitFor();
    const filters = page.getByRole('search', { name: 'Turn filters' });
    await filters.getByLabel('Conversation').fill('no id');
    await page.getByText('This is not a conversation ID.').waitFor();
    await filters.getByLabel('Conversation').fill(body.conversation_id);
    await expect.poll(() => rows.count()).toBe(1);
    await table.getByRole('link', { name: 'A turn to be found' }).click();
    await page.getByRole('list', { name: 'Conversation' }).getByText('A turn to be found', { exact: true }).waitFor();
    expectQuiet(window);
    await window.close();
  });
});
