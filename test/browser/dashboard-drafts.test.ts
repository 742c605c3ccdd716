import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectAccessible, expectQuiet, screenshot } from '../support/browser.ts';
import { choose } from '../support/choose.ts';
import { signedIn } from '../support/dashboard.ts';
import { resultOf } from '../support/results.ts';
import { startService, type TestService } from '../support/service.ts';
import { launchBrowser } from '../support/visit.ts';
import { type Workflows, workflowsOf } from '../support/workflows.ts';

let service: TestService;
let browser: Browser;
let flows: Workflows;
beforeAll(async () => {
  [service, browser] = await Promise.all([startService(), launchBrowser()]);
  flows = workflowsOf(service);
});
afterAll(async () => {
  await service?.close();
});

const open = (workflowId: number) => signedIn(browser, service, `/dashboard/workflows/${workflowId}`);

const saved = (page: Page) => page.getByText('All changes saved').waitFor();
const save = (page: Page) => page.getByRole('button', { name: 'Save draft' }).click();
const instructions = (page: Page) => page.getByLabel('Instructions');
const section = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Sections of the draft' }).getByRole('link', { name }).click();

describe('a draft', () => {
  it('saves every part of a draft', async () => {
    const { workflowId } = resultOf(await flows.createWorkflow({ input: { name: 'New' } }));
    const window = await open(workflowId);
    const { page } = window;
    await section(page, 'Model');
    await page.getByLabel('History limit').fill('7');
    await choose(page.getByLabel('Reasoning', { exact: true }), 'SHOWN');
    await choose(page.getByLabel('Reasoning effort'), 'HIGH');
    await page.getByLabel('Reply limit in tokens').fill('2000');
    await page.getByLabel('Temperature').fill('0.5');
    await page.getByLabel('Stop sequences').fill('END\nUser: ');
    await page.getByLabel('Model parameters').fill('{"top_p":0.9}');
    await page.getByLabel('Generate titles').check();
    await section(page, 'Limits and recovery');
    await page.getByLabel('Max steps').fill('');
    await choose(page.getByLabel('If a process dies'), 'CONTINUE');
    await page.getByLabel('Max attempts').fill('5');
    await section(page, 'Replies');
    await page.getByLabel('Output schema').fill('{"type":"object","properties":{"answer":{"type":"string"}}}');
    await section(page, 'Abilities');
    await page.getByLabel('Find', { exact: true }).check();
    await page.getByRole('button', { name: 'Add tool' }).click();
    const tools = page.locator('section', { has: page.getByRole('heading', { name: 'Client tools' }) });
    await tools.getByLabel('Name', { exact: true }).fill('show_book');
    await choose(tools.getByLabel('Availability'), 'ALWAYS');
    await tools.getByLabel('Expires after seconds').fill('3600');
    await choose(tools.getByLabel('If nobody answers in time'), 'DEFAULT');
    await tools.getByLabel('Output if nobody answers').fill('{"shown":false}');
    await section(page, 'Actions');
    await page.getByRole('button', { name: 'Add action' }).click();
    const actions = page.locator('section', { has: page.getByRole('heading', { name: 'HTTP actions' }) });
    await actions.getByLabel('Name', { exact: true }).fill('find_order');
    await actions.getByLabel('Integration').fill('Shop');
    await actions.getByLabel('URL').fill('/orders');
    await actions.getByRole('button', { name: 'Add header' }).click();
    await actions.getByLabel('Header 1: name').fill('X-Channel');
    await actions.getByLabel('Header 1: value').fill('chat');
    await actions.getByLabel('Safe to repeat').check();
    await choose(actions.getByLabel('Calls that need an approval'), 'WHEN');
    await choose(actions.getByLabel('Who approves'), 'MEMBER');
    await page.getByRole('button', { name: 'Add server' }).click();
    const servers = page.locator('section', { has: page.getByRole('heading', { name: 'MCP servers' }) });
    await servers.getByLabel('Name', { exact: true }).fill('stock');
    await servers.getByLabel('Integration').fill('Warehouse');
    await servers.getByLabel('Tools').fill('search\nreserve');
    await section(page, 'Approvals');
    await page.getByRole('button', { name: 'Add rule' }).click();
    const rules = page.locator('section', { has: page.getByRole('heading', { name: 'Approvals of single tools' }) });
    await rules.getByLabel('Tool', { exact: true }).fill('stock_search');
    await choose(rules.getByLabel('Calls that need an approval'), 'NEVER');
    await save(page);
    await actions.getByText('Enter a JSON Schema.').waitFor();
    await actions.getByLabel('Arguments that need an approval').fill('{"type":"object"}');
    await save(page);
    await saved(page);
    const { draft } = resultOf(await flows.workflow({ id: workflowId }));
    expect(draft).toMatchObject({
      historyLimit: 7,
      maxSteps: 16,
      titleModel: true,
      outputSchema: { type: 'object', properties: { answer: { type: 'string' } } },
      reasoning: 'SHOWN',
      reasoningEffort: 'HIGH',
      maxReplyTokens: 2_000,
      temperature: 0.5,
      stopSequences: ['END', 'User: '],
      modelParameters: { top_p: 0.9 },
      recovery: 'CONTINUE',
      maxAttempts: 5,
      clientTools: [
        {
          name: 'show_book',
          availability: 'ALWAYS',
          inputSchema: null,
          expiresAfterSeconds: 3_600,
          onExpiry: { mode: 'DEFAULT', output: { shown: false } },
        },
      ],
      httpActions: [
        {
          name: 'find_order',
          headers: [{ name: 'X-Channel', value: 'chat' }],
          timeoutSeconds: 15,
          retrySafe: true,
          approval: { mode: 'WHEN', when: { type: 'object' }, approver: 'MEMBER', expiresAfterSeconds: null },
        },
      ],
      mcpServers: [
        {
          name: 'stock',
          integration: 'Warehouse',
          tools: ['search', 'reserve'],
          approval: { mode: 'ALWAYS', approver: 'MEMBER' },
        },
      ],
      toolApprovals: [{ tool: 'stock_search', mode: 'NEVER' }],
      resourceTools: ['FIND_RESOURCES'],
    });
    await section(page, 'Abilities');
    await page.locator('summary', { hasText: 'show_book' }).click();
    await page.getByRole('button', { name: 'Remove tool show_book' }).click();
    await save(page);
    await saved(page);
    expect(resultOf(await flows.workflow({ id: workflowId })).draft.clientTools).toEqual([]);
    expectQuiet(window);
    await window.close();
  });
});

