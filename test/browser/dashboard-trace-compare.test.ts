import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { textContent } from '../support/agent-apis.ts';
import { expectAccessible, expectQuiet, screenshot } from '../support/browser.ts';
import { choose } from '../support/choose.ts';
import { signedIn } from '../support/dashboard.ts';
import { type ProviderService, startProviderService } from '../support/provider-service.ts';
import { launchBrowser } from '../support/visit.ts';

let host: ProviderService;
let browser: Browser;
let deploymentId: string;
beforeAll(async () => {
  [host, browser] = await Promise.all([startProviderService(), launchBrowser()]);
  deploymentId = await host.agent({ instructions: 'Be brief.', historyLimit: 20 });
});
afterAll(async () => {
  await host?.close();
});

/** A turn with this answer and number of input tokens. */
async function turn(text: string, answer: string, input: number, fields: object = {}) {
  host.provider.reply({ kind: 'answer', deltas: [answer], usage: { input, output: 10 } });
  const { status, body } = await host.turn(deploymentId, { content: textContent(text), ...fields });
  expect(status).toBe(200);
  return body;
}

describe('the comparison of two turns', () => {
  it('shows an earlier turn of the conversation next to this one, at a URL of its own', async () => {
    const first = await turn('Where is my order?', 'It is in Berlin.', 1_000);
    const { conversation_id } = first;
    const second = await turn('And now?', 'It has arrived.', 1_500, { conversation_id });
    const path = `/dashboard/conversations/${conversation_id}/runs/${second.run_id}`;
    const window = await signedIn(browser, host.service, path);
    const { page } = window;
    await page.getByText('Compare with another turn').click();
    await choose(page.getByLabel('Earlier turn of this conversation'), first.run_id);
    await page.waitForURL(new RegExp(`compare=${first.run_id}`));
    const comparison = page.getByRole('heading', { name: 'Comparison' }).locator('xpath=ancestor::section');
    const measures = comparison.getByRole('table', { name: 'Measures' });
    await measures.getByRole('row', { name: /Input tokens 1,000 1,500 \+500 \(\+50%\)/ }).waitFor();
    await measures.getByRole('row', { name: /Output tokens 10 10 Same/ }).waitFor();
    const texts = comparison.getByRole('table', { name: 'Prompt and answer' });
    await texts
      .getByRole('row', { name: /^Answer/ })
      .getByText('It has arrived.')
      .waitFor();
    await texts
      .getByRole('row', { name: /^Messages/ })
      .getByText('And now?')
      .waitFor();
    expect(await texts.getByRole('row', { name: /^Instructions/ }).count()).toBe(0);
    await expectAccessible(page);
    await screenshot(page, 'dashboard-trace-compare');
    await page.reload();
    await texts.getByText('It has arrived.').waitFor();
    await page.getByRole('button', { name: 'Stop comparing' }).click();
    await page.getByText('Compare with another turn').waitFor();
    expect(page.url()).not.toContain('compare');
    expectQuiet(window);
    await window.close();
  });

  it('takes the ID of a turn of another conversation, and explains an ID that it does not know', async () => {
    const other = await turn('Where is my order?', 'It is in Berlin.', 1_000);
    const current = await turn('Where is my order?', 'It is in Berlin.', 1_000);
    const path = `/dashboard/conversations/${current.conversation_id}/runs/${current.run_id}`;
    const window = await signedIn(browser, host.service, path);
    const { page } = window;
    await page.getByText('Compare with another turn').click();
    const field = page.getByRole('textbox', { name: 'Or the ID of any turn' });
    await field.fill('an order');
    await field.press('Enter');
    await page.getByText(/^Enter the ID of a turn\./).waitFor();
    await field.fill(current.run_id);
    await field.press('Enter');
    await page.getByText('Enter the ID of another turn.').waitFor();
    await field.fill(` ${other.run_id.toUpperCase()} `);
    await field.press('Enter');
    await page.getByText('The prompt and the answer of the last model steps are the same.').waitFor();
    await page
      .getByText('Other turn: ')
      .getByRole('link', { name: /Where is my order/ })
      .waitFor();
    for (const unknown of [current.conversation_id, current.run_id, 'x']) {
      await page.goto(`${host.service.url}${path}?compare=${unknown}`);
      await page.getByText(/^There is no other turn with this ID\./).waitFor();
    }
    await expectAccessible(page);
    expectQuiet(window);
    await window.close();
  });
});
