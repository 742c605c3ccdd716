import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startBalanced } from '../support/balancer.ts';
import type { Client } from '../support/client.ts';
import { type PostgresStore, postgresStore, startOn, startPair } from '../support/data-stores.ts';
import { POSTGRES_URL } from '../support/database.ts';
import { startProxy } from '../support/faulty-proxy.ts';
import { LIVE_CLIENTS } from '../support/live-clients.ts';
import { killAll } from '../support/process.ts';
import { until } from '../support/until.ts';

/** The number of open feeds at a process that runs. */
const openFeeds = async (process: Client) =>
  Number(/^parley_subscriptions (\d+)$/m.exec((await process.send('GET', '/metrics')).body)?.[1]);

const NAMES = Object.keys(LIVE_CLIENTS);

/** What the subscriptions of all clients have reported to their applications. */
interface Reports {
  readonly received: Readonly<Record<string, string[]>>;
  readonly ended: Record<string, unknown>;
  close(): void;
}

async function followAll(url: string, key: string): Promise<Reports> {
  const received = Object.fromEntries(NAMES.map((name) => [name, [] as string[]]));
  const ended: Record<string, unknown> = {};
  const closes = await Promise.all(
    Object.entries(LIVE_CLIENTS).map(([name, follow]) =>
      follow({
        url,
        key,
        received: (id) => void received[name]?.push(id),
        ended(reason) {
          ended[name] = reason;
        },
      }),
    ),
  );
  return {
    received,
    ended,
    close() {
      for (const close of closes) close();
    },
  };
}

describe.skipIf(!POSTGRES_URL)('while each process of a service restarts', () => {
  let store: PostgresStore;
  beforeAll(async () => {
    store = await postgresStore();
  });
  afterAll(async () => {
    await killAll();
    await store.remove();
  });

  const createdIds: string[] = [];
  /**
   * Creates one resource. A connection that arrives between the last look at the backlog and the end of listening is lost, and
   * nginx repeats no POST: the client gets 503 and repeats it.
   */
  async function create(client: Client): Promise<void> {
    const request = {
      body: { type: 'thing', fields: {} },
      headers: { 'idempotency-key': randomUUID() },
    };
    const response = await until(async () => {
      const answer = await client.send('POST', '/v1/resources', request);
      return answer.status === 503 ? undefined : answer;
    });
    expect(response.status).toBe(201);
    createdIds.push(response.body.data.id);
  }

  /** Creates the first event, so that each client has a cursor, and returns the clients. */
  async function start(url: string, key: string, processes: readonly Client[]): Promise<Reports> {
    createdIds.splice(0);
    const reports = await followAll(url, key);
    await until(async () => (await feedsOf(processes)) === NAMES.length);
    await create(processes[0] as Client);
    await until(async () => NAMES.every((name) => reports.received[name]?.length === 1 || name in reports.ended));
    return reports;
  }

  const feedsOf = async (processes: readonly Client[]) =>
    (await Promise.all(processes.map(openFeeds))).reduce((sum, open) => sum + open, 0);

  /** Every client has every event once, and no subscription has ended. */
  async function expectAll({ received, ended, close }: Reports): Promise<void> {
    await until(async () => NAMES.every((name) => name in ended || received[name]?.includes(createdIds.at(-1) ?? '')));
    close();
    expect(ended).toEqual({});
    expect(received).toEqual(Object.fromEntries(NAMES.map((name) => [name, createdIds])));
  }

  it('no client loses or repeats an event', async () => {
    let [serving, next] = await startPair(store);
    // Sends each new connection to the process that serves.
    const balancer = await startProxy(serving.url);
    const reports = await start(balancer.url, store.key, [serving]);
    for (let stopped = 0; stopped < 2; stopped += 1) {
      balancer.route(next.url);
      const stopping = serving.kill('SIGTERM');
      await create(next);
      await stopping;
      await create(next);
      await until(async () => (await openFeeds(next)) === NAMES.length - Object.keys(reports.ended).length);
      await create(next);
      [serving, next] = [next, await startOn(store)];
    }
    await expectAll(reports);
    await balancer.close();
  });

  it('no client loses or repeats an event with nginx in front', async () => {
    const balanced = await startBalanced(store);
    const reports = await start(balanced.url, store.key, balanced.processes);
    for (const index of balanced.processes.keys()) {
      const restarting = balanced.restart(index);
      await create(balanced);
      await restarting;
      await create(balanced);
      await until(async () => (await feedsOf(balanced.processes)) === NAMES.length - Object.keys(reports.ended).length);
    }
    await create(balanced);
    await expectAll(reports);
    await balanced.close();
  });
});
