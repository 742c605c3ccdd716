import { pidIn } from '../caller.ts';
import type { Journal } from '../journal.ts';
import type { Lifetime } from '../lifetimes.ts';
import type { Query } from './query.ts';

/** Twice the default lease. */
const PROMISED_MS = 8_000;

interface OwnerChange {
  readonly at_ms: number;
  readonly run_id: string;
  readonly owner: string | null;
  readonly status: string;
  /** Only of a new run. */
  readonly request_id: string | null;
}

/** The times until a run of a killed process had a new owner, in milliseconds. */
interface Takeover {
  readonly tookMs: number;
  /** Only the time in the queue, after another process noticed the death. */
  readonly queuedMs: number;
  /** Whether one other process ran all the time. */
  readonly isWatched: boolean;
}

/** Counts the turns that a process gave back: at SIGTERM without an attempt, and after its death or stall with one. */
export async function measureHandOvers({ measured }: Journal, send: Query): Promise<void> {
  const [counts] = await send<{ handed_over: number; taken_over: number }>(`
    SELECT count(*) FILTER (WHERE attempts_left = attempts_before)::int AS handed_over,
           count(*) FILTER (WHERE attempts_left < attempts_before)::int AS taken_over
    FROM (SELECT owner, status, attempts_left, lag(owner) OVER w AS owner_before,
                 lag(attempts_left) OVER w AS attempts_before
          FROM torture.owner_change WINDOW w AS (PARTITION BY run_id ORDER BY id)) AS change
    WHERE owner IS NULL AND status = 'running' AND owner_before IS NOT NULL`);
  measured.set('turns that a process handed over at SIGTERM', counts?.handed_over ?? 0);
  measured.set('turns that were taken over from a process that died or stalled', counts?.taken_over ?? 0);
}

/** Measures how long the runs of killed processes had no living owner. Each run gets a new owner or ends. */
export async function measureTakeovers(journal: Journal, send: Query, lifetimes: readonly Lifetime[]): Promise<void> {
  const changes = await readChanges(send);
  const kills = lifetimes.filter(({ end }) => end === 'SIGKILL');
  const takeovers: Takeover[] = [];
  for (const { atMs, runId, later } of ownedAtDeath(changes, kills)) {
    const end = later.find((change) => change.owner !== null || change.status !== 'running');
    journal.check('a run of a killed process gets a new owner or ends', end !== undefined, () => runId);
    if (end?.owner) takeovers.push(takeoverOf(atMs, later[0] ?? end, end, lifetimes));
  }
  const { measured } = journal;
  measured.set('SIGKILLs', kills.length);
  measured.set(
    'last SIGKILL until every earlier run had ended or waited for its client',
    seconds(restMs(changes, kills)),
  );
  measured.set('SIGKILL to the new owner', summaryOf(takeovers.map(({ tookMs }) => tookMs)));
  // A process notices a death only if it sees for some time that nobody renews the lease.
  const watched = takeovers.filter(({ isWatched }) => isWatched);
  measured.set('the same, if one other process ran all the time', summaryOf(watched.map(({ tookMs }) => tookMs)));
  measured.set('queue to the new owner', summaryOf(takeovers.map(({ queuedMs }) => queuedMs)));
}

/** Whether a kill has hit a process that owned a run. */
export async function hasHitRun(send: Query, lifetimes: readonly Lifetime[]): Promise<boolean> {
  const kills = lifetimes.filter(({ end }) => end === 'SIGKILL');
  return ownedAtDeath(await readChanges(send), kills).length > 0;
}

function readChanges(send: Query): Promise<OwnerChange[]> {
  return send('SELECT at_ms, run_id, owner, status, request_id FROM torture.owner_change ORDER BY id');
}

/** A run whose owner was killed. */
interface Orphan {
  readonly runId: string;
  /** The time of the kill. */
  readonly atMs: number;
  /** What happened to the run after it. */
  readonly later: readonly OwnerChange[];
}

function ownedAtDeath(changes: readonly OwnerChange[], kills: readonly Lifetime[]): Orphan[] {
  const pids = pidsOf(changes);
  const killedAt = new Map(kills.map(({ pid, toMs }) => [pid, toMs]));
  return byRun(changes).flatMap((history) =>
    history.flatMap(({ owner, run_id: runId }, index) => {
      const atMs = owner === null ? undefined : killedAt.get(pids.get(owner));
      const later = history.slice(index + 1);
      // The process may have given the run back before it died.
      return atMs === undefined || (later[0] && later[0].at_ms < atMs) ? [] : [{ runId, atMs, later }];
    }),
  );
}

function takeoverOf(atMs: number, first: OwnerChange, end: OwnerChange, lifetimes: readonly Lifetime[]): Takeover {
  return {
    tookMs: end.at_ms - atMs,
    queuedMs: end.at_ms - first.at_ms,
    isWatched: lifetimes.some(({ fromMs, toMs }) => fromMs < atMs && toMs > end.at_ms),
  };
}

/** The time from the last kill to the end of the last run that had started before. */
function restMs(changes: readonly OwnerChange[], kills: readonly Lifetime[]): number {
  const lastMs = Math.max(0, ...kills.map(({ toMs }) => toMs));
  const ends = byRun(changes).flatMap((history) => {
    const end = history.find(({ at_ms, status }) => at_ms > lastMs && status !== 'running');
    return history[0] && history[0].at_ms < lastMs && end ? [end.at_ms] : [];
  });
  return Math.max(lastMs, ...ends) - lastMs;
}

/** The process of each owner. The process that accepted a request is the first owner of its run. */
function pidsOf(changes: readonly OwnerChange[]): Map<string, number> {
  return new Map(
    changes.flatMap(({ owner, request_id }) => {
      const pid = owner === null || request_id === null ? undefined : pidIn(request_id);
      return owner === null || pid === undefined ? [] : [[owner, pid]];
    }),
  );
}

function byRun(changes: readonly OwnerChange[]): readonly (readonly OwnerChange[])[] {
  const runs = new Map<string, OwnerChange[]>();
  for (const change of changes) {
    const history = runs.get(change.run_id);
    if (history) history.push(change);
    else runs.set(change.run_id, [change]);
  }
  return [...runs.values()];
}

/** The median and the slowest of some times, in milliseconds. */
export function summaryOf(tookMs: readonly number[]): string {
  const sorted = [...tookMs].sort((a, b) => a - b);
  const at = (part: number) => seconds(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0);
  const late = sorted.filter((ms) => ms > PROMISED_MS).length;
  const times = `p50 ${at(0.5)}, p99 ${at(0.99)}, max ${at(1)}`;
  return `${times}; ${late} of ${sorted.length} runs later than ${seconds(PROMISED_MS)}`;
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(2)} s`;
}
