import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { textContent } from '../support/agent-apis.ts';
import { AGENT_PAGE, conversationOf, form, liftLimits, QUESTIONS, reply } from '../support/agent-page.ts';
import { expectAccessible, expectQuiet, screenshot } from '../support/browser.ts';
import { DEMO_AGENT_ID, startService, type TestService } from '../support/service.ts';
import { makeDeployment } from '../support/tenants.ts';
import { createTrigger, expireTrigger, readTrigger } from '../support/triggers.ts';
import { launchBrowser, visit } from '../support/visit.ts';

let service: TestService;
let browser: Browser;
beforeAll(async () => {
  [service, browser] = await Promise.all([startService(), launchBrowser()]);
  await liftLimits(service);
});
afterAll(async () => {
  await service?.close();
});

async function trigger(script: string, deploymentId = DEMO_AGENT_ID): Promise<string> {
  return (await createTrigger(service, { content: textContent(script) }, deploymentId)).body.id;
}

const conversations = () => service.service.services.stores.prisma.conversation.count();

describe('the agent page from a link', () => {
  it('starts an unused trigger once and opens its conversation afterwards', async () => {
    const id = await trigger('/slow 2\n/ask\n/say Thank you.');
    const before = await conversations();
    const window = await visit(browser, service.url);
    const page = await window.open(`${AGENT_PAGE}?tid=${id}`);
    await page.getByText('The assistant is working…').waitFor();
    // The page shows this before the service has the request. A reload before that would send a second start.
    await expect.poll(async () => (await readTrigger(service, id, DEMO_AGENT_ID)).body.conversation_id).toBeTruthy();
    // A reload during the turn, and the same link in another window.
    await page.reload();
    await form(page, QUESTIONS).waitFor();
    const cid = await conversationOf(page);
    expect((await readTrigger(service, id, DEMO_AGENT_ID)).body.conversation_id).toBe(cid);
    const other = await window.open(`${AGENT_PAGE}?tid=${id}`);
    await form(other, QUESTIONS).waitFor();
    expect(await conversationOf(other)).toBe(cid);
    expect(await conversations()).toBe(before + 1);
    expectQuiet(window);
    await window.close();
  });

  it('shows that a link has expired or is not valid and starts no conversation', async () => {
    const id = await trigger('Hello');
    await expireTrigger(service, id);
    const before = await conversations();
    const window = await visit(browser, service.url);
    const page = await window.open(`${AGENT_PAGE}?tid=${id}`);
    await page.getByRole('heading', { name: 'This link has expired' }).waitFor();
    await expectAccessible(page);
    await screenshot(page, 'agent-expired');
    expectQuiet(window);
    const lost = await window.open(`${AGENT_PAGE}?tid=Nothing0`);
    await lost.getByRole('heading', { name: 'This link is not valid' }).waitFor();
    await expectAccessible(lost);
    expect(window.consoleErrors).toEqual([expect.stringContaining('404')]);
    expect(await conversations()).toBe(before);
    await lost.getByRole('button', { name: 'Start a new conversation' }).click();
    await lost.getByRole('heading', { name: 'How can I help?' }).waitFor();
    expect(lost.url()).toBe(`${service.url}${AGENT_PAGE}`);
    await window.close();
  });

  it('asks for a link if the deployment requires a trigger and works with one', async () => {
    const fields = { kind: 'agent', name: 'By link', hostedPage: true, triggerRequired: true } as const;
    const deployment = await makeDeployment(service, {}, fields);
    const window = await visit(browser, service.url);
    const page = await window.open(`/agent/${deployment.id}`);
    await page.getByRole('heading', { name: 'This assistant needs a link' }).waitFor();
    await expectAccessible(page);
    await screenshot(page, 'agent-link-required');
    await page.goto(`${service.url}/agent/${deployment.id}?tid=${await trigger('Hi there', deployment.id)}`);
    await reply(page, 'You said: Hi there').waitFor();
    expect(await page.getByRole('button', { name: 'New conversation' }).count()).toBe(0);
    expectQuiet(window);
    await window.close();
  });

  it('shows that a conversation does not exist', async () => {
    const window = await visit(browser, service.url);
    for (const cid of ['00000000-0000-4000-8000-0000000000ff', 'no-id']) {
      const page = await window.open(`${AGENT_PAGE}?cid=${cid}`);
      await page.getByRole('heading', { name: 'Conversation not found' }).waitFor();
      await expectAccessible(page);
    }
    expect(window.foreignRequests).toEqual([]);
    await window.close();
  });
});
