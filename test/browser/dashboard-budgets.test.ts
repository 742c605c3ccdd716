import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectAccessible, expectQuiet, screenshot } from '../support/browser.ts';
import { useUp } from '../support/budgets.ts';
import { choose } from '../support/choose.ts';
import { signedIn } from '../support/dashboard.ts';
import { plantUsage } from '../support/dashboard-data.ts';
import { endUserToken } from '../support/end-users.ts';
import { DEMO_CHAT_ID, startService, type TestService } from '../support/service.ts';
import { makeMember } from '../support/tenants.ts';
import { launchBrowser } from '../support/visit.ts';

let service: TestService;
let browser: Browser;
/** A conversation of the end user ada. */
let conversation: string;
const viewer = { email: 'budget-viewer@example.com', password: 'a long enough password' };

beforeAll(async () => {
  [service, browser] = await Promise.all([startService({ trustProxy: 1 }), launchBrowser()]);
  await makeMember(service, 'viewer', viewer);
  conversation = await talk('Hello');
});
afterAll(async () => {
  await service?.close();
});

/** A turn of ada. Returns its conversation. */
async function talk(text: string, id?: string): Promise<string> {
  const key = await endUserToken(service, DEMO_CHAT_ID, 'ada');
  const body = { content: [{ type: 'text', text }], ...(id && { conversation_id: id }) };
  const response = await service.send('POST', `/v1/runner/${DEMO_CHAT_ID}/conversation`, { key, body });
  expect(response.status).toBe(200);
  return response.body.conversation_id;
}

/** Sets a budget through the API. Returns its ID. */
async function setBudget(input: object, key = service.keys.live): Promise<string> {
  const mutation = `mutation ($input: SetBudgetInput!) {
    setBudget(input: $input) { ... on SetBudgetPayload { budget { budgetId } } ... on Error { message } } }`;
  const { body } = await service.graphql(mutation, { input }, { key });
  expect(body).toMatchObject({ data: { setBudget: { budget: { budgetId: expect.any(String) } } } });
  return body.data.setBudget.budget.budgetId;
}

async function setPrice(model: string): Promise<void> {
  const mutation = `mutation ($model: String!) {
    setModelPrice(input: { model: $model, inputPerMillion: 3, outputPerMillion: 15 }) { __typename } }`;
  const { body } = await service.graphql(mutation, { model });
  expect(body).toMatchObject({ data: { setModelPrice: { __typename: 'SetModelPricePayload' } } });
}

interface Filled {
  readonly endUser?: string;
  readonly period?: 'Daily' | 'Monthly' | 'Total';
  readonly tokens?: string;
  readonly warnAt?: string;
}

/** Fills the open dialog with the keyboard, and saves. */
async function fill(page: Page, { endUser, period, tokens = '1000000', warnAt }: Filled): Promise<void> {
  const dialog = page.getByRole('dialog');
  if (endUser) await dialog.getByLabel('End user').fill(endUser);
  if (period) await choose(dialog.getByLabel('Period'), period);
  await choose(dialog.getByLabel('Limit in'), 'Tokens');
  await dialog.getByRole('textbox', { name: 'Tokens' }).fill(tokens);
  if (warnAt !== undefined) await dialog.getByLabel('Warn at, in percent').fill(warnAt);
  await page.keyboard.press('Enter');
  await dialog.waitFor({ state: 'detached' });
}

const PLACES = [
  { place: 'conversation', name: 'this conversation', path: () => `/dashboard/conversations/${conversation}` },
  { place: 'deployment', name: 'this deployment', path: () => `/dashboard/deployments/${DEMO_CHAT_ID}?tab=access` },
  { place: 'end user', name: 'ada', path: () => `/dashboard/conversations/${conversation}` },
  { place: 'environment', name: 'the live environment', path: () => '/dashboard/usage' },
] as const;

const spentOf = (meter: Locator) => meter.getAttribute('aria-valuenow').then(Number);

