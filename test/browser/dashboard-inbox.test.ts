import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connect, publishScripted } from '../support/actions.ts';
import { expectAccessible, expectQuiet, screenshot } from '../support/browser.ts';
import { addFilter, choose } from '../support/choose.ts';
import { signedIn } from '../support/dashboard.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { startService, type TestService } from '../support/service.ts';
import { makeMember } from '../support/tenants.ts';
import { launchBrowser } from '../support/visit.ts';
import { workflowsOf } from '../support/workflows.ts';

const ACTION = { integration: 'Bank', method: 'POST', url: '/charges', description: 'Charges the card.' };
const SCHEMA = {
  type: 'object',
  properties: {
    reason: { type: 'string', title: 'Why' },
    amount: { type: 'integer', maximum: 100 },
    due: { type: 'string', format: 'date' },
  },
  required: ['amount'],
};
const action = (name: string, approver: string) => ({
  ...ACTION,
  name,
  inputSchema: SCHEMA,
  approval: { mode: 'ALWAYS', approver },
});

/** An approval that the viewer cannot answer. */
const HIDDEN = 'Approve an action';

let service: TestService;
let browser: Browser;
let bank: Receiver;
let workflow: Awaited<ReturnType<typeof publishScripted>>;
beforeAll(async () => {
  [service, browser, bank] = await Promise.all([startService(), launchBrowser(), startReceiver()]);
  bank.respondWith((response) => void response.writeHead(200).end('charged'));
  await connect(service, { kind: 'http', name: 'Bank', url: bank.url });
  const httpActions = [action('charge', 'EITHER'), action('charge_team', 'MEMBER'), action('charge_own', 'CLIENT')];
  workflow = await publishScripted(service, workflowsOf(service), { httpActions });
});
afterAll(async () => {
  await Promise.all([service?.close(), bank?.close()]);
});

async function waitingTurn(script: string) {
  const { body } = await workflow.turn(script);
  expect(body.run_status).toBe('waiting_for_client_action');
  return body;
}

const charged = () => bank.received.map(({ body }) => JSON.parse(body).amount);

const entry = (page: Page, text: string) =>
  page.getByRole('list', { name: 'Waiting conversations' }).getByRole('listitem').filter({ hasText: text });

/** Opens the first entry with the text. */
async function opened(page: Page, text: string) {
  await entry(page, text).first().getByRole('link').click();
}

