import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BalancedService, startBalanced } from '../support/balancer.ts';
import { say } from '../support/chat-page.ts';
import { signedIn } from '../support/dashboard.ts';
import { type OwnedStore, postgresStore } from '../support/data-stores.ts';
import { POSTGRES_URL } from '../support/database.ts';
import { type FakeProvider, startFakeProvider } from '../support/fake-provider.ts';
import { HANDS_OVER } from '../support/handling.ts';
import { killAll } from '../support/process.ts';
import { type Site, startSite } from '../support/site.ts';
import { replyWith } from '../support/talk.ts';
import { launchBrowser, visit } from '../support/visit.ts';
import { publishedWorkflow, workflowsOf } from '../support/workflows.ts';

const FIRST = 'I want my money back';

const LATER = [
  { isUser: false, text: 'I have your order here.' },
  { isUser: true, text: 'Thank you' },
  { isUser: false, text: 'The money is on its way.' },
  { isUser: true, text: 'Great' },
];

const REPLY = 'YOU ARE WELCOME';

describe.skipIf(!POSTGRES_URL)('a visitor in a widget and a member in the dashboard', () => {
  let browser: Browser;
  let site: Site;
  let store: OwnedStore;
  let provider: FakeProvider;
  let service: BalancedService;
  beforeAll(async () => {
    [browser, site, store, provider] = await Promise.all([
      launchBrowser(),
      startSite(),
      postgresStore(),
      startFakeProvider(),
    ]);
    service = await startBalanced(store, { OPENAI_BASE_URL: provider.url, OPENAI_API_KEY: 'a-key' });
  });
  afterAll(async () => {
    await service?.close();
    await killAll();
    await Promise.all([site?.close(), provider?.close(), store?.remove()]);
  });

  /** A hosted chat that can hand over, on the page of the site. */
  async function publishChat() {
    const { updateDeployment, ...workflows } = workflowsOf(service);
    const draft = { model: 'openai-compatible:m', allowHandOver: true, recovery: 'CONTINUE' };
    const { deploymentId } = await publishedWorkflow({ updateDeployment, ...workflows }, draft);
    const input = { hostedPage: true, authRequired: false };
    const { body } = await updateDeployment({ id: deploymentId, input });
    expect(body.data.updateDeployment.__typename).toBe('UpdateDeploymentPayload');
    site.show(`<script src="${service.url}/widget.js" data-deployment="${deploymentId}"></script>`);
  }

  it('lose nothing while each process of the service is killed once', async () => {
    await publishChat();
    provider.reply(...HANDS_OVER);
    const visitor = await visit(browser, service.url, { isOwn: true });
    const page = await visitor.context.newPage();
    await page.goto(site.origin);
    await page.getByRole('button', { name: 'Chat with us', exact: true }).click();
    const widget = page.frameLocator('iframe');
    const log = widget.getByRole('log');
    await say(widget, FIRST);
    await log.getByText('Waiting for a person…', { exact: true }).waitFor();

    const member = await signedIn(browser, { url: service.url, owner: store.owner }, '/dashboard/inbox');
    const desk = member.page;
    const timeline = desk.getByRole('group', { name: 'Messages' });
    await desk.getByRole('list', { name: 'Waiting conversations' }).getByRole('link').click();
    await desk.getByRole('button', { name: 'Take over', exact: true }).click();
    await log.getByText('Owner has joined', { exact: true }).waitFor();
    for (const [index, { isUser, text }] of LATER.entries()) {
      // A process dies between the messages, and is back before the next one dies.
      if (index < service.processes.length) await service.restart(index, 'SIGKILL');
      if (isUser) await say(widget, text);
      else await answer(desk, text);
      for (const place of [log, timeline]) await place.getByText(text, { exact: true }).waitFor();
    }
    provider.reply(replyWith(REPLY));
    await desk.getByRole('button', { name: 'Hand back', exact: true }).click();
    await desk.getByRole('dialog').getByRole('button', { name: 'Hand back' }).click();
    const texts = [FIRST, ...LATER.map(({ text }) => text), REPLY];
    for (const place of [log, timeline]) {
      await place.getByText(REPLY, { exact: true }).waitFor();
      const lines = (await place.innerText()).split('\n').map((line) => line.trim());
      expect(lines.filter((line) => texts.includes(line))).toEqual(texts);
    }
    await Promise.all([visitor.close(), member.close()]);
  });
});

/** Sends a message of the member, as a person does: if it could not be sent, once more. */
async function answer(desk: Page, text: string): Promise<void> {
  const field = desk.getByRole('textbox', { name: 'Message to the user' });
  const alert = desk.getByRole('region', { name: 'Your message' }).getByRole('alert');
  const sent = desk.getByRole('group', { name: 'Messages' }).getByText(text, { exact: true });
  await field.fill(text);
  await field.press('Enter');
  await alert.or(sent).first().waitFor();
  if (await alert.isVisible()) await field.press('Enter');
}