describe('a draft that somebody else has changed', () => {
  const raced = async () => {
    const { workflowId } = resultOf(await flows.createWorkflow({ input: { name: 'Raced' } }));
    const window = await open(workflowId);
    await instructions(window.page).fill('Mine.');
    resultOf(
      await flows.updateWorkflow({ id: workflowId, input: { draft: { instructions: 'Theirs.', maxSteps: 3 } } }),
    );
    await save(window.page);
    await window.page.getByText('This draft has changed since you started').waitFor();
    const stored = async () => resultOf(await flows.workflow({ id: workflowId })).draft;
    expect((await stored()).instructions).toBe('Theirs.');
    return { window, stored, workflowId };
  };

  it('warns before it overwrites, and can load the other changes', async () => {
    const { window, stored } = await raced();
    const { page } = window;
    await page.getByText('Changed since then: Instructions, Max steps.').waitFor();
    await expectAccessible(page);
    await screenshot(page, 'workflow-conflict');
    await page.getByRole('button', { name: 'Load their changes' }).click();
    await saved(page);
    await expect.poll(() => instructions(page).inputValue()).toBe('Theirs.');
    expect((await stored()).maxSteps).toBe(3);
    expectQuiet(window);
    await window.close();
  });

  it('can overwrite the other changes', async () => {
    const { window, stored } = await raced();
    await window.page.getByRole('button', { name: 'Overwrite with mine' }).click();
    await saved(window.page);
    expect(await stored()).toMatchObject({ instructions: 'Mine.', maxSteps: 16 });
    expectQuiet(window);
    await window.close();
  });
});

describe('unsaved changes', () => {
  it('survive a change of tabs and need a confirmation before the user leaves the page', async () => {
    const { workflowId } = resultOf(await flows.createWorkflow({ input: { name: 'Left' } }));
    const window = await signedIn(browser, service, '/dashboard/workflows');
    const { page } = window;
    const here = `**/dashboard/workflows/${workflowId}`;
    const asked = page.getByRole('dialog', { name: 'Leave without saving?' });
    const stay = async () => {
      await asked.getByRole('button', { name: 'Stay here' }).click();
      await asked.waitFor({ state: 'hidden' });
      await page.waitForURL(here);
      await expect.poll(() => instructions(page).inputValue()).toBe('Not yet.');
    };
    await page.getByRole('link', { name: 'Left' }).click();
    await instructions(page).fill('Not yet.');
    await page.getByRole('link', { name: 'Versions' }).click();
    await page.waitForURL(`${here}?tab=versions`);
    await page.getByRole('link', { name: 'Draft', exact: true }).click();
    await page.getByRole('link', { name: 'Deployments' }).click();
    await stay();
    await choose(page.getByLabel('Environment'), 'test');
    await stay();
    await page.evaluate(() => history.go(-3));
    await asked.waitFor();
    await expectAccessible(page);
    await stay();
    const [dialog] = await Promise.all([page.waitForEvent('dialog'), page.close({ runBeforeUnload: true })]);
    expect(dialog.type()).toBe('beforeunload');
    await dialog.dismiss();
    await page.evaluate(() => history.back());
    await asked.getByRole('button', { name: 'Leave without saving' }).click();
    await page.getByRole('heading', { name: 'Workflows', level: 1 }).waitFor();
    expectQuiet(window);
    await window.close();
  });
});
