import type { Locator, Page } from 'playwright-core';
import { DEMO_AGENT_ID, type TestService } from './service.ts';

/** The hosted page of the demo agent. */
export const AGENT_PAGE = `/agent/${DEMO_AGENT_ID}`;

/** Takes what a visitor may do in a minute away from being a limit: tests do more than people. */
export async function liftLimits({ service }: TestService): Promise<void> {
  await service.services.prisma.deployment.updateMany({
    data: { anonymousPerMinute: 100_000, conversationTurnsPerMinute: 10_000 },
  });
}

/** Where one writes. */
export const composer = (page: Page): Locator => page.getByRole('textbox', { name: 'Message', exact: true });

/** Writes a message and sends it. */
export async function say(page: Page, text: string): Promise<void> {
  await composer(page).fill(text);
  await page.getByRole('button', { name: 'Send', exact: true }).click();
}

/** The latest thing that the assistant has said. */
export function reply(page: Page, text: string): Locator {
  return page.locator('li:has(h3:text-is("Assistant"))').last().getByText(text);
}

/** The form whose title is this. */
export function form(page: Page, title: string): Locator {
  return page.getByRole('region', { name: title });
}

export const QUESTIONS = 'The assistant has questions';

/** Fills in what `/ask` asks. */
export async function answer(page: Page, name: string): Promise<void> {
  const asked = form(page, QUESTIONS);
  await asked.getByLabel('What is your name?').fill(name);
  await asked.getByRole('radio', { name: 'phone' }).check();
  await asked.getByRole('checkbox', { name: 'billing' }).check();
  await asked.getByRole('checkbox', { name: 'returns' }).check();
}

/** The conversation that the address names, once it does. */
export async function conversationOf(page: Page): Promise<string> {
  await page.waitForURL(/[?&]cid=[0-9a-f-]{36}$/);
  return new URL(page.url()).searchParams.get('cid') ?? '';
}

/** What client tools have given in a conversation, in order. */
export async function outputsOf({ service }: TestService, conversationId: string): Promise<unknown[]> {
  const items = await service.services.prisma.timelineItem.findMany({
    where: { conversationId, kind: 'client_tool' },
    orderBy: { id: 'asc' },
  });
  return items.map(({ output }) => output);
}
