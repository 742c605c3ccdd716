import { randomUUID } from 'node:crypto';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectAccessible, expectQuiet, launchBrowser, screenshot, visit } from '../support/browser.ts';
import { cidOf, composer, reply, say, storedTexts } from '../support/chat-page.ts';
import { text } from '../support/doors.ts';
import { DEMO_CHAT_ID, startService, type TestService } from '../support/service.ts';
import { makeDeployment } from '../support/tenants.ts';
import { createTrigger, expireTrigger, readTrigger } from '../support/triggers.ts';

let service: TestService;
let browser: Browser;
beforeAll(async () => {
  [service, browser] = await Promise.all([startService(), launchBrowser()]);
});
afterAll(async () => {
  await browser?.close();
  await service?.close();
});

const linkTo = (tid: string, deploymentId = DEMO_CHAT_ID) => `/chat/${deploymentId}?tid=${tid}`;

async function trigger(words: string, deploymentId = DEMO_CHAT_ID): Promise<string> {
  return (await createTrigger(service, { content: text(words) }, deploymentId)).body.id;
}

const tidOf = (page: Page) => new URL(page.url()).searchParams.get('tid');

describe('SPEC 4.7: a link with a trigger', () => {
  it('that is unused starts its conversation once, and puts its id in the place of the trigger', async () => {
    const tid = await trigger('/stream 60');
    const window = await visit(browser, service.url);
    const page = await window.open(linkTo(tid));
    await page.getByText(/^word1/).waitFor();
    await page.waitForURL(/cid=/);
    await reply(page, /word60$/);
    expect(tidOf(page)).toBeNull();
    const { body } = await readTrigger(service, tid);
    expect(body.conversation_id).toBe(cidOf(page));
    await page.reload();
    await reply(page, /word60$/);
    await say(page, 'And then?');
    await reply(page, 'You said: And then?');
    expect(await storedTexts(service, cidOf(page))).toHaveLength(4);
    await page.getByRole('navigation').getByRole('button', { name: '/stream 60' }).first().waitFor();
    expectQuiet(window);
    await window.close();
  });

  it('that was used opens its conversation, in any browser, and says so', async () => {
    const tid = await trigger('Where is my order?');
    const first = await visit(browser, service.url);
    const started = await first.open(linkTo(tid));
    await reply(started, 'You said: Where is my order?');
    const other = await visit(browser, service.url);
    const page = await other.open(linkTo(tid));
    await reply(page, 'You said: Where is my order?');
    await page.getByText('This link was used before. Here is its conversation.').waitFor();
    expect([cidOf(page), tidOf(page)]).toEqual([cidOf(started), null]);
    await expectAccessible(page);
    await screenshot(page, 'chat-link-used');
    await say(page, 'Is it here?');
    await reply(page, 'You said: Is it here?');
    for (const window of [first, other]) {
      expectQuiet(window);
      await window.close();
    }
  });

  it('is started by one of two windows that open it at once, and both show the conversation', async () => {
    const tid = await trigger('Both at once');
    const windows = await Promise.all([1, 2].map(() => visit(browser, service.url)));
    const pages = await Promise.all(windows.map((window) => window.open(linkTo(tid))));
    await Promise.all(pages.map((page) => reply(page, 'You said: Both at once')));
    expect(new Set(pages.map(cidOf)).size).toBe(1);
    expect(await storedTexts(service, cidOf(pages[0] as Page))).toHaveLength(2);
    await Promise.all(windows.map((window) => window.close()));
  });

  it('that has expired says so, and offers a new conversation, which works', async () => {
    const tid = await trigger('Too late');
    await expireTrigger(service, tid);
    const window = await visit(browser, service.url);
    const page = await window.open(linkTo(tid));
    await page.getByRole('heading', { name: 'This link has expired' }).waitFor();
    expect(await composer(page).count()).toBe(0);
    await expectAccessible(page);
    await screenshot(page, 'chat-link-expired');
    await page.getByRole('button', { name: 'Start a new conversation' }).click();
    await say(page, 'Hello');
    await reply(page, 'You said: Hello');
    expect(tidOf(page)).toBeNull();
    expectQuiet(window);
    await window.close();
  });

  it('that has expired after it was used is not gone on with', async () => {
    const tid = await trigger('Once');
    const window = await visit(browser, service.url);
    await reply(await window.open(linkTo(tid)), 'You said: Once');
    await expireTrigger(service, tid);
    const page = await window.open(linkTo(tid));
    await page.getByRole('heading', { name: 'This link has expired' }).waitFor();
    expectQuiet(window);
    await window.close();
  });

  it.each(['unheard', '../../x', 'a b'])('that nobody knows (%s) says so', async (tid) => {
    const window = await visit(browser, service.url);
    const page = await window.open(linkTo(encodeURIComponent(tid)));
    await page.getByRole('heading', { name: 'This link is not known here' }).waitFor();
    await expectAccessible(page);
    await screenshot(page, 'chat-link-unknown');
    expect(window.complaints).toEqual([expect.stringMatching(/40[04]/)]);
    await window.close();
  });

  it('whose conversation was deleted says that it is gone', async () => {
    const tid = await trigger('To be deleted');
    const window = await visit(browser, service.url);
    const started = await window.open(linkTo(tid));
    await reply(started, 'You said: To be deleted');
    const id = cidOf(started);
    await service.graphql('mutation ($id: UUID!) { deleteConversation(conversationId: $id) { conversationId } }', {
      id,
    });
    const page = await window.open(linkTo(tid));
    await page.getByRole('heading', { name: 'This conversation is gone' }).waitFor();
    await window.close();
  });

  it('whose first reply fails is tried again in its own conversation', async () => {
    const tid = await trigger('/say half && /fail');
    const window = await visit(browser, service.url);
    const page = await window.open(linkTo(tid));
    const alert = page.getByRole('alert');
    await alert.getByText('The assistant could not answer.').waitFor();
    const id = cidOf(page);
    expect(id).not.toBeNull();
    await alert.getByRole('button', { name: 'Retry' }).click();
    await expect.poll(() => storedTexts(service, id)).toHaveLength(4);
    expect(cidOf(page)).toBe(id);
    expectQuiet(window);
    await window.close();
  });

  it('that could not be started, for the network, is started once by Retry', async () => {
    const tid = await trigger('Once more');
    const window = await visit(browser, service.url);
    await window.context.route(
      '**/conversation/stream',
      async (route) => {
        await route.fetch();
        await route.abort();
      },
      { times: 1 },
    );
    const page = await window.open(linkTo(tid));
    await page.getByRole('alert').getByRole('button', { name: 'Retry' }).click();
    await reply(page, 'You said: Once more');
    expect(cidOf(page)).toBe((await readTrigger(service, tid)).body.conversation_id);
    expect(await storedTexts(service, cidOf(page))).toEqual(['Once more', 'You said: Once more']);
    await window.close();
  });
});

