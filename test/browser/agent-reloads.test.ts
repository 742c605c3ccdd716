import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  AGENT_PAGE,
  answer,
  composer,
  conversationOf,
  form,
  liftLimits,
  outputsOf,
  QUESTIONS,
  reply,
  say,
} from '../support/agent-page.ts';
import { screenshot } from '../support/browser.ts';
import { emptyDirectoryStore, postgresStore } from '../support/data-stores.ts';
import { POSTGRES_URL } from '../support/database.ts';
import { killAll, startProcess } from '../support/process.ts';
import { startService, type TestService } from '../support/service.ts';
import { launchBrowser, visit } from '../support/visit.ts';

let service: TestService;
let browser: Browser;
beforeAll(async () => {
  [service, browser] = await Promise.all([startService(), launchBrowser()]);
  await liftLimits(service);
});
afterAll(async () => {
  await service?.close();
  await killAll();
});

describe('a reload of the agent page', () => {
  it('keeps all input at every stage of a turn and takes the turn once', async () => {
    const before = await service.service.services.stores.prisma.conversation.count();
    const window = await visit(browser, service.url);
    const page = await window.open(AGENT_PAGE);
    // Right after the first message: only this tab may know the turn.
    await say(page, '/slow 3\n/ask\n/slow 6\n/say Thank you.');
    await page.getByText('The assistant is working…').waitFor();
    await page.reload();
    await page.getByRole('main').getByText('/slow 3').waitFor();
    await page.getByText('The assistant is working…').waitFor();
    await form(page, QUESTIONS).waitFor();
    const cid = await conversationOf(page);

    // With a partly completed form.
    await answer(page, 'Ann');
    await page.reload();
    const questions = form(page, QUESTIONS);
    await questions.waitFor();
    await expect.poll(() => questions.getByLabel('What is your name?').inputValue()).toBe('Ann');
    await expect.poll(() => questions.getByRole('radio', { name: 'phone' }).isChecked()).toBe(true);
    await expect.poll(() => questions.getByRole('checkbox', { name: 'returns' }).isChecked()).toBe(true);
    await questions.getByRole('button', { name: 'Send' }).click();

    // While the turn is running again.
    await questions.waitFor({ state: 'detached' });
    await page.reload();
    await page.getByText('The assistant is working…').waitFor();
    await reply(page, 'Thank you.').waitFor();
    await page.reload();
    await reply(page, 'Thank you.').waitFor();
    await composer(page).waitFor();
    await expect.poll(() => page.locator('ol[aria-label="Conversation"] > li').count()).toBe(3);
    expect(await outputsOf(service, cid)).toHaveLength(1);
    await expect.poll(() => service.service.services.stores.prisma.conversation.count()).toBe(before + 1);
    expect(await page.evaluate(() => JSON.stringify(sessionStorage))).toBe('{}');
    // The request after the reload gets 409 request_in_progress if the first is still being accepted, and is retried.
    expect(window.consoleErrors.filter((complaint) => !complaint.includes('409'))).toEqual([]);
    expect(window.foreignRequests).toEqual([]);
    await window.close();
  });
});

describe('a restart of the service while the agent page is open', () => {
  it('shows that it reconnects, explains the interruption and continues', async () => {
    const home = await (POSTGRES_URL ? postgresStore() : emptyDirectoryStore());
    const first = await startProcess(home.key, home.env);
    const window = await visit(browser, first.url);
    const page = await window.open(AGENT_PAGE);
    await say(page, '/ask\n/slow 60\n/say Never.');
    await form(page, QUESTIONS).waitFor();
    await answer(page, 'Ann');
    await first.kill('SIGKILL');
    await page.getByText('Reconnecting…').waitFor();
    await screenshot(page, 'agent-reconnecting');
    const env = { ...home.env, PORT: new URL(first.url).port };
    const second = await startProcess(home.key, env);
    await page.getByText('Reconnecting…').waitFor({ state: 'detached' });
    await expect.poll(() => form(page, QUESTIONS).getByLabel('What is your name?').inputValue()).toBe('Ann');
    await form(page, QUESTIONS).getByRole('button', { name: 'Send' }).click();
    await form(page, QUESTIONS).waitFor({ state: 'detached' });
    await page.getByText('The assistant is working…').waitFor();
    await second.kill('SIGKILL');

    const third = await startProcess(home.key, env);
    await page.getByText('The assistant was interrupted. Your answers are saved.').waitFor();
    await screenshot(page, 'agent-interrupted');
    await page.getByRole('button', { name: 'Continue' }).click();
    await reply(page, 'You said: Continue.').waitFor();
    expect(window.foreignRequests).toEqual([]);
    await window.close();
    await third.kill('SIGTERM');
    await home.remove();
  });
});
