import type { Locator, Page } from 'playwright-core';
import { DEMO_AGENT_ID, type TestService } from './service.ts';

/** The hosted page of the demo agent. */
export const AGENT_PAGE = `/agent/${DEMO_AGENT_ID}`;

/** Raises the rate limits of visitors, because tests send more requests than people. */
export async function liftLimits({ service }: TestService): Promise<void> {
  await service.services.stores.prisma.deployment.updateMany({
    data: { anonymousPerMinute: 100_000, conversationTurnsPerMinute: 10_000 },
  });
}

/** The message field. */
export const composer = (page: Page): Locator => page.getByRole('textbox', { name: 'Message', exact: true });

/** Writes a message and sends it. */
export async function say(page: Page, text: string): Promise<void> {
  await composer(page).fill(text);
  await page.getByRole('button', { name: 'Send', exact: true }).click();
}

/** The text in the assistant's latest message. */
export function reply(page: Page, text: string): Locator {
  return page.locator('li:has(h3:text-is("Assistant"))').last().getByText(text);
}

/** The form with this title. */
export function form(page: Page, title: string): Locator {
  return page.getByRole('region', { name: title });
}

export const QUESTIONS = 'The assistant has questions';

/** Fills in the form of `/ask`. */
export async function answer(page: Page, name: string): Promise<void> {
  const questions = form(page, QUESTIONS);
  await questions.getByLabel('What is your name?').fill(name);
  await questions.getByRole('radio', { name: 'phone' }).check();
  await questions.getByRole('checkbox', { name: 'billing' }).check();
  await questions.getByRole('checkbox', { name: 'returns' }).check();
}

/** Waits for the conversation ID in the address. */
export async function conversationOf(page: Page): Promise<string> {
  await page.waitForURL(/[?&]cid=[0-9a-f-]{36}$/);
  return new URL(page.url()).searchParams.get('cid') ?? '';
}

/** The outputs of the client tools in a conversation, in order. */
export async function outputsOf({ service }: TestService, conversationId: string): Promise<unknown[]> {
  const items = await service.services.stores.prisma.timelineItem.findMany({
    where: { conversationId, kind: 'client_tool' },
    orderBy: { id: 'asc' },
  });
  return items.map(({ output }) => output);
}
