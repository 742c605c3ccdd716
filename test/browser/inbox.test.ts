import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectAccessible } from '../support/browser.ts';
import { type InboxSetup, OWNER, startInbox } from '../support/inbox.ts';
import { launchBrowser } from '../support/visit.ts';

let setup: InboxSetup;
let browser: Browser;
/** One member with two windows: Apollo's multipart subscriptions, and server-sent events. */
let multipart: Page;
let sse: Page;
/** The `Accept` headers of the subscriptions of each window. */
const accepted: Record<string, Set<string>> = { multipart: new Set(), sse: new Set() };

beforeAll(async () => {
  [setup, browser] = await Promise.all([startInbox(), launchBrowser()]);
  const open = async (live: string) => {
    const context = await browser.newContext();
    const page = await context.newPage();
    page.on('request', (request) => {
      const isFeed = request.postData()?.includes('"query":"subscription') ?? false;
      if (isFeed) accepted[live]?.add(request.headers().accept ?? '');
    });
    await page.goto(`${setup.address}&live=${live}`);
    return page;
  };
  [multipart, sse] = await Promise.all([open('multipart'), open('sse')]);
}, 120_000);
afterAll(async () => {
  await Promise.all([multipart?.context().close(), sse?.context().close()]);
  await setup?.close();
});

const both = () => [multipart, sse];
const list = (page: Page) => page.getByRole('navigation', { name: 'Conversations' });
const row = (page: Page, name: string) => list(page).getByRole('button', { name });
const timeline = (page: Page) => page.getByRole('list', { name: 'Timeline' });
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

async function signIn(page: Page, password = OWNER.password): Promise<void> {
  await page.getByLabel('Email').fill(OWNER.email);
  await page.getByLabel('Password').fill(password);
  await button(page, 'Sign in').click();
}

async function send(page: Page, text: string): Promise<void> {
  await page.getByLabel('Message').fill(text);
  await button(page, 'Send').click();
}

async function start(page: Page, agent: string, text: string): Promise<void> {
  await button(page, 'New conversation').click();
  await page.getByLabel('Agent').selectOption(agent);
  await send(page, text);
}

/** Waits for a text in the timelines of both windows. */
async function shown(text: string): Promise<void> {
  for (const page of both()) await timeline(page).getByText(text).waitFor();
}

const answer = (text: string) => setup.provider.reply({ kind: 'answer', deltas: [text] });