describe('SPEC 4.7 rule 2: an assistant that is opened from links alone', () => {
  it('says so, offers nothing that fails, and talks to who has a link', async () => {
    const { id } = await makeDeployment(service, {}, { hostedPage: true, triggerRequired: true, name: 'By link' });
    const window = await visit(browser, service.url);
    const page = await window.open(`/chat/${id}`);
    await page.getByRole('heading', { name: 'This assistant is opened from a link' }).waitFor();
    expect(await composer(page).count()).toBe(0);
    expect(await page.getByRole('button', { name: /new/i }).count()).toBe(0);
    await expectAccessible(page);
    await screenshot(page, 'chat-link-needed');
    await page.goto(`${service.url}${linkTo(await trigger('From the link', id), id)}`);
    await reply(page, 'You said: From the link');
    await say(page, 'And on');
    await reply(page, 'You said: And on');
    await page.goto(`${service.url}/chat/${id}`);
    await page.getByRole('navigation').getByRole('button', { name: 'From the link' }).first().click();
    await reply(page, 'You said: And on');
    const expired = await trigger('Late', id);
    await expireTrigger(service, expired);
    await page.goto(`${service.url}${linkTo(expired, id)}`);
    await page.getByRole('heading', { name: 'This link has expired' }).waitFor();
    expect(await page.getByRole('button', { name: /new/i }).count()).toBe(0);
    expectQuiet(window);
    await window.close();
  });

  it('knows no links of other deployments', async () => {
    const { id } = await makeDeployment(service, {}, { hostedPage: true });
    const window = await visit(browser, service.url);
    const page = await window.open(linkTo(await trigger('Of the demo'), id));
    await page.getByRole('heading', { name: 'This link is not known here' }).waitFor();
    await page.goto(`${service.url}/chat/${id}?cid=${randomUUID()}`);
    await page.getByRole('heading', { name: 'This conversation is gone' }).waitFor();
    await window.close();
  });
});