describe('budgets in the dashboard', () => {
  it.each(PLACES)(
    'of a $place are set, follow its turns, and are changed and removed',
    async ({ place, name, path }) => {
      const window = await signedIn(browser, service, path());
      const { page } = window;
      const button = page.getByRole('button', { name: `Set a budget of ${name}` });
      // Content after a skeleton is not visible yet, so it cannot have the focus.
      await button.waitFor();
      await button.press('Enter');
      await fill(page, { period: 'Daily', warnAt: '90' });
      const meter = page.getByRole('meter', { name: `Daily budget of ${name}` });
      await meter.waitFor();
      await expect.poll(() => spentOf(meter)).toBe(0);
      await page
        .getByText(/^Begins again on .+ 00:00 \(UTC\)\. When used up: Refuse new turns\. Warns at 90%\.$/)
        .waitFor();
      await talk('What is new?', conversation);
      await expect.poll(() => spentOf(meter)).toBeGreaterThan(0);
      expect(await meter.getAttribute('aria-valuetext')).toMatch(/^[\d,]+ of 1,000,000 tokens spent$/);
      await meter.scrollIntoViewIfNeeded();
      await expectAccessible(page);
      await screenshot(page, `budgets-${place.replace(' ', '-')}`);
      await page.getByRole('button', { name: `Change: Daily budget of ${name}` }).click();
      const dialog = page.getByRole('dialog', { name: 'Change the daily budget' });
      expect(await dialog.getByLabel('Warn at, in percent').inputValue()).toBe('90');
      await dialog.getByLabel('Stop running turns too').check();
      await fill(page, { tokens: '2000000', warnAt: '' });
      await page.getByText('When used up: Stop running turns too.').waitFor();
      await expect.poll(() => meter.getAttribute('aria-valuemax')).toBe('2000000');
      await page.getByRole('button', { name: `Remove: Daily budget of ${name}` }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
      await meter.waitFor({ state: 'detached' });
      expectQuiet(window);
      await window.close();
    },
  );

  it('of end users are listed, and the bar says that one is used up', async () => {
    await useUp(service, 'end_user:eve');
    const key = await endUserToken(service, DEMO_CHAT_ID, 'eve');
    const body = { content: [{ type: 'text', text: 'Hello' }] };
    const refused = await service.send('POST', `/v1/runner/${DEMO_CHAT_ID}/conversation`, { key, body });
    expect(refused.status).toBe(402);
    const window = await signedIn(browser, service, '/dashboard/end-users');
    const { page } = window;
    await page
      .getByRole('listitem')
      .filter({ hasText: 'Total budget of eve' })
      .getByText('Used up', { exact: true })
      .waitFor();
    await page.getByRole('button', { name: 'Set a budget of an end user' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Save budget' }).click();
    await page.getByText('Enter your ID of the end user.').waitFor();
    await expectAccessible(page);
    await screenshot(page, 'budgets-dialog');
    await fill(page, { endUser: 'bob', tokens: '500' });
    await page.getByRole('meter', { name: 'Monthly budget of bob' }).waitFor();
    await expectAccessible(page);
    await screenshot(page, 'budgets-end-users');
    await page.getByRole('button', { name: 'Change: Monthly budget of bob' }).click();
    await fill(page, { tokens: '700' });
    await page.getByText('0 of 700 tokens spent').waitFor();
    await page.getByRole('button', { name: 'Remove: Monthly budget of bob' }).click();
    await page.getByRole('dialog').getByText('It no longer limits the model steps of bob.').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('meter', { name: 'Monthly budget of bob' }).waitFor({ state: 'detached' });
    expectQuiet(window);
    await window.close();
  });

  it('show a warning, and what running steps have reserved', async () => {
    const id = await setBudget({ conversationId: conversation, period: 'TOTAL', tokens: 20_000, warnAt: 0.001 });
    await talk('Tell me more', conversation);
    const { prisma } = service.service.services.stores;
    await prisma.budget.updateMany({ where: { id }, data: { reserved: 4_000 } });
    const window = await signedIn(browser, service, `/dashboard/conversations/${conversation}`);
    const { page } = window;
    const meter = page.getByRole('meter', { name: 'Total budget of this conversation' });
    await page.getByText('Over 0.1%').waitFor();
    await page.getByText(/^Never begins again\. /).waitFor();
    expect(await meter.getAttribute('aria-valuetext')).toMatch(/^\d+ of 20,000 tokens spent, 4,000 reserved$/);
    await page.setViewportSize({ width: 390, height: 844 });
    await meter.scrollIntoViewIfNeeded();
    await expectAccessible(page);
    await screenshot(page, 'budgets-warned');
    await prisma.budget.deleteMany({ where: { id } });
    expectQuiet(window);
    await window.close();
  });

  it('show the errors of the form and of the service at their fields', async () => {
    const window = await signedIn(browser, service, `/dashboard/deployments/${DEMO_CHAT_ID}?tab=access`);
    const { page } = window;
    await page.getByRole('button', { name: 'Set a budget of this deployment' }).click();
    const dialog = page.getByRole('dialog', { name: 'Set a budget of this deployment' });
    const amount = dialog.getByLabel('Amount in USD');
    const errorOf = async (text: string) => {
      await amount.fill(text);
      await dialog.getByRole('button', { name: 'Save budget' }).click();
      await expect.poll(() => amount.getAttribute('aria-invalid')).toBe('true');
      const ids = (await amount.getAttribute('aria-describedby')) ?? '';
      return page.locator(`[id="${ids.split(' ').at(-1)}"]`);
    };
    await (await errorOf('1,50')).getByText('Enter an amount above 0').waitFor();
    await expect.poll(async () => (await errorOf('50')).innerText()).toContain('which has no price');
    await dialog.getByLabel('Warn at, in percent').fill('101');
    await dialog.getByRole('button', { name: 'Save budget' }).click();
    await dialog.getByText('Enter a number from 0.1 to 100.').waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    expectQuiet(window);
    await window.close();
  });

  it('can be read and not changed by viewers', async () => {
    const places = [{ conversationId: conversation }, { endUser: 'ada' }, { deploymentId: DEMO_CHAT_ID }, {}];
    for (const place of places) await setBudget({ ...place, period: 'DAY', tokens: 1_000_000 });
    const window = await signedIn(browser, service, '/dashboard', { as: viewer });
    const { page } = window;
    for (const { name, path } of PLACES) {
      await page.goto(`${service.url}${path()}`);
      await page.getByRole('meter', { name: `Daily budget of ${name}` }).waitFor();
      expect(await page.getByRole('button', { name: /^(Set a budget|Change:|Remove:)/ }).count()).toBe(0);
    }
    await page.goto(`${service.url}/dashboard/deployments/${DEMO_CHAT_ID}?tab=access&env=test`);
    await page.getByText('The deployment has no budget in the test environment.').waitFor();
    expectQuiet(window);
    await window.close();
  });
});

describe('the time zone of budgets', () => {
  it('is set, and kept while a budget has days', async () => {
    const window = await signedIn(browser, service, '/dashboard/limits?env=test');
    const { page } = window;
    const field = page.getByLabel('Time zone of budgets');
    const save = async (name: string) => {
      await field.fill(name);
      await page.getByRole('button', { name: 'Save time zone' }).click();
    };
    await expect.poll(() => field.inputValue()).toBe('UTC');
    await save('Europe/Nowhere');
    await page
      .getByText(/is not a time zone/)
      .first()
      .waitFor();
    await save('europe/berlin');
    await expect.poll(() => field.inputValue()).toBe('Europe/Berlin');
    await field.scrollIntoViewIfNeeded();
    await expectAccessible(page);
    await screenshot(page, 'budgets-time-zone');
    await setBudget({ period: 'DAY', tokens: 1_000_000 }, service.keys.test);
    await save('Asia/Tokyo');
    await page.getByText(/^Not saved: /).waitFor();
    await page.goto(`${service.url}/dashboard/usage?env=test`);
    await page.getByText(/00:00 \(Europe\/Berlin\)/).waitFor();
    await page.getByText('Nothing was used this month or in the last 7 days.').waitFor();
    expectQuiet(window);
    await window.close();
  });
});

describe('the forecast for the month', () => {
  it('is in tokens without prices and in money with them, and is compared with the budget of the month', async () => {
    await plantUsage(service, 20);
    const window = await signedIn(browser, service, '/dashboard/usage');
    const { page } = window;
    const section = page.locator('section').filter({ has: page.getByRole('heading', { name: 'Forecast' }) });
    const total = section.locator('strong');
    await expect.poll(() => total.innerText()).toMatch(/^[\d,]+ tokens$/);
    await expect
      .poll(async () => numberIn(await total.innerText()) / (await expectedForecast()).tokens)
      .toBeCloseTo(1, 2);
    await setBudget({ period: 'MONTH', tokens: 1_000_000_000 });
    await page.reload();
    await section.getByText(/tokens is within the monthly budget of 1,000,000,000 tokens\.$/).waitFor();
    for (const model of ['demo', 'openai:gpt-5-mini', 'anthropic:claude-sonnet-4-5']) await setPrice(model);
    await page.reload();
    await expect.poll(() => total.innerText()).toMatch(/^\$[\d,.]+$/);
    await expect
      .poll(async () => numberIn(await total.innerText()) / (await expectedForecast()).cost)
      .toBeCloseTo(1, 2);
    await setBudget({ period: 'MONTH', amount: '0.01' });
    await page.reload();
    await section.getByText(/^The forecast exceeds the monthly budget of \$0\.01 by \$[\d,.]+\.$/).waitFor();
    await total.scrollIntoViewIfNeeded();
    await expectAccessible(page);
    await screenshot(page, 'budgets-forecast');
    expectQuiet(window);
    await window.close();
  });
});

const numberIn = (text: string) => Number(text.replace(/[^\d.]/g, ''));

/** The forecast from the API, in UTC. */
async function expectedForecast() {
  const now = Date.now();
  const at = new Date(now);
  const [year, month, day] = [at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate()];
  const spent = async (from: number, to: number) => {
    const query = `query ($from: DateTime!, $to: DateTime!) { usage(period: { from: $from, to: $to }, groupBy: []) { inputTokens outputTokens cost } }`;
    const period = { from: new Date(from).toISOString(), to: new Date(to).toISOString() };
    const { body } = await service.graphql(query, period);
    const [row] = body.data.usage;
    return { tokens: row.inputTokens + row.outputTokens, cost: Number(row.cost) };
  };
  const soFar = await spent(Date.UTC(year, month, 1), now);
  const week = await spent(Date.UTC(year, month, day - 7), Date.UTC(year, month, day));
  const daysLeft = (Date.UTC(year, month + 1, 1) - now) / 86_400_000;
  return {
    tokens: soFar.tokens + (week.tokens / 7) * daysLeft,
    cost: soFar.cost + (week.cost / 7) * daysLeft,
  };
}
