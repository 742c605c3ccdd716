import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BalancedService, startBalanced } from '../support/balancer.ts';
import { type PostgresStore, postgresStore } from '../support/data-stores.ts';
import { POSTGRES_URL } from '../support/database.ts';
import { startLoad, storedItemIds } from '../support/load.ts';
import { startOtherLoad } from '../support/other-load.ts';
import { killAll } from '../support/process.ts';
import { until } from '../support/until.ts';

const OTHERS = ['document', 'apply', 'ui', 'mcp'];

describe.skipIf(!POSTGRES_URL)('processes with nginx in front that restart one after another', () => {
  let store: PostgresStore;
  let balanced: BalancedService;
  beforeAll(async () => {
    store = await postgresStore();
    balanced = await startBalanced(store);
  });
  afterAll(async () => {
    await balanced?.close();
    await killAll();
    await store?.remove();
  });

  it('fail no request of any transport, and their subscriptions continue at another process without gap or repeat', async () => {
    const [load, other] = await Promise.all([startLoad(balanced), startOtherLoad(balanced)]);
    for (const index of balanced.processes.keys()) {
      const before = load.succeeded;
      const leaving = balanced.processes[index];
      await balanced.restart(index);
      expect(leaving?.child.exitCode).toBe(0);
      await until(async () => load.succeeded > before);
      const done = { ...other.succeeded };
      const isServed = (name: string) => (other.succeeded[name] ?? 0) > (done[name] ?? 0);
      await until(async () => OTHERS.every(isServed) || other.failures.length > 0);
    }
    await other.stop();
    const feeds = await load.stop();
    expect(other.failures).toEqual([]);
    // Refused connections are normal here. The log names the reason of a failure, so it is part of the message.
    expect(load.failures, `nginx: ${(await balanced.nginxErrors()).join('\n')}`).toEqual([]);
    for (const { id, receivedIds: received, opened } of feeds) {
      expect(opened).toBeGreaterThan(1);
      expect(received).toEqual(await storedItemIds(store.url, id));
    }
  }, 180_000);
});
