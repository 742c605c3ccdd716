import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import {
  type DataStore,
  emptyDirectoryStore,
  emptyPostgresStore,
  type PostgresStore,
} from '../../test/support/data-stores.ts';
import { openMember } from '../../test/support/handled-conversations.ts';
import { type Receiver, startReceiver } from '../../test/support/receiver.ts';
import { until } from '../../test/support/until.ts';
import { makeEndpoint } from '../../test/support/webhooks.ts';
import { bankActions, startBank } from './bank.ts';
import { Caller } from './caller.ts';
import { recordChanges } from './changes.ts';
import { checkAfterwards } from './checks/afterwards.ts';
import type { Query } from './checks/query.ts';
import { checkRows } from './checks/rows.ts';
import { hasHitRun } from './checks/takeovers.ts';
import { type Draft, makeDeployments, type TortureContext } from './context.ts';
import { applyDisruptions, OWN_NAME } from './disruptions.ts';
import { Fleet } from './fleet.ts';
import { type Follower, startFollowers } from './followers.ts';
import { Journal } from './journal.ts';
import { runLanes } from './lanes/lanes.ts';
import { planDisruptions, processesOf, type TortureOptions } from './plan.ts';
import { type OwnRedis, startRedis } from './redis.ts';
import { Watcher } from './watchers.ts';

/** The outcome of a run. */
export interface Outcome {
  readonly journal: Journal;
  readonly actions: number;
  readonly watched: number;
  readonly reconnects: number;
  readonly versions: Readonly<Record<string, string>>;
  /** The location of the data, which is kept if a check fails. */
  readonly dataLocation: string | undefined;
}

/** The load of a slow machine may take this many times as long. */
const LONGEST = 5;

/** The members who take conversations over from the assistant, and from each other. */
const MEMBERS = ['Anna', 'Ben'];

/** The number of accepted turns that a run needs. */
const LEAST_TURNS = 30;

/** Runs load and disruptions for a while, and then the checks. The database is kept if a check fails. */
export async function torture(options: TortureOptions): Promise<Outcome> {
  const isEmbedded = options.database === 'embedded';
  const store: DataStore | PostgresStore = isEmbedded ? await emptyDirectoryStore() : await emptyPostgresStore();
  const redis = options.redis ? await startRedis() : undefined;
  const database = isOnPostgres(store) ? openPool(store.url) : undefined;
  const journal = new Journal();
  // The time until another process continues a turn is measured with the default lease.
  const lease = options.recovery === 'continue' && { LEASE_SECONDS: '4' };
  const env: Record<string, string> = { ...(redis && { REDIS_URL: redis.url }), ...lease };
  const fleet = new Fleet(store, env, processesOf(options), journal);
  const [receiver, bank] = await Promise.all([startReceiver(), startBank(options.seed)]);
  try {
    await fleet.start();
    const outcome = await underLoad(options, { fleet, journal, database, redis, receiver, bank });
    await fleet.close();
    const { recovery } = options;
    await checkRows({ journal, store, recovery, lifetimes: fleet.lifetimes.all, calls: bank.received });
    const versions = await versionsOf(database, redis);
    return { journal, ...outcome, versions, dataLocation: journal.failed > 0 ? dataLocationOf(store) : undefined };
  } finally {
    await fleet.close();
    await Promise.all([receiver.close(), bank.close(), redis?.close(), database?.end()]);
    if (journal.failed === 0) await store.remove();
  }
}

interface Parts {
  readonly fleet: Fleet;
  readonly journal: Journal;
  readonly database: pg.Pool | undefined;
  readonly redis: OwnRedis | undefined;
  readonly receiver: Receiver;
  /** Receives the requests of actions. */
  readonly bank: Receiver;
}

async function underLoad(options: TortureOptions, { fleet, journal, database, redis, receiver, bank }: Parts) {
  const client = await fleet.client(0);
  const load = { isOver: false };
  const context: TortureContext = {
    seed: options.seed,
    fleet,
    journal,
    database,
    caller: new Caller(fleet, journal),
    recovery: options.recovery,
    deployments: await makeDeployments(client, draftOf(options, bank)),
    members: [undefined, ...(await Promise.all(database ? MEMBERS.map((name) => openMember(database, name)) : []))],
    isOver: () => load.isOver,
  };
  await makeEndpoint(client, receiver.url);
  if (database) await recordChanges(database);
  const followers = await startFollowers(context);
  const watcher = new Watcher(context);
  const longest = { ...options, forMs: options.forMs * LONGEST };
  const [actions] = await Promise.all([
    runLanes(context),
    applyDisruptions({ fleet, database, redis, journal }, planDisruptions(longest), context.isOver),
    waitForWork(options, { fleet, journal, database, bank }).then(() => {
      load.isOver = true;
    }),
  ]);
  await fleet.waitUntilReady();
  await checkAfterwards(context, { followers, receiver, watcher });
  await Promise.all(followers.map((follower) => follower.close()));
  return { actions, watched: watcher.count, reconnects: reconnectsOf(followers) };
}

/** Waits for the time of the load, and until the disruptions have hit enough work to show something. */
async function waitForWork(
  { forMs, recovery }: TortureOptions,
  { fleet, journal, database, bank }: Pick<Parts, 'fleet' | 'journal' | 'database' | 'bank'>,
): Promise<void> {
  await pause(forMs);
  const send: Query = async <Row>(sql: string) => ((await database?.query(sql))?.rows ?? []) as Row[];
  const hasWork = async () => {
    const accepted = journal.turns.filter(({ outcome }) => outcome === 'accepted');
    if (accepted.length < LEAST_TURNS || !journal.disruptions.has('SIGKILL')) return false;
    const isContinued = journal.continued.length > 0 && bank.received.length > 0;
    return recovery === 'settle' || (isContinued && (await hasHitRun(send, fleet.lifetimes.all)));
  };
  await until(hasWork, { withinMs: forMs * (LONGEST - 1), everyMs: 500 }).catch(() => {});
}

/** The workflow of all lanes. With `continue`, more attempts than any turn needs. */
function draftOf({ recovery }: TortureOptions, bank: Receiver): Draft {
  const draft = { allowConversationCompletion: true, allowHandOver: true, resourceTools: ['CREATE_RESOURCE'] };
  if (recovery === 'settle') return draft;
  return { ...draft, recovery: 'CONTINUE', maxAttempts: 10, httpActions: bankActions(bank) };
}

function reconnectsOf(followers: readonly Follower[]): number {
  return followers.reduce((sum, { reconnects }) => sum + reconnects, 0);
}

function openPool(url: string): pg.Pool {
  return new pg.Pool({ connectionString: url, max: 4, application_name: OWN_NAME }).on('error', () => {});
}

async function versionsOf(database: pg.Pool | undefined, redis: OwnRedis | undefined): Promise<Record<string, string>> {
  const { rows } = (await database?.query<{ server_version: string }>('SHOW server_version')) ?? { rows: [] };
  return {
    Node: process.version,
    ...(rows[0] ? { PostgreSQL: rows[0].server_version } : { database: 'embedded' }),
    ...(redis && { Redis: redis.version }),
  };
}

function isOnPostgres(store: DataStore | PostgresStore): store is PostgresStore {
  return 'url' in store;
}

function dataLocationOf(store: DataStore | PostgresStore): string {
  return isOnPostgres(store) ? new URL(store.url).pathname.slice(1) : String(store.env.DATA_DIR);
}