describe('the inbox', () => {
  it('approves a call, and counts live in the navigation', async () => {
    const window = await signedIn(browser, service, '/dashboard/inbox');
    const { page } = window;
    await page.getByText('Nothing waits.').waitFor();
    const { conversation_id: id } = await waitingTurn('/call charge_team {"amount":1}');
    await entry(page, 'charge_team').waitFor();
    const link = page.getByRole('navigation', { name: 'Dashboard' }).getByRole('link', { name: /^Inbox/ });
    await expect.poll(() => link.innerText()).toMatch(/Inbox\s*1/);
    await expectAccessible(page);
    await opened(page, 'charge_team');
    await page.getByRole('heading', { name: 'Approve “charge_team”?' }).waitFor();
    await expectAccessible(page);
    await screenshot(page, 'dashboard-inbox-approval');
    await page.getByRole('button', { name: 'Approve', exact: true }).click();
    await expect.poll(charged).toEqual([1]);
    await page.getByText('Nothing waits.').waitFor();
    await expect.poll(() => link.innerText()).toBe('Inbox');
    await page.getByText(/^answered by /).waitFor();
    await page.goto(`${service.url}/dashboard/conversations/${id}`);
    await page.getByText(/^answered by /).waitFor();
    expectQuiet(window);
    await window.close();
  });

  it('shows the required arguments of a call first, with dates and amounts in words', async () => {
    await waitingTurn('/call charge_team {"due":"2026-12-03","amount":9,"currency":"eur","reason":"Late"}');
    const window = await signedIn(browser, service, '/dashboard/inbox');
    const { page } = window;
    await opened(page, 'charge_team');
    const form = page.getByRole('region', { name: 'Approve “charge_team”?' });
    const shown = form.getByRole('region', { name: 'Arguments' });
    await shown.locator('dd', { hasText: 'Late' }).waitFor();
    expect(await shown.locator('dt').allInnerTexts()).toEqual(['Amount', 'Due', 'Why', 'Currency']);
    expect(await shown.locator('dd').allInnerTexts()).toEqual([
      '9 EUR',
      'Thursday, December 3, 2026 (2026-12-03)',
      'Late',
      'eur',
    ]);
    await shown.getByText('JSON', { exact: true }).click();
    await shown.getByText('"due": "2026-12-03"').waitFor();
    await expectAccessible(page);
    await form.getByRole('button', { name: 'Refuse' }).click();
    await page.getByText('Nothing waits.').waitFor();
    expectQuiet(window);
    await window.close();
  });

  it('is worked through with the keyboard alone', async () => {
    await waitingTurn('/call charge_team {"amount":11}');
    await waitingTurn('/call charge_team {"amount":12}');
    const window = await signedIn(browser, service, '/dashboard/inbox');
    const { page } = window;
    await expect.poll(() => entry(page, 'charge_team').count()).toBe(2);
    const focused = () => page.evaluate(() => document.activeElement?.textContent ?? '');
    await page.keyboard.press('j');
    for (const isLast of [false, true]) {
      const approve = page.getByRole('button', { name: 'Approve', exact: true });
      await approve.waitFor();
      await approve.press('Enter');
      await page.getByText('Your answer was sent.').waitFor();
      await expect.poll(focused).toContain('Your answer was sent.');
      if (isLast) break;
      await page.getByRole('link', { name: /^Next: / }).waitFor();
      await expectAccessible(page);
      await page.keyboard.press('Tab');
      await expect.poll(focused).toMatch(/^Next: /);
      const name = (await focused()).replace('Next: ', '');
      await page.keyboard.press('Enter');
      await page.getByText('Your answer was sent.').waitFor({ state: 'detached' });
      await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe('H2');
      expect(await focused()).toBe(name);
    }
    await page.getByText('Nothing waits.').waitFor();
    expect(charged()).toEqual(expect.arrayContaining([11, 12]));
    expectQuiet(window);
    await window.close();
  });

  it('runs a call with edited arguments, and shows why others are rejected', async () => {
    await waitingTurn('/call charge {"amount":2}');
    const window = await signedIn(browser, service, '/dashboard/inbox');
    const { page } = window;
    await opened(page, 'Approve “charge”');
    await page.getByRole('button', { name: 'Edit', exact: true }).click();
    await page.getByLabel('Arguments').fill('{"amount": 500}');
    await page.getByRole('button', { name: 'Approve', exact: true }).click();
    await page
      .getByRole('alert')
      .getByText(/The edited value is not valid/)
      .waitFor();
    await page.getByLabel('Arguments').fill('{"amount": 50}');
    await page.getByRole('button', { name: 'Approve', exact: true }).click();
    await expect.poll(charged).toContain(50);
    expect(charged()).not.toContain(2);
    await window.close();
  });

  it('refuses all calls of a step together', async () => {
    const { conversation_id: id } = await waitingTurn('/call charge {"amount":3} && /call charge_team {"amount":4}');
    const window = await signedIn(browser, service, '/dashboard/inbox');
    const { page } = window;
    await opened(page, 'Approve “charge”, Approve “charge_team”');
    const forms = page.getByRole('region', { name: /^Approve/ });
    await expect.poll(() => forms.count()).toBe(2);
    await forms.first().getByLabel('Reason').fill('Too much');
    await forms.first().getByRole('button', { name: 'Refuse' }).click();
    await page.getByText(/1 of 2 answers are complete/).waitFor();
    await forms.getByRole('button', { name: 'Refuse' }).click();
    const endOf = async () => (await workflow.historyOf(id)).at(-1)?.role;
    await expect.poll(endOf).toBe('assistant');
    expect(charged()).not.toContain(3);
    expect(charged()).not.toContain(4);
    const items = await workflow.historyOf(id);
    expect(items.filter(({ name }) => name === 'approve_action').map(({ output }) => output)).toEqual([
      { approved: false, reason: 'Too much' },
      { approved: false },
    ]);
    expectQuiet(window);
    await window.close();
  });

  it('shows a call that only the client can answer without a form, and says when it was answered elsewhere', async () => {
    const body = await waitingTurn('/call charge_own {"amount":5}');
    const window = await signedIn(browser, service, '/dashboard/inbox');
    const { page } = window;
    await opened(page, HIDDEN);
    await page.getByText('Only the client of the conversation can decide about this action.').waitFor();
    expect(await page.getByRole('button', { name: 'Approve' }).count()).toBe(0);
    await expectAccessible(page);
    await screenshot(page, 'dashboard-inbox-client');
    await service.send('POST', `/v2/runner/${workflow.deploymentId}/conversation`, {
      body: {
        conversation_id: body.conversation_id,
        tool_results: [{ call_id: body.client_tool_calls[0].call_id, output: { approved: true } }],
      },
    });
    await page.getByText('This was answered in another window.').waitFor();
    await page.getByText('Nothing waits.').waitFor();
    expectQuiet(window);
    await window.close();
  });

  it('filters by who can answer, and works on a phone', async () => {
    await waitingTurn('/call charge_own {"amount":6}');
    await waitingTurn('/call charge_team {"amount":7}');
    const window = await signedIn(browser, service, '/dashboard/waiting', { viewport: { width: 390, height: 844 } });
    const { page } = window;
    await entry(page, HIDDEN).waitFor();
    await entry(page, 'charge_team').waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
    await screenshot(page, 'dashboard-inbox');
    await page.getByRole('button', { name: 'Filters', exact: true }).click();
    await choose(await addFilter(page, 'Who can answer'), 'member');
    await entry(page, HIDDEN).waitFor({ state: 'detached' });
    await opened(page, 'charge_team');
    await page.getByRole('heading', { name: 'Approve “charge_team”?' }).waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
    await expectAccessible(page);
    await page.getByRole('link', { name: 'Back to the inbox' }).click();
    await entry(page, 'charge_team').waitFor();
    expectQuiet(window);
    await window.close();
  });

  it('has no forms for a viewer', async () => {
    const as = { email: 'viewer@example.com', password: 'a long enough password' };
    await makeMember(service, 'viewer', as);
    const window = await signedIn(browser, service, '/dashboard/inbox', { as, newSession: true });
    const { page } = window;
    await opened(page, HIDDEN);
    await page.getByText('The assistant answers.').waitFor();
    await page.getByText(/Your role allows you to view/).waitFor();
    for (const name of ['Approve', 'Take over']) expect(await page.getByRole('button', { name }).count()).toBe(0);
    await window.close();
  });
});
