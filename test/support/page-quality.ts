import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AddressOf, DASHBOARD_PAGES, ENTRY_PAGES, fillPages, OTHER_PAGES } from './all-pages.ts';
import { expectAccessible } from './browser.ts';
import { signedIn } from './dashboard.ts';
import { type MeasuringWindow, measuringWindow } from './page-load.ts';
import { type Receiver, startReceiver } from './receiver.ts';
import { startService, type TestService } from './service.ts';
import { launchBrowser, visit } from './visit.ts';

/** Tests every page in windows of one size. */
export function describePages(viewport: { readonly width: number; readonly height: number }): void {
  let service: TestService;
  let receiver: Receiver;
  let addressOf: AddressOf;
  let member: MeasuringWindow;
  let guest: MeasuringWindow;
  const closers: (() => Promise<void>)[] = [];

  beforeAll(async () => {
    const [browser] = await Promise.all([
      launchBrowser(),
      startService().then((started) => {
        service = started;
      }),
      startReceiver().then((started) => {
        receiver = started;
      }),
    ]);
    addressOf = await fillPages(service, receiver.url);
    const inside = await signedIn(browser, service, '/dashboard/events', { viewport });
    const outside = await visit(browser, service.url, { viewport, isOwn: true });
    closers.push(
      () => inside.context.close(),
      () => outside.context.close(),
    );
    member = await measuringWindow(inside.context, inside.page);
    guest = await measuringWindow(outside.context, await outside.open('/healthz'));
  });
  afterAll(async () => {
    for (const close of closers) await close();
    await Promise.all([service?.close(), receiver?.close()]);
  });

  async function expectGood(window: () => MeasuringWindow, name: string): Promise<void> {
    const { page, load } = window();
    const { scriptBytes, shift, moved, paintedMs } = await load(`${service.url}${addressOf(name)}`);
    if (process.env.PAGE_TABLE)
      console.log(
        `ROW ${viewport.width} ${name} ${scriptBytes} ${shift} ${Math.round(paintedMs)}\n${moved.join('\n')}`,
      );
    expect.soft({ isStill: shift < 0.02, shift, moved: shift < 0.02 ? [] : moved }).toEqual({
      isStill: true,
      shift,
      moved: [],
    });
    expect.soft(scriptBytes).toBeLessThan(150_000);
    await expectAccessible(page);
    await page.emulateMedia({ colorScheme: null, reducedMotion: null });
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
