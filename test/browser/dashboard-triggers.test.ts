import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectAccessible, expectQuiet, screenshot } from '../support/browser.ts';
import { choose } from '../support/choose.ts';
import { signedIn } from '../support/dashboard.ts';
import { DEMO_AGENT_ID, DEMO_CHAT_ID, startService, type TestService } from '../support/service.ts';
import { makeDeployment, makeMember } from '../support/tenants.ts';
import { createTrigger, expireTrigger, readTrigger } from '../support/triggers.ts';
import { launchBrowser } from '../support/visit.ts';

let service: TestService;
let browser: Browser;
beforeAll(async () => {
  [service, browser] = await Promise.all([startService(), launchBrowser()]);
});
afterAll(async () => {
  await service?.close();
});

const start = (triggerId: string) =>
  service.send('POST', `/v1/runner/${DEMO_CHAT_ID}/conversation`, { body: { trigger_id: triggerId } });

describe('the list of triggers', () => {
  it('shows unused, used and expired triggers, and links to the started conversation', async () => {
    const made = async (words: string, fields: object = {}) =>
      (await createTrigger(service, { content: [{ type: 'text', text: words }], ...fields })).body.id as string;
    const unused = await made('I would like to return the two books that I ordered last week.', {
      variables: { NAME: 'Ann', order: '10023' },
      ui_surface: 'chat',
      ttl_hours: null,
    });
    const used = await made('Where is my order?');
    const expired = await made('Is the autumn sale still on?');
    const { conversation_id } = (await start(used)).body;
    await expireTrigger(service, expired);
    const other = (await createTrigger(service, {}, DEMO_AGENT_ID)).body.id;
    const window = await signedIn(browser, service, '/dashboard/triggers');
    const { page } = window;
    const row = (id: string) => page.getByRole('row', { name: new RegExp(id) });
    await row(unused).getByText('Unused').waitFor();
    await row(unused).getByText('Never').waitFor();
    await row(unused).getByText('NAME, order, for chat', { exact: true }).waitFor();
    await row(expired).getByText('Expired').waitFor();
    await row(other).waitFor();
    const link = row(used).getByRole('link', { name: 'Conversation' });
    expect(await link.getAttribute('href')).toBe(`/dashboard/conversations/${conversation_id}`);
    await expectAccessible(page);
    await screenshot(page, 'triggers');
    await choose(page.getByLabel('Deployment'), DEMO_CHAT_ID);
    await page.waitForURL(`**?deployment=${DEMO_CHAT_ID}`);
    await row(other).waitFor({ state: 'hidden' });
    await page.reload();
    await row(used).getByText('Used', { exact: true }).waitFor();
    expect(await row(other).count()).toBe(0);
    expectQuiet(window);
    await window.close();
  });

  it('keeps the page in the URL', async () => {
    const { id } = await makeDeployment(service, {});
    for (let count = 0; count < 21; count += 1) await createTrigger(service, {}, id);
    const window = await signedIn(browser, service, `/dashboard/triggers?deployment=${id}`);
    const { page } = window;
    await page.getByRole('link', { name: 'Older' }).click();
    await page.waitForURL(/after=/);
    await page.getByRole('link', { name: 'Newer' }).waitFor();
    await expect.poll(() => page.getByRole('row').count()).toBe(2);
    await page.reload();
    await expect.poll(() => page.getByRole('row').count()).toBe(2);
    expect(page.url()).toContain(`/dashboard/triggers?deployment=${id}`);
    expectQuiet(window);
    await window.close();
  });
});

describe('a new trigger', () => {
  it('stores its variables, and its link starts the conversation', async () => {
    const window = await signedIn(browser, service, '/dashboard/triggers', {
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    const { page } = window;
    await page.getByRole('button', { name: 'New trigger' }).click();
    const dialog = page.getByRole('dialog');
    await choose(dialog.getByLabel('Deployment'), DEMO_CHAT_ID);
    await dialog.getByLabel('First message').fill('/instructions');
    await dialog.getByRole('button', { name: 'Add variable' }).click();
    await dialog.getByLabel('Variable 1: name').fill('NAME');
    await dialog.getByLabel('Variable 1: value').fill('Ann');
    await dialog.getByLabel('Surface').fill('assessment');
    await dialog.getByLabel('Expires after (hours)').fill('48');
    await expectAccessible(page);
    await screenshot(page, 'trigger-new');
    await dialog.getByRole('button', { name: 'Create trigger' }).click();
    await dialog.getByText('The first person who opens this link').waitFor();
    await dialog.getByRole('button', { name: 'Copy link' }).click();
    await dialog.getByText('Copied').waitFor();
    await expectAccessible(page);
    const link = new URL(await page.evaluate(() => navigator.clipboard.readText()));
    const id = link.searchParams.get('tid') ?? '';
    expect(link.pathname).toBe(`/chat/${DEMO_CHAT_ID}`);
    const { body: trigger } = await readTrigger(service, id);
    expect(trigger).toMatchObject({ variables: { NAME: 'Ann' }, ui_surface: 'assessment', conversation_id: null });
    expect(Date.parse(trigger.expires_at) - Date.parse(trigger.created_at)).toBe(48 * 3_600_000);
    expect((await service.send('GET', link.pathname + link.search, { key: null })).status).toBe(200);
    await dialog.getByRole('button', { name: 'Done' }).click();
    const row = page.getByRole('row', { name: new RegExp(id) });
    await row.getByText('Unused').waitFor();
    expect((await start(id)).body.content).toContain('Ann');
    // The subscription announces the change, and the page updates automatically.
    await row.getByText('Used', { exact: true }).waitFor();
    expectQuiet(window);
    await window.close();
  });

  it('shows an error at its field', async () => {
    const window = await signedIn(browser, service, `/dashboard/triggers?deployment=${DEMO_CHAT_ID}`);
    const { page } = window;
    await page.getByRole('button', { name: 'New trigger' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('First message').fill('   ');
    await dialog.getByLabel('Never expires').check();
    await dialog.getByRole('button', { name: 'Create trigger' }).click();
    const message = dialog.getByLabel('First message');
    await expect.poll(() => message.getAttribute('aria-invalid')).toBe('true');
    await message.fill('Hello');
    await dialog.getByRole('button', { name: 'Add variable' }).click();
    await dialog.getByLabel('Variable 1: name').fill('a name');
    await dialog.getByRole('button', { name: 'Create trigger' }).click();
    await dialog.getByText('must have 1 to 64 letters').waitFor();
    expect(await dialog.getByLabel('Variable 1: name').getAttribute('aria-invalid')).toBe('true');
    await dialog.getByLabel('Variable 1: name').fill('a_name');
    await dialog.getByRole('button', { name: 'Create trigger' }).click();
    await dialog.getByText('The first person who opens this link').waitFor();
    expectQuiet(window);
    await window.close();
  });

  it('cannot be created by a viewer', async () => {
    const as = { email: 'viewer@example.com', password: 'a password of a viewer' };
    await makeMember(service, 'viewer', as);
    const window = await signedIn(browser, service, '/dashboard/triggers', { as });
    await window.page.getByRole('table', { name: 'Triggers' }).waitFor();
    expect(await window.page.getByRole('button', { name: 'New trigger' }).count()).toBe(0);
    expectQuiet(window);
    await window.close();
  });
});
