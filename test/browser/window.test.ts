import { once } from 'node:events';
import { createServer } from 'node:net';
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

it('keeps the origin of its pages for the next service, unless another program took the port', async () => {
  const first = await startService();
  await first.close();
  const second = await startService();
  await second.close();
  const { port } = new URL(first.url);
  const other = createServer().listen(Number(port), '127.0.0.1');
  await once(other, 'listening');
  const third = await startService();
  await third.close();
  other.close();
  expect(second.url).toBe(first.url);
  expect(third.url).not.toBe(first.url);
});
