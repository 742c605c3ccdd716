import { expect, it } from 'vitest';
import { startService } from '../support/service.ts';
import { launchBrowser, visit } from '../support/visit.ts';

it('gives every page of a window its size, whatever the tests before used', async () => {
  const [service, browser] = await Promise.all([startService(), launchBrowser()]);
  for (const viewport of [
    { width: 390, height: 844 },
    { width: 1440, height: 900 },
  ]) {
    const window = await visit(browser, service.url, { viewport });
    const first = await window.open('/healthz');
    const second = await window.context.newPage();
    expect([first, second].map((page) => page.viewportSize())).toEqual([viewport, viewport]);
    await window.close();
  }
  await service.close();
});
