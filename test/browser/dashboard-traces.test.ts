import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectAccessible, expectQuiet, screenshot } from '../support/browser.ts';
import { signedIn } from '../support/dashboard.ts';
import { promptOf } from '../support/memory-provider.ts';
import { makeMember } from '../support/tenants.ts';
import { SECRET_ARGUMENT, startTracingService, type TracingService } from '../support/traces.ts';
import { launchBrowser } from '../support/visit.ts';

let host: TracingService;
let browser: Browser;
beforeAll(async () => {
  [host, browser] = await Promise.all([startTracingService(), launchBrowser()]);
});
afterAll(async () => {
  await host?.close();
});

/** The conversation of a run. */
async function conversationOf(runId: string): Promise<string> {
  const run = await host.service.service.services.stores.prisma.run.findFirstOrThrow({ where: { id: runId } });
  return run.conversationId;
}

const steps = (page: Page) => page.getByRole('list', { name: 'Steps and calls' });

describe('a failure', () => {
  it('is explained from the list of conversations down to the response of the provider', async () => {
    const runId = await host.failedTurn(401, 'Incorrect API key provided.');
    const { body } = await host.service.graphql('query ($id: ID!) { run(id: $id) { requestId } }', { id: runId });
    const window = await signedIn(browser, host.service, '/dashboard/conversations');
    const { page, context } = window;
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    const row = page.getByRole('table', { name: 'Conversations' }).locator('tbody tr').first();
    await row.getByText('Failed', { exact: true }).filter({ visible: true }).waitFor();
    await row.getByText('The model provider rejected the API key.').waitFor();
    await row.getByRole('link', { name: 'Hello' }).click();
    const failure = page.getByRole('region', { name: 'Failed turn' });
    await failure.getByText('The model provider rejected the API key.').waitFor();
    await failure.getByText(/Check OPENAI_API_KEY/).waitFor();
    await failure.getByRole('button', { name: 'Copy request ID' }).click();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(body.data.run.requestId);
    await expectAccessible(page);
    await screenshot(page, 'dashboard-conversation-failed');
    await failure.getByRole('link', { name: 'Trace of this turn' }).click();
    await page.waitForURL(new RegExp(`/runs/${runId}$`));
    await steps(page).getByText('Failed', { exact: true }).waitFor();
    await steps(page).getByText('Step 1: openai-compatible:test').click();
    await steps(page).getByText('Response of the provider: 401').waitFor();
    await steps(page)
      .getByText(/Incorrect API key provided\./)
      .waitFor();
    await expectAccessible(page);
    await screenshot(page, 'dashboard-trace-failed');
    expectQuiet(window);
    await window.close();
  });

  it('is run again with the draft in the playground, after the items before it', async () => {
    host.provider.reply({ kind: 'answer', deltas: ['It is on its way.'] });
    const content = (text: string) => [{ type: 'text', text }];
    const first = await host.turn(host.deploymentId, { content: content('Where is it?'), variables: { NAME: 'Ada' } });
    const { conversation_id } = first.body;
    host.provider.reply({ kind: 'status', status: 400 });
    await host.turn(host.deploymentId, { conversation_id, content: content('And the other one?') });
    const window = await signedIn(browser, host.service, `/dashboard/conversations/${conversation_id}`);
    const { page } = window;
    const failure = page.getByRole('region', { name: 'Failed turn' });
    await failure.getByRole('link', { name: 'Trace of this turn' }).click();
    await page.getByRole('heading', { name: 'Trace of a turn' }).waitFor();
    await page.getByRole('link', { name: 'Try with the draft' }).waitFor();
    await page.goBack();
    await failure.getByRole('link', { name: 'Try with the draft' }).click();
    await page.getByRole('heading', { name: /Continues a copy of .*, up to a turn/ }).waitFor();
    const field = page.getByRole('textbox', { name: 'Message' });
    await expect.poll(() => field.inputValue()).toBe('And the other one?');
    expect(await page.getByLabel('{{NAME}}').inputValue()).toBe('Ada');
    await page.getByText('Show its history').click();
    await page.getByText('It is on its way.').waitFor();
    expect(await page.getByRole('list', { name: 'Conversation' }).getByText('And the other one?').count()).toBe(0);
    await expectAccessible(page);
    await screenshot(page, 'playground-failed-turn');
    host.provider.reply({ kind: 'answer', deltas: ['It is there.'] });
    await field.press('Enter');
    await page.getByRole('list', { name: 'Turns' }).getByText('It is there.').waitFor();
    const { messages } = promptOf(host.provider.requests.at(-1) as never);
    expect(messages.map((one) => JSON.parse(one).content)).toEqual([
      'Where is it?',
      'It is on its way.',
      'And the other one?',
    ]);
    expectQuiet(window);
    await window.close();
  });

  it('is explained to viewers without a link to the trace, and they cannot open its page', async () => {
    const runId = await host.failedTurn(429, 'For developers only');
    const password = 'a viewer of this workspace';
    const email = 'viewer-of-failures@example.com';
    await makeMember(host.service, 'viewer', { email, password });
    const path = `/dashboard/conversations/${await conversationOf(runId)}`;
    const window = await signedIn(browser, host.service, path, { as: { email, password } });
    const { page } = window;
    const failure = page.getByRole('region', { name: 'Failed turn' });
    await failure.getByText(/limits requests/).waitFor();
    expect(await page.getByRole('link', { name: 'Trace of this turn' }).count()).toBe(0);
    await page.goto(`${host.service.url}${path}/runs/${runId}`);
    await page.getByRole('heading', { name: 'Page not found' }).waitFor();
    expect(await page.content()).not.toContain('For developers only');
    expectQuiet(window);
    await window.close();
  });
});

