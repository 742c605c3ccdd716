import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  AGENT_PAGE,
  answer,
  conversationOf,
  form,
  liftLimits,
  outputsOf,
  QUESTIONS,
  reply,
  say,
} from '../support/agent-page.ts';
import { expectAccessible, expectQuiet, launchBrowser, screenshot, type Visit, visit } from '../support/browser.ts';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
let browser: Browser;
let window: Visit;
beforeAll(async () => {
  [service, browser] = await Promise.all([startService(), launchBrowser()]);
  await liftLimits(service);
});
afterAll(async () => {
  await browser?.close();
  await service?.close();
});

describe('SPEC 4.7 rule 4: the hosted page of an agent', () => {
  it('starts a conversation, asks, uploads and completes', async () => {
    window = await visit(browser, service.url);
    const page = await window.open(AGENT_PAGE);
    await page.getByRole('heading', { name: 'How can I help?' }).waitFor();
    await expectAccessible(page);
    await screenshot(page, 'agent-welcome');
    await say(page, '/ask\n/upload\n/complete\n/say Thank **you**.');
    const cid = await conversationOf(page);
    await form(page, QUESTIONS).waitFor();
    await expectAccessible(page);
    await screenshot(page, 'agent-questions');
    await answer(page, 'Ann');
    await screenshot(page, 'agent-questions-filled');
    await form(page, QUESTIONS).getByRole('button', { name: 'Send' }).click();
    const upload = form(page, 'Please upload a document.');
    await upload.waitFor();
    await upload
      .locator('input[type=file]')
      .setInputFiles({ name: 'letter.txt', mimeType: 'text/plain', buffer: Buffer.from('Dear all') });
    await upload.getByText('letter.txt').waitFor();
    await expectAccessible(page);
    await screenshot(page, 'agent-upload');
    await upload.getByRole('button', { name: 'Send' }).click();
    await reply(page, 'Thank').waitFor();
    await page.getByText('This conversation has ended.').waitFor();
    await expectAccessible(page);
    await screenshot(page, 'agent-completed');
    console.log(JSON.stringify(await outputsOf(service, cid)));
    expectQuiet(window);
    await window.close();
  });
});
