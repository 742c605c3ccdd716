import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { directory, emptyPostgres, type Place, type PostgresPlace } from '../../test/support/places.ts';
import { type Receiver, startReceiver } from '../../test/support/receiver.ts';
import { makeEndpoint } from '../../test/support/webhooks.ts';
import { Caller } from './caller.ts';
import { checkAfterwards } from './checks/afterwards.ts';
import { checkRows } from './checks/rows.ts';
import { Fleet } from './fleet.ts';
import { type Follower, startFollowers } from './followers.ts';
import { Journal } from './journal.ts';
import { runLanes } from './lanes/lanes.ts';
import { planStrikes, processesOf, type TortureOptions } from './plan.ts';
import { type OwnRedis, startRedis } from './redis.ts';
import { makeDeployments, type Stage } from './stage.ts';
import { OWN_NAME, strikeAll } from './strike.ts';
import { Watcher } from './watchers.ts';

/** What came of a run. */
export interface Outcome {
  readonly journal: Journal;
  readonly moves: number;
  readonly watched: number;
  readonly reconnects: number;
  readonly versions: Readonly<Record<string, string>>;
  /** Where the data is, if it was kept because something is wrong. */
  readonly kept: string | undefined;
}

/** Load and strikes for a while, and then the checks. The database is kept where they find something. */
export async function torture(options: TortureOptions): Promise<Outcome> {
  const isEmbedded = options.database === 'embedded';
  const place: Place | PostgresPlace = isEmbedded ? await directory() : await emptyPostgres();
  const redis = options.redis ? await startRedis() : undefined;
  const database = isOnPostgres(place) ? openOwn(place.url) : undefined;
  const journal = new Journal();
  const env: Record<string, string> = redis ? { REDIS_URL: redis.url } : {};
  const fleet = new Fleet(place, env, processesOf(options), journal);
  const receiver = await startReceiver();
  try {
    await fleet.start();
    const outcome = await underLoad(options, { fleet, journal, database, redis, receiver });
    await fleet.close();
    await checkRows(journal, place);
    const versions = await versionsOf(database, redis);
    return { journal, ...outcome, versions, kept: journal.failed > 0 ? nameOf(place) : undefined };
  } finally {
    await fleet.close();
    await Promise.all([receiver.close(), redis?.close(), database?.end()]);
    if (journal.failed === 0) await place.remove();
  }
}

interface Parts {
  readonly fleet: Fleet;
  readonly journal: Journal;
  readonly database: pg.Pool | undefined;
  readonly redis: OwnRedis | undefined;
  readonly receiver: Receiver;
}

async function underLoad(options: TortureOptions, { fleet, journal, database, redis, receiver }: Parts) {
  const client = await fleet.client(0);
  const endsAt = { ms: Date.now() + 60_000 };
  const stage: Stage = {
    seed: options.seed,
    fleet,
    journal,
    database,
    caller: new Caller(fleet, journal),
    deployments: await makeDeployments(client),
    over: () => Date.now() > endsAt.ms,
  };
  await makeEndpoint(client, receiver.url);
  const followers = await startFollowers(stage);
  endsAt.ms = Date.now() + options.forMs;
  const watcher = new Watcher(stage);
  const [moves] = await Promise.all([
    runLanes(stage),
    strikeAll({ fleet, database, redis, journal }, planStrikes(options)),
    pause(options.forMs),
  ]);
  await fleet.settled();
  await checkAfterwards(stage, { followers, receiver, watcher });
  await Promise.all(followers.map((follower) => follower.close()));
  return { moves, watched: watcher.count, reconnects: reconnectsOf(followers) };
}

function reconnectsOf(followers: readonly Follower[]): number {
  return followers.reduce((sum, { reconnects }) => sum + reconnects, 0);
}

function openOwn(url: string): pg.Pool {
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

function isOnPostgres(place: Place | PostgresPlace): place is PostgresPlace {
  return 'url' in place;
}

function nameOf(place: Place | PostgresPlace): string {
  return isOnPostgres(place) ? new URL(place.url).pathname.slice(1) : String(place.env.DATA_DIR);
}
