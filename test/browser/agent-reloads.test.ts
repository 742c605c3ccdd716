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
import { launchBrowser, screenshot, visit } from '../support/browser.ts';
import { directory } from '../support/places.ts';
import { killAll, startProcess } from '../support/process.ts';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
let browser: Browser;
beforeAll(async () => {
  [service, browser] = await Promise.all([startService(), launchBrowser()]);
  await liftLimits(service);
});
afterAll(async () => {
  await browser?.close();
  await service?.close();
  await killAll();
});

describe('SPEC 4.7 rule 4: a reload of the agent’s page', () => {
  it('loses nothing at any stage of a turn, and takes it once', async () => {
    const before = await service.service.services.prisma.conversation.count();
    const window = await visit(browser, service.url);
    const page = await window.open(AGENT_PAGE);
    // Before the first answer, when nothing but this tab knows of the turn.
    await say(page, '/slow 3\n/ask\n/slow 2\n/say Thank you.');
    await page.getByText('The assistant is working…').waitFor();
    await page.reload();
    await page.getByText('/slow 3').waitFor();
    await page.getByText('The assistant is working…').waitFor();
    await form(page, QUESTIONS).waitFor();
    const cid = await conversationOf(page);

    // Half filled in.
    await answer(page, 'Ann');
    await page.reload();
    const asked = form(page, QUESTIONS);
    await asked.waitFor();
    await expect.poll(() => asked.getByLabel('What is your name?').inputValue()).toBe('Ann');
    await expect.poll(() => asked.getByRole('radio', { name: 'phone' }).isChecked()).toBe(true);
    await expect.poll(() => asked.getByRole('checkbox', { name: 'returns' }).isChecked()).toBe(true);
    await asked.getByRole('button', { name: 'Send' }).click();

    // While it runs again.
    await asked.waitFor({ state: 'detached' });
    await page.reload();
    await page.getByText('The assistant is working…').waitFor();
    await reply(page, 'Thank you.').waitFor();
    await page.reload();
    await reply(page, 'Thank you.').waitFor();
    await composer(page).waitFor();
    await expect.poll(() => page.locator('ol[aria-label="Conversation"] > li').count()).toBe(3);
    expect(await outputsOf(service, cid)).toHaveLength(1);
    await expect.poll(() => service.service.services.prisma.conversation.count()).toBe(before + 1);
    expect(await page.evaluate(() => JSON.stringify(sessionStorage))).toBe('{}');
    // While the first sending is at work, the second is told so and asks again.
    expect(window.complaints.filter((complaint) => !complaint.includes('409'))).toEqual([]);
    expect(window.abroad).toEqual([]);
    await window.close();
  });
});

describe('SPEC 4.11: the service restarted under the agent’s page', () => {
  it('says that it reconnects, explains what was interrupted, and goes on', async () => {
    const home = await directory();
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
    await page.getByText('The assistant was interrupted. Your answers are kept.').waitFor();
    await screenshot(page, 'agent-interrupted');
    await page.getByRole('button', { name: 'Continue' }).click();
    await reply(page, 'You said: Continue.').waitFor();
    expect(window.abroad).toEqual([]);
    await window.close();
    await third.kill('SIGTERM');
    await home.remove();
  });
});
