import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import type { Fleet } from './fleet.ts';
import type { Journal } from './journal.ts';
import type { Strike } from './plan.ts';
import type { OwnRedis } from './redis.ts';

/** What can be struck. */
export interface Targets {
  readonly fleet: Fleet;
  readonly database: pg.Pool | undefined;
  readonly redis: OwnRedis | undefined;
  readonly journal: Journal;
}

/** Carries the plan out, each blow at its moment. */
export async function strikeAll(targets: Targets, plan: readonly Strike[]): Promise<void> {
  const startedAt = Date.now();
  const lasting: Promise<unknown>[] = [];
  for (const strike of plan) {
    const inMs = startedAt + strike.atMs - Date.now();
    if (inMs > 0) await pause(inMs);
    const { hit, lasts } = await deal(targets, strike);
    targets.journal.struck(hit ? strike.kind : `${strike.kind}, with nothing to strike`);
    lasting.push(lasts);
  }
  await Promise.all(lasting);
}

interface Dealt {
  readonly hit: boolean;
  readonly lasts: Promise<unknown>;
}

async function deal({ fleet, database, redis }: Targets, { kind, target, forMs, part }: Strike): Promise<Dealt> {
  const now = Promise.resolve();
  if (kind === 'SIGKILL' || kind === 'SIGTERM') return { hit: fleet.end(target, kind, forMs), lasts: now };
  if (kind === 'SIGSTOP') return { hit: fleet.stop(target, forMs), lasts: now };
  if (kind === 'restart Redis') return { hit: redis !== undefined, lasts: redis?.restart(forMs) ?? now };
  return { hit: (await cut(database, part)) > 0, lasts: now };
}

/** Cuts connections of the service to its database, not those of the torture. Answers how many. */
async function cut(database: pg.Pool | undefined, part: number): Promise<number> {
  const { rowCount } =
    (await database?.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND application_name <> $1 AND random() < $2`,
      [OWN_NAME, part],
    )) ?? {};
  return rowCount ?? 0;
}

/** Names the connections that are the torture's own. */
export const OWN_NAME = 'parley-torture';
