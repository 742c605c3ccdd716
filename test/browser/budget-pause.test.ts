import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { AGENT_PAGE, reply, say } from '../support/agent-page.ts';
import { expectAccessible, expectQuiet, screenshot } from '../support/browser.ts';
import { makeBudget } from '../support/budgets.ts';
import { signedIn } from '../support/dashboard.ts';
import { DEMO_AGENT_ID, startService, type TestService } from '../support/service.ts';
import { makeMember } from '../support/tenants.ts';
import { launchBrowser, visit } from '../support/visit.ts';

const viewer = { email: 'pause-viewer@example.com', password: 'a long enough password' };

let service: TestService;
let browser: Browser;
beforeAll(async () => {
  [service, browser] = await Promise.all([startService(), launchBrowser()]);
  await makeMember(service, 'viewer', viewer);
});
afterAll(() => service?.close());

const entry = (page: Page) =>
  page.getByRole('list', { name: 'Waiting conversations' }).getByRole('link').filter({ hasText: 'Raise a budget' });

it('a visitor waits without seeing amounts until a member raises the budget', async () => {
  const { prisma } = service.service.services.stores;
  const { id: environmentId } = await prisma.environment.findFirstOrThrow({ where: { kind: 'live' } });
  await makeBudget(prisma, { environmentId, place: `deployment:${DEMO_AGENT_ID}`, amount: 7, onReached: 'pause' });
  const visitor = await visit(browser, service.url);
  const agent = await visitor.open(AGENT_PAGE);
  await say(agent, 'Hello');
  await agent.getByRole('heading', { name: 'The assistant is pausing' }).waitFor();
  await expectAccessible(agent);
  await screenshot(agent, 'agent-pausing');
  expect(await agent.locator('body').innerText()).not.toMatch(/\b7\b/);

  const reader = await signedIn(browser, service, '/dashboard/inbox', { as: viewer });
  await entry(reader.page).click();
  await reader.page.getByText(/Your role allows you to view/).waitFor();
  expect(await reader.page.getByRole('button', { name: 'Raise and continue' }).count()).toBe(0);
  await reader.close();

  const member = await signedIn(browser, service, '/dashboard/inbox');
  const { page } = member;
  await entry(page).click();
  const form = page.getByRole('region', { name: 'Raise the budget?' });
  await form.getByRole('heading', { name: 'Raise the budget?' }).waitFor();
  await form.getByText('0 of 7 are spent.', { exact: false }).waitFor();
  await expectAccessible(page);
  await screenshot(page, 'dashboard-inbox-budget');
  await form.getByLabel('Raise the budget by').fill('-5');
  await form.getByRole('button', { name: 'Raise and continue' }).click();
  await form.getByRole('alert').getByText('Enter a number above 0.').waitFor();
  await form.getByLabel('Raise the budget by').fill('1000000');
  await form.getByRole('button', { name: 'Raise and continue' }).click();
  await page.getByText('Nothing waits.').waitFor();
  await reply(agent, 'You said: Hello').waitFor();
  expectQuiet(member);
  expectQuiet(visitor);
  await member.close();
  await visitor.close();
});
