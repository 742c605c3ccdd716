// `npm run failover-drill` runs the service on a highly available PostgreSQL under load: three servers with Patroni and HAProxy,
// in a temporary folder. It kills the leader, stops it for longer than the TTL, and switches over. After each of them it
// compares what clients received with what is stored, and prints what it checked. Exits with 1 if a check fails.
import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { newApiKey } from '../src/domain/access/tokens.ts';
import { checkFeeds, checkResponses, checkRuns, checkWebhooks, checkWrites } from '../test/support/failover/checks.ts';
import { startReaders } from '../test/support/failover/readers.ts';
import { startWriters } from '../test/support/failover/writers.ts';
import { startFakeProvider } from '../test/support/fake-provider.ts';
import { killAll, startProcess } from '../test/support/process.ts';
import { startReceiver } from '../test/support/receiver.ts';
import { until } from '../test/support/until.ts';
import { makeEndpoint } from '../test/support/webhooks.ts';
import { publishedWorkflow, workflowsOf } from '../test/support/workflows.ts';
import { freshBundle } from './build.mjs';
import { type Cluster, startCluster } from './failover-drill/cluster.ts';
import { crash, type Fault, freeze, secondsSince, switchOver } from './failover-drill/faults.ts';
import { missingPackages } from './failover-drill/programs.ts';

/** What happens to the leader, and the limit for the time without an acknowledged write. */
const ROUNDS: readonly (readonly [name: string, fault: (cluster: Cluster) => Promise<Fault>, longestMs: number])[] = [
  ['crash', crash, 20_000],
  ['freeze', freeze, 30_000],
  ['switchover', switchOver, 20_000],
];

/** Clients that run turns, and as many that create resources. */
const CLIENTS = 3;

/** Load before and after each fault. */
const LOAD_MS = 2_000;

/** The longest time of all rounds. */
const LONGEST_MS = 180_000;

/** Lines that a process logged, in the output of a failure. */
const WARNINGS = 40;

let failed = false;

/** Runs a check and prints its result. */
async function check(name: string, work: () => Promise<string>): Promise<void> {
  try {
    console.log(`ok      ${name}: ${await work()}`);
  } catch (error) {
    failed = true;
    console.log(`FAILED  ${name}: ${(error as Error).message}`);
  }
}

function isWarning(line: string): boolean {
  return !/"level":(10|20|30),/.test(line);
}

async function drill(cluster: Cluster): Promise<void> {
  const [provider, receiver] = await Promise.all([startFakeProvider(), startReceiver()]);
  provider.reply({ kind: 'answer', deltas: ['Done'] });
  const key = newApiKey('live');
  const env = {
    DATABASE_URL: cluster.url,
    SECRET_KEY: randomBytes(32).toString('base64'),
    BOOTSTRAP_API_KEY: key,
    ALLOW_LOOPBACK: 'true',
    DEFAULT_MODEL: 'openai-compatible:any',
    OPENAI_BASE_URL: provider.url,
  };
  const pool = new pg.Pool({ connectionString: cluster.url, max: 2 }).on('error', () => {});
  await until(async () => pool.query('SELECT').catch(() => undefined), { withinMs: 20_000 });
  const processes = [await startProcess(key, env), await startProcess(key, env)] as const;
  const [client] = processes;
  const { deploymentId } = await publishedWorkflow(workflowsOf(client), { recovery: 'CONTINUE' });
  await makeEndpoint(client, receiver.url);
  const readers = await startReaders(processes);
  try {
    for (const [name, fault, longestMs] of ROUNDS) {
      const writers = startWriters({ processes, deploymentId, clients: CLIENTS });
      await pause(LOAD_MS);
      let at = 0;
      await check(name, async () => {
        const result = await fault(cluster);
        ({ at } = result);
        return result.text;
      });
      await cluster.settle();
      await pause(LOAD_MS);
      await check(`${name}, recovery`, async () => {
        const pauseMs = writers.longestPauseMs(at);
        const text = `no write was acknowledged for ${(pauseMs / 1_000).toFixed(1)} s`;
        if (pauseMs > longestMs) throw new Error(`${text}, longer than ${longestMs / 1_000} s`);
        return text;
      });
      await writers.stop();
      await check(`${name}, runs`, () => checkRuns(pool));
      await check(`${name}, writes`, () => checkWrites(pool, writers));
      await check(`${name}, responses`, async () => checkResponses(writers));
      await check(`${name}, feeds`, () => checkFeeds(pool, readers));
      await check(`${name}, webhooks`, () => checkWebhooks(pool, receiver));
    }
  } finally {
    await readers.stop();
    await killAll();
    if (failed) console.log(processes.flatMap(({ output }) => output.filter(isWarning).slice(-WARNINGS)).join('\n'));
    await Promise.all([provider.close(), receiver.close(), pool.end()]);
  }
}

const missing = missingPackages();
if (missing.length > 0)
  throw new Error(`Programs are missing on this machine. On Debian: apt-get install ${missing.join(' ')}`);
await freshBundle('main.js');
const startedAt = performance.now();
const cluster = await startCluster();
try {
  const leader = await cluster.leader();
  await check('cluster', async () => `three servers run after ${secondsSince(startedAt)}, ${leader.name} leads`);
  const overdue = pause(LONGEST_MS, undefined, { ref: false }).then(() => {
    throw new Error(`the rounds were not over after ${LONGEST_MS / 1_000} s`);
  });
  await Promise.race([drill(cluster), overdue]);
} catch (error) {
  failed = true;
  console.log(`FAILED  ${(error as Error).stack}\n${cluster.output()}`);
} finally {
  await killAll();
  await cluster.close();
}
console.log(failed ? 'The drill failed.' : 'No acknowledged write was lost, and no reader missed an event.');
process.exit(failed ? 1 : 0);
