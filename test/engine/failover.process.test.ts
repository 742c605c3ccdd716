import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newApiKey } from '../../src/domain/access/tokens.ts';
import { freePorts } from '../support/balancer.ts';
import { startOn } from '../support/data-stores.ts';
import { openPool, POSTGRES_URL } from '../support/database.ts';
import { type FaultyProxy, startProxy } from '../support/faulty-proxy.ts';
import { killAll, type ServiceProcess } from '../support/process.ts';
import {
  type ScratchServer,
  SERVER_PROGRAMS,
  startScratchServer,
  startSynchronousStandby,
} from '../support/scratch-server.ts';
import { subscribe } from '../support/subscriptions.ts';
import { until } from '../support/until.ts';
import { publishedWorkflow, workflowsOf } from '../support/workflows.ts';

const reason = !POSTGRES_URL
  ? ' (skipped: TEST_DATABASE_URL is not set)'
  : SERVER_PROGRAMS
    ? ''
    : ' (skipped: no initdb)';

const EVENTS = 'subscription ($after: String) { eventAppended(after: $after) { cursor event { resourceId } } }';

const NOTES = 60;

describe.skipIf(reason !== '')(`a synchronous standby that is promoted under load${reason}`, () => {
  let primary: ScratchServer;
  let standby: ScratchServer | undefined;
  let proxy: FaultyProxy;
  let processes: [ServiceProcess, ServiceProcess];
  beforeAll(async () => {
    const [first = 0, second = 0] = await freePorts(2);
    primary = await startScratchServer(first);
    proxy = await startProxy(primary.url);
    const url = primary.url.replace(/:\d+\//, `:${proxy.port}/`);
    const key = newApiKey('live');
    const secret = { SECRET_KEY: 'the same secret for every process of the test', BOOTSTRAP_API_KEY: key };
    const start = () => startOn({ key, env: { DATABASE_URL: url, ...secret }, remove: async () => {} });
    const one = await start();
    processes = [one, await start()];
    standby = await startSynchronousStandby(primary, second);
  });
  afterAll(async () => {
    await killAll();
    await proxy?.close();
    await Promise.all([standby?.remove(), primary?.remove()]);
  });

  it('has every acknowledged write, lets runs complete, and keeps the cursors of clients', async () => {
    const [one, other] = processes;
    const { deploymentId } = await publishedWorkflow(workflowsOf(one), { recovery: 'CONTINUE' });
    const path = `/v2/runner/${deploymentId}/conversation`;
    const say = (text: string) => one.send('POST', path, { body: { content: [{ type: 'text', text }] } });
    const long = say('/slow 5\n/say survived');
    const feed = await subscribe(other, EVENTS, {}, other.key);
    const acknowledged: string[] = [];
    const statuses = new Set<number>();
    let cursor = '';
    let failed = 0;
    const received: string[] = [];
    const reading = (async () => {
      for (;;) {
        const next = await feed.next().catch(() => undefined);
        const event = next?.data?.eventAppended;
        if (!event) return;
        ({ cursor } = event);
        received.push(event.event.resourceId);
      }
    })();
    const write = async (worker: number) => {
      while (acknowledged.length < NOTES) {
        const process = processes[worker % 2] as ServiceProcess;
        const { status, body } = await process.send('POST', '/v1/resources', { body: { type: 'note', fields: {} } });
        statuses.add(status);
        if (status === 201) acknowledged.push(body.data.id);
        else failed += 1;
        if (status !== 201) await new Promise((resolve) => setTimeout(resolve, 100));
      }
    };
    const writing = Promise.all([0, 1, 2, 3].map(write));
    await until(async () => acknowledged.length > NOTES / 3);
    await primary.crash();
    await proxy.down();
    await standby?.promote();
    await proxy.up(standby?.url);
    await writing;
    // A feed that did not read during the outage has not failed.
    await feed.close();
    await reading;
    // While no database responds, writes fail with 503 and nothing else.
    expect([...statuses].sort()).toEqual([201, 503]);
    expect(failed).toBeGreaterThan(0);

    const pool = openPool(String(standby?.url), 1);
    const { rows } = await pool.query("SELECT id FROM resource WHERE type = 'note'");
    await pool.end();
    const stored = new Set(rows.map(({ id }) => id));
    expect(acknowledged.filter((id) => !stored.has(id))).toEqual([]);

    const resumed = await subscribe(one, EVENTS, { after: cursor }, one.key);
    while (new Set([...received, ...acknowledged]).size > new Set(received).size) {
      received.push((await resumed.next()).data.eventAppended.event.resourceId);
    }
    await resumed.close();
    expect(received).toHaveLength(new Set(received).size);

    // The outage was shorter than the turn, so its own process stores the reply.
    expect(await long).toMatchObject({ status: 200, body: { run_status: 'completed', content: 'survived' } });
    expect((await say('Go on')).body.content).toBe('You said: Go on');
  });
});
