import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectAccessible, expectQuiet, screenshot } from '../support/browser.ts';
import { say } from '../support/chat-page.ts';
import { signedIn } from '../support/dashboard.ts';
import { startService, type TestService } from '../support/service.ts';
import { type Site, startSite } from '../support/site.ts';
import { launchBrowser, visit } from '../support/visit.ts';

let service: TestService;
let browser: Browser;
let site: Site;
beforeAll(async () => {
  [service, browser, site] = await Promise.all([startService(), launchBrowser(), startSite()]);
});
afterAll(async () => {
  await service?.close();
  await site?.close();
});

/** Counts the clicks of a person: on buttons, links, radio buttons and check boxes. */
function clicksOf(page: Page) {
  let count = 0;
  const click = async (role: 'button' | 'link' | 'radio' | 'checkbox', name: string | RegExp) => {
    count += 1;
    await page.getByRole(role, { name, exact: typeof name === 'string' }).click();
  };
  return { click, count: () => count };
}

const questions = [
  { id: 'topic', question: 'What is it about?', input_type: 'single_select', options: ['Order', 'Other'] },
];
const ASK = `/call ask_user ${JSON.stringify({ questions })}\n/say Thank you.`;

describe('the first steps', () => {
  it('tick themselves from the data, and disappear with the first conversation', async () => {
    const window = await signedIn(browser, service);
    const { page } = window;
    const list = page.locator('section', { has: page.getByRole('heading', { name: 'First steps' }) });
    const step = (name: string, state: 'done' | 'open') =>
      list.getByRole('listitem').filter({ hasText: name }).getByText(`(${state})`).waitFor();
    // What the first start has made is not done by anybody.
    for (const name of ['Connect a model provider', 'Create a workflow', 'Test it', 'Publish it', 'Embed it']) {
      await step(name, 'open');
    }
    await expectAccessible(page);
    await screenshot(page, 'first-steps');
    await list.getByRole('link', { name: 'Test it' }).click();
    await page.getByPlaceholder('Message to the draft').fill('Hello');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText('You said: Hello').waitFor();
    await page.getByRole('link', { name: 'Overview' }).click();
    await step('Test it', 'done');
    await list.getByRole('button', { name: 'Hide the first steps' }).click();
    await list.waitFor({ state: 'hidden' });
    await page.reload();
    await page.getByText('No turns in progress').waitFor();
    expect(await list.count()).toBe(0);
    await page.evaluate(() => localStorage.clear());
    await page.reload();
    await step('Test it', 'done');
    await service.chat('A real conversation');
    await list.waitFor({ state: 'hidden', timeout: 15_000 });
    expectQuiet(window);
    await window.close();
  });
});

describe('a new assistant', () => {
  it('goes from the sign-in to an embedded agent that asks with at most 9 clicks', async () => {
    const own = await startService();
    const window = await visit(browser, own.url);
    const page = await window.open('/dashboard');
    const { click, count } = clicksOf(page);
    await page.getByLabel('Email').fill(own.owner.email);
    await page.getByLabel('Password').fill(own.owner.password);
    await click('button', 'Sign in');
    await click('link', 'Create a workflow');
    await click('radio', /^Intake form/);
    await expectAccessible(page);
    await screenshot(page, 'workflow-templates');
    await click('button', 'Create');
    await page.getByRole('heading', { name: 'Intake form', level: 1 }).waitFor();
    await click('link', 'Publish');
    await click('button', 'New deployment');
    await click('checkbox', 'Allow every site to embed it');
    await expectAccessible(page);
    await screenshot(page, 'first-deployment');
    await click('button', 'Create and publish');
    await page.getByRole('heading', { name: 'Use this deployment' }).waitFor();
    // The first of the ways to use it.
    expect(await page.getByRole('heading', { level: 3 }).first().innerText()).toBe('Widget on your site');
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await click('button', 'Copy the embed code');
    expect(count()).toBeLessThanOrEqual(9);
    const code = await page.evaluate(() => navigator.clipboard.readText());
    site.show(code);
    const visitor = await visit(browser, own.url, { isOwn: true });
    const sitePage = await visitor.context.newPage();
    await sitePage.goto(site.origin);
    await sitePage.getByRole('button', { name: 'Chat with us', exact: true }).click();
    const agent = sitePage.frameLocator('iframe');
    await say(agent, ASK);
    await agent.getByText('What is it about?', { exact: true }).waitFor();
    await agent.getByRole('radio', { name: 'Order' }).waitFor();
    await visitor.close();
    await window.close();
    await own.close();
  });

  it('is caught in the playground before it is published', async () => {
    const window = await signedIn(browser, service, '/dashboard/workflows');
    const { page } = window;
    await page.getByRole('button', { name: 'New workflow' }).click();
    await page.getByLabel('Name').fill('Order desk');
    await page.getByLabel('Instructions').fill('Ask for the order number.');
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByRole('link', { name: 'Playground' }).click();
    const ask = async () => {
      await page.getByPlaceholder('Message to the draft').fill(ASK);
      await page.getByRole('button', { name: 'Send', exact: true }).last().click();
    };
    await ask();
    await page
      .locator('summary', { hasText: /ask.user|Questions/i })
      .getByText('Failed')
      .waitFor();
    await page.getByRole('link', { name: 'Draft', exact: true }).click();
    await page
      .getByRole('navigation', { name: 'Sections of the draft' })
      .getByRole('link', { name: 'Abilities' })
      .click();
    await page.getByRole('switch', { name: 'Ask the user questions' }).check();
    await page.getByRole('button', { name: 'Save draft' }).click();
    await page.getByText('All changes saved').waitFor();
    await page.getByRole('link', { name: 'Playground' }).click();
    await ask();
    await page.getByText('What is it about?', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'Publish', exact: true }).click();
    await page.getByText('No deployments yet').waitFor();
    await window.close();
  });
});
