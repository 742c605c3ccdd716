import type { BrowserContext, CDPSession, Page, Request } from 'playwright-core';

/** A page is useful when its largest content is painted. */
export interface PageLoad {
  /** Compressed bytes of the scripts that were loaded before. */
  readonly scriptBytes: number;
  /** When the largest content was painted, from the start of the navigation. */
  readonly paintedMs: number;
  /** The layout shift that no input of the user caused (CLS). */
  readonly shift: number;
  /** What moved. */
  readonly moved: readonly string[];
}

/** A window that loads pages with an empty cache and measures each. */
export interface MeasuringWindow {
  readonly page: Page;
  load(address: string): Promise<PageLoad>;
}

interface Shift extends PerformanceEntry {
  readonly value: number;
  readonly hadRecentInput: boolean;
  readonly sources: readonly { readonly node?: Element | null }[];
}

interface Recorded {
  readonly observer: PerformanceObserver;
  readonly entries: PerformanceEntry[];
}

declare const recorded: Recorded;

export async function measuringWindow(context: BrowserContext, page: Page): Promise<MeasuringWindow> {
  const session = await context.newCDPSession(page);
  const pending = new Set<Request>();
  const isEndless = (request: Request) => request.headers().accept?.includes('text/event-stream');
  page.on('request', (request) => void (isEndless(request) || pending.add(request)));
  page.on('requestfinished', (request) => void pending.delete(request));
  page.on('requestfailed', (request) => void pending.delete(request));
  await page.addInitScript(() => {
    const entries: PerformanceEntry[] = [];
    const observer = new PerformanceObserver((list) => entries.push(...list.getEntries()));
    observer.observe({ type: 'largest-contentful-paint', buffered: true });
    observer.observe({ type: 'layout-shift', buffered: true });
    Object.assign(globalThis, { recorded: { observer, entries } });
  });
  return {
    page,
    async load(address) {
      await emptyCache(session);
      pending.clear();
      await page.mouse.move(0, 0);
      await page.goto(address);
      await settled(page, pending);
      const { scriptBytes, paintedMs } = await page.evaluate(paint);
      // Scripts that make the page better load now. An event without a user is no excuse for what they move.
      await page.evaluate(() => window.dispatchEvent(new Event('pointermove')));
      await settled(page, pending);
      return { scriptBytes, paintedMs, ...(await page.evaluate(shifts)) };
    },
  };
}

const emptyCache = (session: CDPSession) => session.send('Network.clearBrowserCache');

/** Waits until the page has its heading, loads nothing and paints nothing more. */
async function settled(page: Page, pending: ReadonlySet<Request>): Promise<void> {
  for (let calm = 0; calm < 2; ) calm = (await page.evaluate(isComplete)) && pending.size === 0 ? calm + 1 : 0;
}

/** After two frames: the first one paints what a response has changed, and effects can send requests. */
async function isComplete(): Promise<boolean> {
  await new Promise<void>((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve())));
  const isLoading = [...document.querySelectorAll('[role=status]')].some((one) => one.textContent?.includes('Loading'));
  return document.querySelector('h1') !== null && !isLoading;
}

function paint(): Pick<PageLoad, 'scriptBytes' | 'paintedMs'> {
  recorded.entries.push(...recorded.observer.takeRecords());
  // On a slow machine, scripts that make the page better can already have painted more.
  const settledMs = performance.getEntriesByName('page-settled')[0]?.startTime ?? Number.POSITIVE_INFINITY;
  const paints = recorded.entries.filter(
    ({ entryType, startTime }) => entryType === 'largest-contentful-paint' && startTime <= settledMs,
  );
  const paintedMs = paints.at(-1)?.startTime ?? Number.POSITIVE_INFINITY;
  const resources = performance.getEntriesByType('resource') as PerformanceResourceTiming[];
  const before = resources.filter(({ name, responseEnd }) => name.endsWith('.js') && responseEnd <= paintedMs);
  return { scriptBytes: before.reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0), paintedMs };
}

function shifts(): Pick<PageLoad, 'shift' | 'moved'> {
  recorded.entries.push(...recorded.observer.takeRecords());
  const all = recorded.entries.filter(({ entryType }) => entryType === 'layout-shift') as Shift[];
  const counted = all.filter(({ hadRecentInput }) => !hadRecentInput);
  const sum = counted.reduce((total, { value }) => total + value, 0);
  return {
    shift: Math.round(sum * 10_000) / 10_000,
    moved: counted.flatMap(({ value, startTime, sources }) =>
      sources.map(
        ({ node }) => `${value.toFixed(4)} at ${Math.round(startTime)} ms: ${node?.outerHTML?.slice(0, 160) ?? 'text'}`,
      ),
    ),
  };
}