/** What a user does in the inbox, one after the other. */
describe('the example of an inbox', () => {
  it('says why a sign-in failed, and opens the list after a right one', async () => {
    await signIn(multipart, 'a wrong password');
    await expect.poll(() => multipart.getByRole('alert').textContent()).toMatch(/password/i);
    for (const page of both()) {
      await signIn(page);
      await list(page).getByText('No conversations match.').waitFor();
    }
  });

  it('pages through the list, which new conversations join, and searches it', async () => {
    answer('Hello.');
    for (let number = 1; number <= 11; number += 1) {
      await start(multipart, 'Support agent', `Question ${number} of a customer`);
      await timeline(multipart).getByText('Hello.').waitFor();
    }
    await row(sse, 'Question 11 of a customer').waitFor();
    await multipart.reload();
    await row(multipart, 'Question 11 of a customer').waitFor();
    expect(await row(multipart, 'Question 1 of a customer').count()).toBe(0);
    await button(multipart, 'Show more').click();
    await row(multipart, 'Question 1 of a customer').waitFor();
    await list(multipart).getByLabel('Search').fill('Question 7');
    await expect.poll(() => list(multipart).getByRole('listitem').count()).toBe(1);
    await list(multipart).getByLabel('Search').fill('');
  });

  it('shows a message and its reply in every window that has the conversation open', async () => {
    answer('It is on its way.');
    await start(multipart, 'Support agent', 'Where is my order?');
    await row(sse, 'Where is my order?').click();
    await shown('It is on its way.');
    answer('On Friday.');
    await send(sse, 'And when does it arrive?');
    await shown('On Friday.');
    await expectAccessible(multipart);
  });

  it('approves a call that waits, and the filter follows', async () => {
    const call = { name: 'create_resource', arguments: '{"type":"refund","fields":{"amount":20}}' };
    setup.provider.reply({ kind: 'answer', calls: [call] }, { kind: 'answer', deltas: ['You get a refund.'] });
    await list(sse).getByLabel('Show').selectOption('Waiting for an answer');
    await list(sse).getByText('No conversations match.').waitFor();
    await send(multipart, 'I want a refund.');
    await row(sse, 'Where is my order?').waitFor();
    await timeline(sse).getByText('"amount": 20').waitFor();
    await button(sse, 'Approve').click();
    await shown('You get a refund.');
    await list(sse).getByText('No conversations match.').waitFor();
    const { body } = await setup.service().send('GET', '/v1/resources?type=refund');
    expect(body.data).toMatchObject([{ fields: { amount: 20 } }]);
    await list(sse).getByLabel('Show').selectOption('All');
  });

  it('uploads a file with a message', async () => {
    answer('Thank you for the receipt.');
    const file = { name: 'receipt.txt', mimeType: 'text/plain', buffer: Buffer.from('Paid: 40') };
    await multipart.getByLabel('File').setInputFiles(file);
    await send(multipart, 'Here is my receipt.');
    await shown('receipt.txt');
    await shown('Thank you for the receipt.');
    expect(JSON.stringify(setup.provider.requests.at(-1)?.body)).toContain('Paid: 40');
  });

  it('labels a conversation', async () => {
    await multipart.getByLabel('Label').fill('urgent');
    await button(multipart, 'Add label').click();
    for (const page of both()) await row(page, '#urgent').waitFor();
  });

  it('continues after a restart of the service, without a reload', async () => {
    await setup.restart();
    answer('I am back.');
    const { conversation_id, deployment_id } = await newestConversation();
    const path = `/v2/runner/${deployment_id}/conversation`;
    const body = { conversation_id, content: [{ type: 'text', text: 'Are you there?' }] };
    expect((await setup.service().send('POST', path, { body })).status).toBe(200);
    await shown('Are you there?');
    await shown('I am back.');
    expect([...(accepted.sse ?? [])]).toEqual(['text/event-stream']);
    expect([...(accepted.multipart ?? [])].join()).toMatch(/^multipart\/mixed;[^,]*subscriptionSpec=1\.0/);
  });

  it('shows why a turn failed', async () => {
    setup.provider.reply({ kind: 'status', status: 401 });
    await send(multipart, 'Does it work?');
    for (const page of both()) await page.getByRole('alert').getByText(/key/i).waitFor();
    answer('Now it does.');
    await send(multipart, 'And now?');
    await shown('Now it does.');
    for (const page of both()) await expect.poll(() => page.getByRole('alert').count()).toBe(0);
  });

  it('says how long to wait if a limit is exceeded, and keeps the text', async () => {
    answer('Slowly.');
    await start(multipart, 'Slow agent', 'The first message');
    await timeline(multipart).getByText('Slowly.').waitFor();
    await send(multipart, 'The second message');
    await multipart.getByText(/^Too many requests\. Try again in \d+ s\.$/).waitFor();
    expect(await multipart.getByLabel('Message').inputValue()).toBe('The second message');
  });

  it('deletes a conversation, and leaves it in every window that has it open', async () => {
    await row(sse, 'The first message').click();
    await timeline(sse).getByText('Slowly.').waitFor();
    await button(multipart, 'Delete').click();
    for (const page of both()) {
      await page.getByLabel('Agent').waitFor();
      expect(await row(page, 'The first message').count()).toBe(0);
    }
  });

  it('asks to sign in again if the session has ended, and signs out', async () => {
    const token = await multipart.evaluate(() => sessionStorage.getItem('token'));
    await setup.service().graphql('mutation { signOut { __typename } }', {}, { key: token });
    await list(multipart).getByLabel('Search').fill('Question 3');
    await multipart.getByRole('alert').getByText('Your session has ended. Sign in again.').waitFor();
    await button(sse, 'Sign out').click();
    await button(sse, 'Sign in').waitFor();
  });
});

async function newestConversation() {
  const query = '{ conversations(first: 1) { nodes { conversationId deploymentId } } }';
  const { body } = await setup.service().graphql(query);
  const [{ conversationId, deploymentId }] = body.data.conversations.nodes;
  return { conversation_id: conversationId, deployment_id: deploymentId };
}
