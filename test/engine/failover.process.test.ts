import { readFile } from 'node:fs/promises';
import type pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { newApiKey } from '../../src/domain/access/tokens.ts';
import { startOn } from '../support/data-stores.ts';
import { openPool } from '../support/database.ts';
import { checkFeeds, checkResponses, checkRuns, checkWebhooks, checkWrites } from '../support/failover/checks.ts';
import { startReaders } from '../support/failover/readers.ts';
import { startWriters } from '../support/failover/writers.ts';
import { type FaultyProxy, startProxy } from '../support/faulty-proxy.ts';
import { freePorts } from '../support/free-ports.ts';
import { killAll, type ServiceProcess } from '../support/process.ts';
import { startReceiver } from '../support/receiver.ts';
import {
  type ScratchServer,
  SERVER_PROGRAMS,
  startScratchServer,
  startSynchronousStandby,
} from '../support/scratch-server.ts';
import { subscribe } from '../support/subscriptions.ts';
import { until } from '../support/until.ts';
import { makeEndpoint, makeEvent } from '../support/webhooks.ts';
import { publishedWorkflow, workflowsOf } from '../support/workflows.ts';

const reason = SERVER_PROGRAMS ? '' : ' (skipped: no initdb)';

const FEED = 'subscription ($after: String) { eventAppended(after: $after) { event { resourceId } } }';

const PAGE = '{ events(first: 1) { followCursor } conversations(first: 1) { followCursor } }';

const MOVED = 'subscription ($after: String) { conversationsChanged(after: $after) { conversationId } }';

/** Acknowledged turns and resources before the failover, and after it. */
const WRITES = 20;

/** `npm run failover-drill` does the same with Patroni and HAProxy. */
describe.skipIf(reason !== '')(`a synchronous standby that is promoted${reason}`, () => {
  let address: FaultyProxy;
  let processes: [ServiceProcess, ServiceProcess];
  const servers: ScratchServer[] = [];
  let primary: ScratchServer;
  let pool: pg.Pool;
  beforeAll(async () => {
    primary = await startServer((port) => startScratchServer(port));
    // A floating address: the processes know no other.
    address = await startProxy(primary.url);
    const url = through(primary.url, address);
    const key = newApiKey('live');
    const secret = { SECRET_KEY: 'the same secret for every process of the test', BOOTSTRAP_API_KEY: key };
    const env = { DATABASE_URL: url, ALLOW_LOOPBACK: 'true', ...secret };
    const start = () => startOn({ key, env, remove: async () => {} });
    const one = await start();
    processes = [one, await start()];
  });
  beforeEach(() => {
    pool = openPool(through(primary.url, address), 1);
  });
  afterEach(() => pool.end());
  afterAll(async () => {
    await killAll();
    await address?.close();
    await Promise.all(servers.map((server) => server.remove()));
  });

  async function startServer(start: (port: number) => Promise<ScratchServer>): Promise<ScratchServer> {
    const [port = 0] = await freePorts(1);
    const server = await start(port);
    servers.push(server);
    return server;
  }

  /** Kills the primary, promotes its standby and moves the address. */
  async function failOver(standby: ScratchServer): Promise<void> {
    await primary.kill();
    await address.down();
    await standby.promote();
    primary = standby;
    await address.up(standby.url);
  }

  it('has every acknowledged write, and readers miss nothing', async () => {
    const standby = await startServer((port) => startSynchronousStandby(primary, port));
    const [one] = processes;
    const receiver = await startReceiver();
    await makeEndpoint(one, receiver.url);
    const { deploymentId } = await publishedWorkflow(workflowsOf(one), { recovery: 'CONTINUE' });
    const readers = await startReaders(processes);
    const content = [{ type: 'text', text: '/slow 5\n/say survived' }];
    const long = one.send('POST', `/v2/runner/${deploymentId}/conversation`, { body: { content } });
    const writers = startWriters({ processes, deploymentId, clients: 2 });
    const reaches = (count: number) =>
      until(async () => Math.min(writers.turns.length, writers.resources.length) >= count);
    await reaches(WRITES);
    await failOver(standby);
    await reaches(2 * WRITES);
    await writers.stop();
    // 503 if the turn ended in the outage. The reply is stored in both cases, once.
    expect([200, 503]).toContain((await long).status);
    await checkRuns(pool);
    const { rows } = await pool.query(
      "SELECT FROM timeline_item WHERE role = 'assistant' AND content::text ~ 'survived'",
    );
    expect(rows).toHaveLength(1);
    await checkWrites(pool, writers);
    expect(checkResponses(writers)).toContain('503 unavailable');
    await checkFeeds(pool, readers);
    await checkWebhooks(pool, receiver);
    await readers.stop();
    await receiver.close();
  });

  it('assigns IDs of transactions again that it never received, and readers miss nothing', async () => {
    const replication = await startProxy(primary.url);
    const url = through(primary.url, replication);
    const standby = await startServer((port) => startSynchronousStandby({ ...primary, url }, port));
    const [one, other] = processes;
    const conversation = (await one.agentTurn('Hello')).body.conversation_id;
    await replication.down();
    // Statements that fail have IDs, and no commit waits for the standby to know them.
    const direct = openPool(primary.url, 1);
    for (let count = 0; count < 50; count += 1) await direct.query('BEGIN; SELECT pg_current_xact_id(); ROLLBACK');
    await direct.end();
    const page = (await one.graphql(PAGE)).body.data;
    await failOver(standby);
    await replication.close();

    const created: string[] = [];
    await until(async () => (await one.send('GET', '/readyz')).status === 200);
    for (let count = 0; count < 3; count += 1) created.push(await makeEvent(one));
    expect((await one.agentTurn('Go on', { conversation_id: conversation })).status).toBe(200);
    const feed = await subscribe(other, FEED, { after: page.events.followCursor }, other.key);
    const moved = await subscribe(other, MOVED, { after: page.conversations.followCursor }, other.key);
    const received: string[] = [];
    const reading = (async () => {
      for (const _ of created) received.push((await feed.next()).data.eventAppended.event.resourceId);
      received.push((await moved.next()).data.conversationsChanged.conversationId);
    })();
    await until(async () => received.length > created.length, { withinMs: 10_000 }).catch(() => {});
    expect(received).toEqual([...created, conversation]);
    await reading;
    await Promise.all([feed.close(), moved.close()]);
  });

  it('is noticed by connections whose server no longer responds, because they send probes', async () => {
    await processes[0].agentTurn('Hello');
    const haveProbes = async () => {
      const timers = await connectionTimers(address.port);
      return timers.length > 0 && timers.every((timer) => timer === PROBES);
    };
    await until(haveProbes, { withinMs: 5_000 });
  });
});

function through(url: string, { port }: FaultyProxy): string {
  return url.replace(/:\d+\//, `:${port}/`);
}

/** In `/proc/net/tcp`: the timer of an idle connection that sends probes. */
const PROBES = '02';

/** The timers of all open connections to a port of this machine. */
async function connectionTimers(port: number): Promise<string[]> {
  const lines = (await readFile('/proc/net/tcp', 'utf8')).trim().split('\n').slice(1);
  const remote = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  return lines
    .map((line) => line.trim().split(/\s+/))
    .filter(([, , to, state]) => to?.endsWith(remote) && state === '01')
    .map(([, , , , , timer]) => timer?.slice(0, 2) ?? '');
}
