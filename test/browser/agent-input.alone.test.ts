import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AGENT_PAGE, composer } from '../support/agent-page.ts';
import { startService, type TestService } from '../support/service.ts';
import { launchBrowser, visit } from '../support/visit.ts';

let service: TestService;
let browser: Browser;
beforeAll(async () => {
  [service, browser] = await Promise.all([startService(), launchBrowser()]);
});
afterAll(async () => {
  await service?.close();
});

describe('the hosted page of an agent', () => {
  it('loads less than 150 kB of script and accepts input within 1 s', async () => {
    const times: number[] = [];
    for (let load = 0; load < 3; load += 1) {
      const window = await visit(browser, service.url, { isOwn: true });
      await window.context.addInitScript(() => {
        new MutationObserver((_changes, observer) => {
          if (!document.querySelector('textarea')) return;
          performance.mark('writable');
          observer.disconnect();
        }).observe(document, { childList: true, subtree: true });
      });
      const page = await window.open(AGENT_PAGE);
      await composer(page).waitFor();
      await page.waitForLoadState('networkidle');
      const seen = await page.evaluate(() => ({
        scripts: performance
          .getEntriesByType('resource')
          .filter(({ name }) => name.endsWith('.js'))
          .map((entry) => (entry as PerformanceResourceTiming).encodedBodySize),
        writable: performance.getEntriesByName('writable')[0]?.startTime ?? Number.POSITIVE_INFINITY,
      }));
      expect(seen.scripts.length).toBeGreaterThan(0);
      const bytes = seen.scripts.reduce((sum, size) => sum + size, 0);
      expect(bytes).toBeGreaterThan(10_000);
      expect(bytes).toBeLessThan(150_000);
      times.push(seen.writable);
      await window.close();
    }
    expect(Math.min(...times)).toBeLessThan(1_000);
  });
});
