import { readFile } from 'node:fs/promises';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CAPABLE, lookup, pauseTurn } from '../support/agent-turns.ts';
import { expectAccessible, expectQuiet, screenshot } from '../support/browser.ts';
import { signedIn } from '../support/dashboard.ts';
import { plantConversations } from '../support/dashboard-data.ts';
import { startService, type TestService } from '../support/service.ts';
import { launchBrowser } from '../support/visit.ts';

let service: TestService;
let browser: Browser;
beforeAll(async () => {
  [service, browser] = await Promise.all([startService(), launchBrowser()]);
  await plantConversations(service, 30);
});
afterAll(async () => {
  await service?.close();
});

/** Starts a conversation with a turn that waits for the client. */
async function paused(script: string, opening = 'Please help me with my account') {
  const { body } = await service.agentTurn(opening, { meta: { tier: 'gold' }, variables: { NAME: 'Ann' } });
  return pauseTurn(service, body.conversation_id, script);
}

describe('a conversation', () => {
  it('shows its timeline live, with turns, tokens, labels and variables', async () => {
    const { conversationId } = await paused(`${lookup('c-17')}\n/say **Found** you, Ann`);
    const window = await signedIn(browser, service, `/dashboard/conversations/${conversationId}`);
    const { page } = window;
    const timeline = page.getByRole('list', { name: 'Conversation' });
    await timeline.getByText('You said: Please help me with my account').waitFor();
    await timeline.getByText('Lookup customer').click();
    await timeline.getByText('"customer_id": "c-17"').waitFor();
    const details = page.getByRole('complementary', { name: 'Details' });
    await expect.poll(() => details.innerText()).toMatch(/Demo agent[\s\S]*tier\s+gold[\s\S]*NAME\s+Ann/);
    await page.getByRole('table', { name: 'Turns' }).getByText('Paused', { exact: true }).waitFor();
    await expectAccessible(page);
    await screenshot(page, 'dashboard-conversation');
    const { body } = await service.graphql(
      'query ($id: ID!) { conversation(id: $id) { deploymentId pendingActions { callId } } }',
      { id: conversationId },
    );
    const { deploymentId, pendingActions } = body.data.conversation;
    await service.send('POST', `/v2/runner/${deploymentId}/conversation`, {
      body: {
        conversation_id: conversationId,
        tool_results: [{ call_id: pendingActions[0].callId, output: { name: 'Ann' } }],
      },
    });
    await timeline.locator('strong', { hasText: 'Found' }).waitFor();
    await timeline.getByText('"name": "Ann"').waitFor();
    await details.getByText('Completed', { exact: true }).waitFor();
    await page.getByRole('heading', { name: 'Waiting for an answer' }).waitFor({ state: 'detached' });
    expectQuiet(window);
    await window.close();
  });

  it('resumes when a member answers all waiting calls, and names the member', async () => {
    const { conversationId } = await paused(`${lookup('a')} && ${lookup('b')}\n/say Both are known now`);
    const window = await signedIn(browser, service, `/dashboard/conversations/${conversationId}`);
    const { page } = window;
    const forms = page.getByRole('region', { name: 'Lookup customer' });
    await expect.poll(() => forms.count()).toBe(2);
    await forms.first().getByLabel('Result').fill('not JSON');
    await forms.first().getByRole('button', { name: 'Save and continue' }).click();
    await forms
      .first()
      .getByRole('alert')
      .getByText(/is not valid JSON/)
      .waitFor();
    await expectAccessible(page);
    await forms.first().getByLabel('Result').fill('{"name": "Ada", "since": 2019}');
    await screenshot(page, 'dashboard-conversation-stuck');
    await forms.first().getByRole('button', { name: 'Save and continue' }).click();
    await page.getByText(/1 of 2 answers are complete/).waitFor();
    await forms.getByRole('button', { name: 'Fill in an error' }).click();
    await forms.getByRole('button', { name: 'Send', exact: true }).click();
    const timeline = page.getByRole('list', { name: 'Conversation' });
    await timeline.getByText('Both are known now', { exact: true }).waitFor();
    const { body } = await service.graphql(
      `query ($id: ID!) { conversation(id: $id) { latestRun { status }
         history { nodes { ... on ClientToolCall { output } } } } }`,
      { id: conversationId },
    );
    const { latestRun: run, history } = body.data.conversation;
    expect(run.status).toBe('COMPLETED');
    expect(history.nodes.flatMap((item: { output?: object }) => item.output ?? [])).toEqual([
      { name: 'Ada', since: 2019 },
      { error: 'The client is not available.' },
    ]);
    await timeline
      .getByText(/^answered by /)
      .first()
      .waitFor();
    expectQuiet(window);
    await window.close();
  });

  it('stops a waiting turn after a confirmation and accepts the next message', async () => {
    const { body } = await service.agentTurn('/ask', { client_capabilities: ['ask_user'] });
    const window = await signedIn(browser, service, `/dashboard/conversations/${body.conversation_id}`);
    const { page } = window;
    await page.getByRole('button', { name: 'Stop turn' }).click();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Keep waiting' }).click();
    await page.getByRole('button', { name: 'Stop turn' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Stop turn' }).click();
    await page.getByRole('heading', { name: 'Waiting for an answer' }).waitFor({ state: 'detached' });
    await page.getByText('Interrupted').first().waitFor();
    const more = await service.agentTurn('And now?', { conversation_id: body.conversation_id });
    expect(more.body.content).toBe('You said: And now?');
    await page.getByText('You said: And now?').first().waitFor();
    expectQuiet(window);
    await window.close();
  });

  it('has the form of the agent page for a question, and shows at the field what is missing', async () => {
    const { body } = await service.agentTurn('/ask', { client_capabilities: ['ask_user'] });
    const window = await signedIn(browser, service, `/dashboard/conversations/${body.conversation_id}`);
    const { page } = window;
    const questions = page.getByRole('region', { name: 'The assistant has questions' });
    await questions.getByRole('button', { name: 'Send', exact: true }).click();
    await questions.getByRole('alert').getByText('Answer “What is your name?”.').waitFor();
    expect(await questions.getByLabel('What is your name?').getAttribute('aria-invalid')).toBe('true');
    expect(await page.getByRole('button', { name: 'Fill in an error' }).count()).toBe(0);
    expectQuiet(window);
    await window.close();
  });

  it('loads older items on demand', async () => {
    const { body } = await service.agentTurn('The very first word');
    for (let turn = 0; turn < 26; turn += 1) {
      await service.agentTurn(`Word ${turn}`, { conversation_id: body.conversation_id });
    }
    const window = await signedIn(browser, service, `/dashboard/conversations/${body.conversation_id}`);
    const { page } = window;
    const timeline = page.getByRole('list', { name: 'Conversation' });
    await timeline.getByText('Word 25', { exact: true }).waitFor();
    expect(await timeline.getByText('The very first word', { exact: true }).count()).toBe(0);
    await page.getByRole('button', { name: 'Show older' }).click();
    await timeline.getByText('The very first word', { exact: true }).waitFor();
    await expect.poll(() => timeline.locator('> li').count()).toBe(54);
    expectQuiet(window);
    await window.close();
  });

  it('exports as newline-delimited JSON, in the test environment too', async () => {
    const { body } = await service.agentTurn('Kept in test', {});
    const inTest = await service.send('POST', '/v2/runner/00000000-0000-4000-8000-000000000002/conversation', {
      key: service.keys.test,
      body: { content: [{ type: 'text', text: 'Only in test' }] },
    });
    const window = await signedIn(browser, service, `/dashboard/conversations/${body.conversation_id}`);
    const { page } = window;
    for (const [id, query, text] of [
      [body.conversation_id, '', 'Kept in test'],
      [inTest.body.conversation_id, '?env=test', 'Only in test'],
    ]) {
      await page.goto(`${service.url}/dashboard/conversations/${id}${query}`);
      const download = page.waitForEvent('download');
      await page.getByRole('button', { name: 'Export' }).click();
      const file = await download;
      expect(file.suggestedFilename()).toBe(`conversation-${id}.ndjson`);
      const lines = (await readFile(await file.path(), 'utf8')).trim().split('\n');
      expect(JSON.parse(lines[0] ?? '')).toMatchObject({ type: 'export' });
      expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ type: 'end' });
      expect(lines.join()).toContain(text);
    }
    expectQuiet(window);
    await window.close();
  });

  it('deletes after a confirmation and then shows "not found"', async () => {
    const { body } = await service.agentTurn('To be forgotten', CAPABLE);
    const window = await signedIn(browser, service, `/dashboard/conversations/${body.conversation_id}`);
    const { page } = window;
    await page.getByRole('button', { name: 'Delete' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Delete' }).click();
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Delete permanently' }).click();
    await page.waitForURL(/\/dashboard\/conversations$/);
    await page.getByRole('table', { name: 'Conversations' }).waitFor();
    expect(await page.getByText('To be forgotten').count()).toBe(0);
    await page.goto(`${service.url}/dashboard/conversations/${body.conversation_id}`);
    await page.getByRole('heading', { name: 'Conversation not found' }).waitFor();
    await page.goto(`${service.url}/dashboard/conversations/no-id`);
    await page.getByRole('heading', { name: 'Conversation not found' }).waitFor();
    expectQuiet(window);
    await window.close();
  });

  it('rejects a deletion while a turn is running and shows the reason in the dialog', async () => {
    const { body } = await service.agentTurn('Busy soon');
    const window = await signedIn(browser, service, `/dashboard/conversations/${body.conversation_id}`);
    const { page } = window;
    const turn = service.agentTurn('/slow 8', { conversation_id: body.conversation_id });
    await page.getByText('The assistant is responding').waitFor();
    await page.getByRole('button', { name: 'Delete' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Delete permanently' }).click();
    await dialog.getByRole('alert').waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    expect(await turn).toMatchObject({ status: 200 });
    await page.getByText('The assistant is responding').waitFor({ state: 'detached' });
    expectQuiet(window);
    await window.close();
  });
});