describe('the trace of a turn', () => {
  it('shows steps and calls on a time line, with prompt, answer, arguments and result', async () => {
    const runId = await host.toolTurn('Write it down, please');
    const conversationId = await conversationOf(runId);
    const window = await signedIn(browser, host.service, `/dashboard/conversations/${conversationId}`);
    const { page, context } = window;
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('link', { name: 'Trace of this turn' }).click();
    const list = steps(page);
    await list.getByText('Call: create_resource').waitFor();
    await expect.poll(() => list.locator('> li > details').count()).toBe(3);
    await list.getByText('Call: create_resource').click();
    const call = list.getByRole('listitem').filter({ hasText: 'Call: create_resource' });
    await expect.poll(() => call.locator('pre:visible', { hasText: SECRET_ARGUMENT }).count()).toBe(2);
    await list.getByText('Step 2: openai-compatible:test').click();
    await list.getByText('I wrote it down.').waitFor();
    await page.getByText('Details', { exact: true }).click();
    await page.getByText('800 of 3,000 input tokens from cache', { exact: true }).waitFor();
    await list.getByText('Write it down, please').last().waitFor();
    await expectAccessible(page);
    await screenshot(page, 'dashboard-trace');
    await page.getByRole('button', { name: 'Copy as JSON' }).click();
    const copied = JSON.parse(await page.evaluate(() => navigator.clipboard.readText()));
    expect(copied).toMatchObject({ runId, status: 'COMPLETED', trace: { workflowVersion: 1 } });
    expect(copied.trace.spans.nodes).toHaveLength(3);
    await page.getByRole('button', { name: 'Copy link' }).click();
    const link = await page.evaluate(() => navigator.clipboard.readText());
    expect(link).toBe(`${host.service.url}/dashboard/conversations/${conversationId}/runs/${runId}`);
    const fresh = await context.newPage();
    await fresh.goto(link);
    await steps(fresh).getByText('Call: create_resource').waitFor();
    expectQuiet(window);
    await window.close();
  });

  it('says that it has expired, and that an unknown turn does not exist', async () => {
    const runId = await host.toolTurn();
    const { prisma } = host.service.service.services.stores;
    await prisma.run.updateMany({ where: { id: runId }, data: { updatedAt: new Date(Date.now() - 31 * 86_400_000) } });
    const conversationId = await conversationOf(runId);
    const path = `/dashboard/conversations/${conversationId}/runs`;
    const window = await signedIn(browser, host.service, `${path}/${runId}`);
    const { page } = window;
    await page.getByText(/no longer kept/).waitFor();
    const other = await conversationOf(await host.toolTurn());
    for (const unknown of [
      `${path}/${conversationId}`,
      `/dashboard/conversations/${other}/runs/${runId}`,
      `${path}/x`,
    ]) {
      await page.goto(`${host.service.url}${unknown}`);
      await page.getByRole('heading', { name: 'Turn not found' }).waitFor();
    }
    expectQuiet(window);
    await window.close();
  });
});

describe('the page of a long conversation', () => {
  it('opens at the newest message, with the details in view', async () => {
    const first = await host.toolTurn('The very first message');
    const conversation_id = await conversationOf(first);
    host.provider.reply({ kind: 'answer', deltas: ['A line of the answer.\n\n'.repeat(20), 'The very last words.'] });
    for (let turn = 0; turn < 4; turn += 1) await host.turn(host.deploymentId, { conversation_id });
    const window = await signedIn(browser, host.service, `/dashboard/conversations/${conversation_id}`, {
      viewport: { width: 1440, height: 900 },
    });
    const { page } = window;
    const isInView = (text: string) =>
      page
        .getByText(text, { exact: true })
        .last()
        .evaluate((node) => {
          const { top, bottom } = node.getBoundingClientRect();
          return top >= 0 && bottom <= innerHeight;
        });
    await page.getByText('The very last words.').last().waitFor();
    await expect.poll(() => isInView('The very last words.')).toBe(true);
    await expect.poll(() => isInView('Latest activity')).toBe(true);
    expect(await isInView('The very first message')).toBe(false);
    await screenshot(page, 'dashboard-conversation-long');
    expectQuiet(window);
    await window.close();
  });
});
