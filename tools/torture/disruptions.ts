import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import type { Fleet } from './fleet.ts';
import type { Journal } from './journal.ts';
import type { Disruption } from './plan.ts';
import type { OwnRedis } from './redis.ts';

/** The targets of disruptions. */
export interface Targets {
  readonly fleet: Fleet;
  readonly database: pg.Pool | undefined;
  readonly redis: OwnRedis | undefined;
  readonly journal: Journal;
}

/** Applies each disruption of the plan at its time, until it is over. */
export async function applyDisruptions(
  targets: Targets,
  plan: readonly Disruption[],
  isOver: () => boolean,
): Promise<void> {
  const startedAt = Date.now();
  const lasting: Promise<unknown>[] = [];
  for (const disruption of plan) {
    const inMs = startedAt + disruption.atMs - Date.now();
    if (inMs > 0) await pause(inMs);
    if (isOver()) break;
    const { wasApplied, finished } = await apply(targets, disruption);
    targets.journal.countDisruption(wasApplied ? disruption.kind : `${disruption.kind}, without a target`);
    lasting.push(finished);
  }
  await Promise.all(lasting);
}

interface Applied {
  readonly wasApplied: boolean;
  readonly finished: Promise<unknown>;
}

async function apply({ fleet, database, redis }: Targets, { kind, target, forMs, part }: Disruption): Promise<Applied> {
  const now = Promise.resolve();
  if (kind === 'SIGKILL' || kind === 'SIGTERM') return { wasApplied: fleet.end(target, kind, forMs), finished: now };
  if (kind === 'SIGSTOP') return { wasApplied: fleet.pauseProcess(target, forMs), finished: now };
  if (kind === 'restart Redis') return { wasApplied: redis !== undefined, finished: redis?.restart(forMs) ?? now };
  return { wasApplied: (await terminateConnections(database, part)) > 0, finished: now };
}

/** Terminates connections of the service to its database, but not those of the torture test. Returns their number. */
async function terminateConnections(database: pg.Pool | undefined, part: number): Promise<number> {
  const { rowCount } =
    (await database?.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND application_name <> $1 AND random() < $2`,
      [OWN_NAME, part],
    )) ?? {};
  return rowCount ?? 0;
}

/** The application name of the torture test's own connections. */
export const OWN_NAME = 'parley-torture';
