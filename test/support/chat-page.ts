import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import type { TestService } from './service.ts';

/** Where one writes on a hosted page. */
export const composer = (page: Page | ReturnType<Page['frameLocator']>): Locator =>
  page.getByRole('textbox', { name: 'Message' });

/** Writes a message and sends it by Enter. */
export async function say(page: Page | ReturnType<Page['frameLocator']>, text: string): Promise<void> {
  await composer(page).fill(text);
  await composer(page).press('Enter');
}

/** Waits for a reply that is whole. */
export async function reply(page: Page | ReturnType<Page['frameLocator']>, text: string | RegExp): Promise<void> {
  await page.getByRole('log').getByText(text).waitFor();
}

/** What is stored of a conversation: the first text of each message. */
export async function storedTexts(
  service: TestService,
  conversationId: string | null,
): Promise<(string | undefined)[]> {
  const { status, body } = await service.send(
    'GET',
    `/v1/runner/conversation/${conversationId}/messages?page_size=100`,
  );
  expect(status).toBe(200);
  return body.items.map(({ content }: { content: { text?: string }[] }) => content[0]?.text);
}

/** The conversation that the address names. */
export const cidOf = (page: Page): string | null => new URL(page.url()).searchParams.get('cid');
