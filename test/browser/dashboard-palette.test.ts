import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectAccessible, expectQuiet, screenshot } from '../support/browser.ts';
import { accountMenu, signedIn } from '../support/dashboard.ts';
import { publish } from '../support/documents.ts';
import { startService, type TestService } from '../support/service.ts';
import { launchBrowser } from '../support/visit.ts';
import { makeEndpoint } from '../support/webhooks.ts';

let service: TestService;
let browser: Browser;
beforeAll(async () => {
  [service, browser] = await Promise.all([startService(), launchBrowser()]);
});
afterAll(async () => {
  await service?.close();
});

const input = (page: Page) => page.getByRole('combobox', { name: 'Search pages, actions and IDs' });

/** Opens the palette, types a text and waits for the option that it must offer. */
async function search(page: Page, text: string, option: string | RegExp) {
  await page.keyboard.press('Control+k');
  await input(page).fill(text);
  const found = page.getByRole('option', { name: option });
  await found.first().waitFor();
  return found.first();
}

const headingIs = (page: Page, name: string | RegExp) => page.getByRole('heading', { level: 1, name }).waitFor();

describe('the command palette', () => {
  it('goes to pages, deployments and workflows by name with the keyboard', async () => {
    const window = await signedIn(browser, service);
    const { page } = window;
    await page.getByRole('button', { name: /^Search or go to/ }).click();
    await input(page).waitFor();
    await expectAccessible(page);
    await screenshot(page, 'palette');
    await input(page).fill('webh');
    await page.getByRole('option', { name: /^Webhooks/ }).waitFor();
    await page.keyboard.press('Enter');
    await headingIs(page, 'Webhooks');
    await input(page).waitFor({ state: 'detached' });
    // The focus is at the new page, not at the button that opened the palette.
    await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('main');
    await (await search(page, 'demo agent', /^Demo agent/)).click();
    await headingIs(page, 'Demo agent');
    await (await search(page, 'workflow', /^New workflow/)).click();
    await page.getByRole('dialog', { name: 'New workflow' }).getByLabel('Name').waitFor();
    expect(new URL(page.url()).search).toBe('');
    expectQuiet(window);
    await window.close();
  });

  it('finds the record of a pasted ID', async () => {
    const created = await service.graphql(
      `mutation ($input: CreateResourceInput!) {
        createResource(input: $input) { ... on CreateResourcePayload { resource { resourceId } } }
      }`,
      { input: { type: 'order', fields: { total: 5 } } },
    );
    const { resource } = created.body.data.createResource;
    const endpoint = await makeEndpoint(service, 'http://127.0.0.1:9/');
    const document = await publish(service, 'found_by_id', '{ resources { totalCount } }');
    const { body: turn, headers } = await service.agentTurn('Find me');
    const requestId = headers.get('x-request-id') ?? '';
    expect(requestId).not.toBe('');
    const window = await signedIn(browser, service);
    const { page } = window;
    for (const [id, option, heading] of [
      [turn.conversation_id, /Conversation$/, 'Find me'],
      [turn.run_id, /Run$/, 'Find me'],
      [requestId, /Conversation$/, 'Find me'],
      [resource.resourceId, /^order/, 'order'],
      [endpoint.id, /Webhook endpoint$/, 'Webhook endpoint'],
      [document.documentId, /^found_by_id/, 'found_by_id'],
    ] as const) {
      await (await search(page, id, option)).click();
      await headingIs(page, heading);
    }
    await page.keyboard.press('Control+k');
    await input(page).fill('00000000-0000-4000-8000-00000000dead');
    await page.getByText('No page, action or record matches.').waitFor();
    await page.keyboard.press('Escape');
    await input(page).waitFor({ state: 'detached' });
    expectQuiet(window);
    await window.close();
  });
});

describe('the keyboard shortcuts', () => {
  it('lists them at ?, goes to pages, and stays out of text fields', async () => {
    const window = await signedIn(browser, service);
    const { page } = window;
    await headingIs(page, 'Overview');
    await page.keyboard.press('?');
    const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await help.getByText('G then C').waitFor();
    await expectAccessible(page);
    await screenshot(page, 'shortcuts');
    await page.keyboard.press('Escape');
    await help.waitFor({ state: 'detached' });
    await page.keyboard.press('g');
    await page.keyboard.press('c');
    await headingIs(page, 'Conversations');
    await page.getByLabel('Search', { exact: true }).fill('');
    await page.getByLabel('Search', { exact: true }).pressSequentially('gd?');
    expect(await help.count()).toBe(0);
    await page.waitForURL(/search=gd/);
    await headingIs(page, 'Conversations');
    expectQuiet(window);
    await window.close();
  });

  it('can be turned off, except for the palette', async () => {
    const window = await signedIn(browser, service);
    const { page } = window;
    await accountMenu(page).click();
    await page.getByRole('menuitem', { name: /^Keyboard shortcuts/ }).click();
    const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await help.getByRole('switch', { name: 'Shortcuts of single keys' }).click();
    await page.keyboard.press('Escape');
    await help.waitFor({ state: 'detached' });
    await page.keyboard.press('g');
    await page.keyboard.press('d');
    await page.keyboard.press('?');
    await page.keyboard.press('Control+k');
    await input(page).waitFor();
    expect(await help.count()).toBe(0);
    await page.keyboard.press('Escape');
    await headingIs(page, 'Overview');
    // The browser remembers it.
    await page.reload();
    await headingIs(page, 'Overview');
    await page.keyboard.press('?');
    await page.keyboard.press('Control+k');
    await input(page).waitFor();
    expect(await help.count()).toBe(0);
    expectQuiet(window);
    await window.close();
  });
});
