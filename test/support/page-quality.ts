import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AddressOf, DASHBOARD_PAGES, ENTRY_PAGES, fillPages, OTHER_PAGES } from './all-pages.ts';
import { expectAccessible } from './browser.ts';
import { signedIn } from './dashboard.ts';
import { type MeasuringWindow, measuringWindow, type PageLoad } from './page-load.ts';
import { type Receiver, startReceiver } from './receiver.ts';
import { startService, type TestService } from './service.ts';
import { launchBrowser, visit } from './visit.ts';

/** With `PAGE_LOADS=5`, loads each page 5 times and prints the fastest load instead of testing it. */
const LOADS = Number(process.env.PAGE_LOADS ?? 0);

async function repeated(load: () => Promise<PageLoad>): Promise<PageLoad> {
  const loads: PageLoad[] = [];
  while (loads.length < LOADS) loads.push(await load());
  return loads.toSorted((left, right) => left.paintedMs - right.paintedMs)[0] ?? load();
}

function report(name: string, { scriptBytes, paintedMs, shift }: PageLoad): void {
  console.log(`| ${name} | ${Math.round(scriptBytes / 1_000)} kB | ${Math.round(paintedMs)} ms | ${shift} |`);
}

/** Tests every page in windows of one size. */
export function describePages(viewport: { readonly width: number; readonly height: number }): void {
  let service: TestService;
  let receiver: Receiver;
  let addressOf: AddressOf;
  let member: MeasuringWindow;
  let guest: MeasuringWindow;
  const closers: (() => Promise<void>)[] = [];

  beforeAll(async () => {
    let browser: Browser;
    [service, receiver, browser] = await Promise.all([startService(), startReceiver(), launchBrowser()]);
    addressOf = await fillPages(service, receiver.url);
    const inside = await signedIn(browser, service, '/dashboard/events', { viewport });
    const outside = await visit(browser, service.url, { viewport, isOwn: true });
    closers.push(
      () => inside.context.close(),
      () => outside.context.close(),
    );
    const outsidePage = await outside.open('/healthz');
    // What an animation moves counts too.
    for (const page of [inside.page, outsidePage]) await page.emulateMedia({ reducedMotion: 'no-preference' });
    member = await measuringWindow(inside.context, inside.page);
    guest = await measuringWindow(outside.context, outsidePage);
  });
  afterAll(async () => {
    for (const close of closers) await close();
    await Promise.all([service?.close(), receiver?.close()]);
  });

  async function expectGood(window: () => MeasuringWindow, name: string): Promise<void> {
    const { page, load } = window();
    const address = `${service.url}${addressOf(name)}`;
    if (LOADS > 0) return report(name, await repeated(() => load(address)));
    const { scriptBytes, shift, moved } = await load(address);
    expect.soft({ isStill: shift < 0.02, shift, moved: shift < 0.02 ? [] : moved }).toEqual({
      isStill: true,
      shift,
      moved: [],
    });
    expect.soft(scriptBytes).toBeGreaterThan(10_000);
    expect.soft(scriptBytes).toBeLessThan(150_000);
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await expectAccessible(page);
    await page.emulateMedia({ colorScheme: null, reducedMotion: 'no-preference' });
  }

  const rule = 'is still, accessible, and useful after less than 150 kB of script: %s';

  describe(`a page in a window of ${viewport.width} px`, () => {
    it.each(OTHER_PAGES)(rule, (name) => expectGood(() => member, name));
    it.each(DASHBOARD_PAGES)(rule, (name) => expectGood(() => member, name));
  });
  describe(`a page before the sign-in in a window of ${viewport.width} px`, () => {
    it.each(ENTRY_PAGES)(rule, (name) => expectGood(() => guest, name));
  });
}
