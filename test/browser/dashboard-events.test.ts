import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectAccessible, expectQuiet, screenshot } from '../support/browser.ts';
import { signedIn } from '../support/dashboard.ts';
import { startService, type TestService } from '../support/service.ts';
import { launchBrowser } from '../support/visit.ts';

let service: TestService;
let browser: Browser;
let planId: string;
beforeAll(async () => {
  [service, browser] = await Promise.all([startService(), launchBrowser()]);
  for (const type of ['order', 'customer', 'address']) {
    for (let number = 1; number <= 7; number += 1)
      await create(type, { number, note: `The ${type} with the number ${number}` });
  }
  planId = await create('plan', { name: 'Basic', price: 9.5, perks: ['mail'], old: true });
  await update(planId, { name: 'Basic plus', price: 12, perks: ['mail', 'phone'], limit: { seats: 5 } });
});
afterAll(async () => {
  await service?.close();
});

async function create(type: string, fields: object): Promise<string> {
  const { body } = await service.graphql(
    'mutation ($input: CreateResourceInput!) { createResource(input: $input) { __typename ... on CreateResourcePayload { resource { resourceId } } ... on Error { code message path } } }',
    { input: { type, fields } },
  );
  return body.data.createResource.resource.resourceId;
}

async function update(id: string, fields: object): Promise<void> {
  await service.graphql(
    'mutation ($input: UpdateResourceInput!) { updateResource(input: $input) { __typename ... on UpdateResourcePayload { resource { resourceId } } ... on Error { code message path } } }',
    { input: { id, fields } },
  );
}

describe('the event log', () => {
  it('shows new events first and stops updating while it is paused', async () => {
    const window = await signedIn(browser, service, '/dashboard/events');
    const { page } = window;
    const items = page.getByRole('list', { name: 'Events' }).locator('> li');
    await items.first().getByText('resource.updated').waitFor();
    await create('shop', { city: 'Basel' });
    await items.first().getByText('shop', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Pause' }).click();
    await create('warehouse', { city: 'Bern' });
    await page.getByRole('button', { name: 'Show new events' }).waitFor();
    await expect.poll(() => items.first().innerText()).toContain('shop');
    await page.getByRole('button', { name: 'Show new events' }).click();
    await items.first().getByText('warehouse', { exact: true }).waitFor();
    expectQuiet(window);
    await window.close();
  });

  it('shows each changed field with its values before and after', async () => {
    const window = await signedIn(browser, service, `/dashboard/events?resource=${planId}`);
    const { page } = window;
    await page.getByText('4 fields changed').click();
    const rows = page.getByRole('table', { name: 'Changed fields' }).locator('tbody tr');
    const shown = await rows.evaluateAll((all) =>
      all.map((row) => [...row.children].map((cell) => (cell as HTMLElement).innerText.replace(/\s+/g, ' '))),
    );
    expect(Object.fromEntries(shown.map(([name, ...values]) => [name, values]))).toEqual({
      name: ['Basic', 'Basic plus'],
      price: ['9.5', '12'],
      perks: ['[ "mail" ]', '[ "mail", "phone" ]'],
      limit: ['not set', '{ "seats": 5 }'],
    });
    await expectAccessible(page);
    await screenshot(page, 'dashboard-event');
    expectQuiet(window);
    await window.close();
  });

  it('keeps the filters and the page in the URL', async () => {
    const window = await signedIn(browser, service, '/dashboard/events');
    const { page } = window;
    const items = page.getByRole('list', { name: 'Events' }).locator('> li');
    await items.first().waitFor();
    await screenshot(page, 'dashboard-events');
    await expectAccessible(page);
    await expect.poll(() => items.count()).toBe(20);
    await page.getByRole('link', { name: 'Older →' }).click();
    await page.waitForURL(/after=/);
    await page.getByText('resource.updated', { exact: true }).first().click();
    await page.waitForURL(/types=resource\.updated/);
    await expect.poll(() => items.count()).toBe(1);
    await page.reload();
    await items.first().waitFor();
    await expect.poll(() => items.count()).toBe(1);
    await page.getByText('resource.created', { exact: true }).first().click();
    await page.getByLabel('Resource, integration or run').fill(planId);
    await expect.poll(() => items.count()).toBe(2);
    const fresh = await window.context.newPage();
    await fresh.goto(page.url());
    await expect.poll(() => fresh.getByRole('list', { name: 'Events' }).locator('> li').count()).toBe(2);
    await fresh.getByLabel('To', { exact: true }).fill('2020-01-01T00:00');
    await fresh.waitForURL(/to=20/);
    await fresh.getByText('No events match these filters.').waitFor();
    expectQuiet(window);
    await window.close();
  });

  it('shows runs if their types are selected, with links to all events of a run and to its conversation', async () => {
    const { body } = await service.agentTurn('Hello');
    const window = await signedIn(browser, service, '/dashboard/events');
    const { page } = window;
    const items = page.getByRole('list', { name: 'Events' }).locator('> li');
    await items.first().waitFor();
    expect(await items.getByText('run.completed').count()).toBe(0);
    await page.getByRole('group', { name: 'Runs' }).getByText('run.completed', { exact: true }).click();
    await items.first().getByText('run.completed').click();
    await page.getByText('Run ID', { exact: true }).waitFor();
    await expectAccessible(page);
    await screenshot(page, 'dashboard-run-event');
    await page.getByRole('link', { name: 'All events of this run' }).click();
    await expect.poll(() => items.count()).toBe(2);
    await page.getByRole('link', { name: 'Open conversation' }).click();
    await page.waitForURL(`**/conversations/${body.conversation_id}`);
    expectQuiet(window);
    await window.close();
  });
});
