import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectAccessible, expectQuiet, screenshot } from '../support/browser.ts';
import { signedIn } from '../support/dashboard.ts';
import { dictate } from '../support/dictation.ts';
import { watchText, writing } from '../support/live-page.ts';
import { type ProviderService, startProviderService } from '../support/provider-service.ts';
import { makeMember } from '../support/tenants.ts';
import { launchBrowser } from '../support/visit.ts';

let provided: ProviderService;
let browser: Browser;
let agent: string;
beforeAll(async () => {
  [provided, browser] = await Promise.all([startProviderService(), launchBrowser()]);
  agent = await provided.agent();
});
afterAll(() => provided?.close());

/** Starts a conversation with one turn, and opens its page. */
async function openConversation(as = provided.service.owner) {
  provided.provider.reply({ kind: 'answer', deltas: ['Hi'] });
  const { body } = await provided.turn(agent);
  const conversation_id: string = body.conversation_id;
  const window = await signedIn(browser, provided.service, `/dashboard/conversations/${conversation_id}`, { as });
  await window.page.getByRole('list', { name: 'Conversation' }).getByText('Hi', { exact: true }).waitFor();
  return { window, page: window.page, turn: () => provided.turn(agent, { conversation_id }) };
}

describe('a running turn in the dashboard', () => {
  it('shows the text while the model writes it, and after a reload, until the stored message replaces it', async () => {
    const { window, page, turn } = await openConversation();
    const dictation = dictate(provided.provider);
    const response = turn();
    dictation.say('Once **there** ');
    await page.getByText('Once there').waitFor();
    await page.reload();
    await page.getByText('Once there').waitFor();
    await expectAccessible(page);
    await screenshot(page, 'dashboard-conversation-live');
    const watch = await watchText(page, 'was a time');
    dictation.say('was a time.');
    await page.getByText('Once there was a time.').waitFor();
    dictation.end();
    await response;
    const timeline = page.getByRole('list', { name: 'Conversation' });
    await timeline.getByText('Once there was a time.').waitFor();
    await writing(page).waitFor({ state: 'detached' });
    expect(await watch.counts()).toEqual([1]);
    expectQuiet(window);
    await window.close();
  });

  it('loses its text if the model fails, and keeps it if a member stops the turn', async () => {
    const { window, page, turn } = await openConversation();
    const failing = dictate(provided.provider, { isCut: true });
    const failed = turn();
    failing.say('Never stored');
    await page.getByText('Never stored').waitFor();
    failing.end();
    expect((await failed).status).toBe(502);
    await page.getByText('Never stored').waitFor({ state: 'detached' });
    const dictation = dictate(provided.provider);
    const response = turn();
    dictation.say('Up to here');
    await page.getByText('Up to here').waitFor();
    const stop = page.getByRole('button', { name: 'Stop turn' });
    let isCut = true;
    await page.route('**/graphql', (route) => {
      if (!isCut || !route.request().postData()?.includes('stopTurn')) return route.fallback();
      isCut = false;
      return route.abort();
    });
    await stop.click();
    await page.getByRole('alert').getByText('The service could not be reached.').waitFor();
    await stop.click();
    expect((await response).body).toMatchObject({ run_status: 'interrupted', content: 'Up to here' });
    const timeline = page.getByRole('list', { name: 'Conversation' });
    await timeline.getByText('Up to here').waitFor();
    await stop.waitFor({ state: 'detached' });
    await page.getByRole('complementary', { name: 'Details' }).getByText('Interrupted').waitFor();
    dictation.end();
    expect(window.foreignRequests).toEqual([]);
    await window.close();
  });

  it('cannot be stopped by a viewer', async () => {
    const viewer = { email: 'viewer@example.com', password: 'a password of a viewer' };
    await makeMember(provided.service, 'viewer', viewer);
    const { window, page, turn } = await openConversation(viewer);
    const dictation = dictate(provided.provider);
    const response = turn();
    dictation.say('Read only');
    await page.getByText('Read only').waitFor();
    expect(await page.getByRole('button', { name: 'Stop turn' }).count()).toBe(0);
    dictation.end();
    await response;
    expectQuiet(window);
    await window.close();
  });
});
