import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { signedIn } from '../support/dashboard.ts';
import { plantConversations, plantUsage } from '../support/dashboard-data.ts';
import { DEMO_AGENT_ID, DEMO_CHAT_ID, startService, type TestService } from '../support/service.ts';
import { launchBrowser } from '../support/visit.ts';

/** Pages with little input. Pages with forms load more script, and are not measured here. */
const PAGES: readonly (readonly [path: string, width: number])[] = [
  ['/', 390],
  [`/chat/${DEMO_CHAT_ID}`, 390],
  [`/agent/${DEMO_AGENT_ID}`, 390],
  ['/dashboard', 1440],
  ['/dashboard/events', 390],
  ['/dashboard/waiting', 1440],
  ['/dashboard/resources', 1440],
  ['/dashboard/audit', 1440],
];

/** The page is useful when its largest content is painted. */
interface Load {
  /** Compressed bytes of the scripts that were loaded before. */
  readonly scriptBytes: number;
  /** The layout shift that no input of the user caused (CLS). */
  readonly shift: number;
  /** What moved. */
  readonly moved: readonly string[];
}

let service: TestService;
let browser: Browser;
beforeAll(async () => {
  [service, browser] = await Promise.all([startService(), launchBrowser()]);
  await plantConversations(service, 4);
  await plantUsage(service, 30);
});
afterAll(() => service?.close());

/** Loads a page with an empty cache and measures it until nothing loads any more. */
async function load(path: string, width: number): Promise<Load> {
  const viewport = { width, height: width < 500 ? 844 : 900 };
  const window = await signedIn(browser, service, '/dashboard/events', { viewport });
  const { page } = window;
  const session = await window.context.newCDPSession(page);
  await session.send('Network.clearBrowserCache');
  await page.mouse.move(0, 0);
  await page.goto(`${service.url}${path}`);
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  await expect.poll(() => page.getByRole('status').filter({ hasText: 'Loading' }).count()).toBe(0);
  // The live updates never end, so the network is never idle.
  await page.waitForTimeout(500);
  const measured = await measure(page);
  await session.detach();
  await window.close();
  return measured;
}

const measure = (page: Page): Promise<Load> =>
  page.evaluate(async () => {
    const entriesOf = (type: string) =>
      new Promise<PerformanceEntry[]>((done) => {
        const observer = new PerformanceObserver((list) => done(list.getEntries()));
        observer.observe({ type, buffered: true });
        setTimeout(() => done([]), 300);
      });
    const [paints, shifts] = await Promise.all([entriesOf('largest-contentful-paint'), entriesOf('layout-shift')]);
    const paintedMs = paints.at(-1)?.startTime ?? Number.POSITIVE_INFINITY;
    const scripts = performance
      .getEntriesByType('resource')
      .filter(({ name }) => name.endsWith('.js')) as PerformanceResourceTiming[];
    const counted = (
      shifts as (PerformanceEntry & { value: number; hadRecentInput: boolean; sources: { node?: Node }[] })[]
    ).filter(({ hadRecentInput }) => !hadRecentInput);
    return {
      scriptBytes: scripts
        .filter(({ responseEnd }) => responseEnd <= paintedMs)
        .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0),
      shift: Math.round(counted.reduce((sum, { value }) => sum + value, 0) * 10_000) / 10_000,
      moved: counted.flatMap(({ value, sources }) =>
        sources.map(({ node }) => `${value.toFixed(4)} ${(node as HTMLElement | undefined)?.outerHTML?.slice(0, 160)}`),
      ),
    };
  });

describe('a page', () => {
  it.each(PAGES)(
    '%s moves nothing in a window of %i px, and is useful after less than 150 kB of script',
    async (path, width) => {
      const { scriptBytes, shift, moved } = await load(path, width);
      expect({ isStill: shift < 0.02, shift, moved: shift < 0.02 ? [] : moved }).toEqual({
        isStill: true,
        shift,
        moved: [],
      });
      expect(scriptBytes).toBeGreaterThan(10_000);
      expect(scriptBytes).toBeLessThan(150_000);
    },
  );
});
