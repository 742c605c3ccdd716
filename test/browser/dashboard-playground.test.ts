import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectAccessible, expectQuiet, screenshot } from '../support/browser.ts';
import { choose } from '../support/choose.ts';
import { signedIn } from '../support/dashboard.ts';
import { resultOf } from '../support/results.ts';
import { startService, type TestService } from '../support/service.ts';
import { launchBrowser } from '../support/visit.ts';
import { publishedWorkflow, type Workflows, workflowsOf } from '../support/workflows.ts';

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

const open = (workflowId: number, query = '') =>
  signedIn(browser, service, `/dashboard/workflows/${workflowId}?tab=playground${query}`);

const create = async (draft: object = {}) =>
  resultOf(await flows.createWorkflow({ input: { name: 'Tested', draft } })).workflowId as number;

async function send(page: Page, text: string): Promise<void> {
  await page.getByPlaceholder('Message to the draft').fill(text);
  await page.getByRole('button', { name: 'Send' }).click();
}

const questions = [{ id: 'size', question: 'Which size?', input_type: 'single_select', options: ['Small', 'Large'] }];
const ASK = `/call ask_user ${JSON.stringify({ questions })}\n/say Noted.`;

describe('the playground', () => {
  it('streams replies, shows each step and remembers the conversation until it is reset', async () => {
    const workflowId = await create({ instructions: 'Hello {{NAME}}.' });
    const window = await open(workflowId);
    const { page } = window;
    await expectAccessible(page);
    await screenshot(page, 'playground-empty');
    await page.getByLabel('{{NAME}}').fill('Ann');
    await send(page, '/stream 60');
    await page.getByText('Writing…').waitFor();
    await page.getByText(/^demo · \d+ input tokens · \d+ output tokens · [\d.]+ m?s$/).waitFor();
    await send(page, '/instructions');
    await page.getByText('Hello Ann.').waitFor();
    await send(page, '/history');
    await page.getByText('["/stream 60","/instructions","/history"]').waitFor();
    await expectAccessible(page);
    await screenshot(page, 'playground');
    await page.getByRole('button', { name: 'Reset' }).click();
    await send(page, '/history');
    await page.getByText('["/history"]').waitFor();
    await send(page, '/fail');
    await page.getByRole('alert').getByRole('button', { name: 'Try again' }).waitFor();
    await page.reload();
    await page.getByText('Send a message to see the reply.').waitFor();
    expectQuiet(window);
    await window.close();
  });

  it('shows the forms of client tools, runs actions and says which calls are not run', async () => {
    const workflowId = await create({
      clientTools: [{ name: 'ask_user' }],
      resourceTools: ['FIND_RESOURCES', 'CREATE_RESOURCE'],
      toolApprovals: [{ tool: 'create_resource', mode: 'ALWAYS' }],
    });
    const window = await open(workflowId);
    const { page } = window;
    await page.getByText('really run').waitFor();
    await send(page, ASK);
    await page.getByRole('radio', { name: 'Large' }).check();
    await expectAccessible(page);
    await screenshot(page, 'playground-form');
    expect(await page.getByRole('button', { name: 'Reset' }).isEnabled()).toBe(true);
    await page.getByRole('button', { name: 'Send', exact: true }).first().click();
    await page.getByText('Noted.', { exact: true }).waitFor();
    await page.getByText(/^Step 2 · \d+ input tokens · \d+ output tokens · [\d.]+ m?s$/).waitFor();
    await page.locator('summary', { hasText: 'Questions' }).click();
    await page.getByText('"value": "Large"').waitFor();
    await send(
      page,
      '/call find_resources {"type":"note"}\n/call create_resource {"type":"note","fields":{}}\n/say Done.',
    );
    await page.getByText('Done.').last().waitFor();
    await page.locator('summary', { hasText: 'Create resource' }).getByText('Failed').waitFor();
    await page.locator('summary', { hasText: 'Create resource' }).click();
    await page.getByText('needs an approval', { exact: false }).last().waitFor();
    await page.locator('summary', { hasText: 'Find resources' }).getByText('Done').waitFor();
    expectQuiet(window);
    await window.close();
  });

  it('edits a message of the test, and runs its last turn again', async () => {
    const workflowId = await create({});
    const window = await open(workflowId);
    const { page } = window;
    const turns = page.getByRole('list', { name: 'Turns' });
    for (const text of ['First', 'Second']) {
      await send(page, text);
      await turns.getByText(`You said: ${text}`).waitFor();
    }
    const edit = turns.getByRole('button', { name: 'Edit' });
    await edit.first().focus();
    await page.keyboard.press('Enter');
    await page.getByLabel('Edited message').fill('/history');
    await page.keyboard.press('Enter');
    await turns.getByText('["/history"]').waitFor();
    expect(await turns.getByText('Second').count()).toBe(0);
    await send(page, 'Third');
    await turns.getByText('You said: Third').waitFor();
    await edit.last().click();
    await page.getByLabel('Edited message').fill('/history');
    await page.getByLabel('Edited message').press('Enter');
    await turns.getByText('["/history","/history"]').waitFor();
    await expectAccessible(page);
    await screenshot(page, 'playground-edited');
    await turns.getByRole('button', { name: 'Try again' }).click();
    await expect.poll(() => turns.getByText('["/history","/history"]').count()).toBe(1);
    await turns.getByRole('button', { name: 'Try again' }).waitFor();
    expectQuiet(window);
    await window.close();
  });

  it('sends each message to two drafts or versions side by side', async () => {
    const { workflowId } = await publishedWorkflow(flows, { instructions: 'The first.' });
    resultOf(await flows.updateWorkflow({ id: workflowId, input: { draft: { instructions: 'The second.' } } }));
    await create({ instructions: 'Another draft.' });
    const window = await open(workflowId);
    const { page } = window;
    await page.getByRole('button', { name: 'Compare side by side' }).click();
    await choose(page.getByLabel('Right version'), 'Version 1');
    await send(page, '/instructions');
    const [left, right] = [
      page.getByRole('region', { name: 'Left test' }),
      page.getByRole('region', { name: 'Right test' }),
    ];
    await left.getByText('The second.').waitFor();
    await right.getByText('The first.').waitFor();
    await expectAccessible(page);
    await screenshot(page, 'playground-compare');
    await choose(page.getByLabel('Right version'), 'Draft of Tested');
    await choose(page.getByLabel('Left model', { exact: true }), 'Another model…');
    await page.getByLabel('Left model: name').fill('openai:gpt-none');
    await page.getByText('openai is not configured on this service.').waitFor();
    await send(page, '/instructions');
    await right.getByText('Another draft.').waitFor();
    await left.getByRole('alert').waitFor();
    expectQuiet(window);
    await window.close();
  });

  it('continues a copy of a conversation, which stays unchanged', async () => {
    const { deploymentId } = await publishedWorkflow(flows, { instructions: 'Live.' });
    const body = { content: [{ type: 'text', text: 'Where is my order?' }] };
    const answer = await service.send('POST', `/v1/runner/${deploymentId}/conversation`, { body });
    const id = answer.body.conversation_id;
    const window = await signedIn(browser, service, `/dashboard/conversations/${id}`);
    const { page } = window;
    await page.getByRole('link', { name: 'Open in playground' }).click();
    await page.getByRole('heading', { name: /Continues a copy of/ }).waitFor();
    const source = page.url();
    await page.getByText('Show its history').click();
    await page.getByText('You said: Where is my order?').waitFor();
    await send(page, '/history');
    await page.getByText('["Where is my order?","/history"]').waitFor();
    await expectAccessible(page);
    await screenshot(page, 'playground-conversation');
    const stored = await service.service.services.stores.prisma.conversation.findFirstOrThrow({ where: { id } });
    expect(stored.messageCount).toBe(2);
    await page.getByRole('button', { name: 'Fork from here' }).first().click();
    await page.waitForURL(/\/dashboard\/conversations\/[0-9a-f-]{36}$/);
    await page.getByRole('heading', { name: 'Forked from' }).waitFor();
    await page.goto(source);
    await page.getByRole('button', { name: 'Start without it' }).click();
    await send(page, '/history');
    await page.getByText('["/history"]').waitFor();
    expectQuiet(window);
    await window.close();
  });
});
