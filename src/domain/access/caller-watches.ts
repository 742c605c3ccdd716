import type { PrismaClient } from '../../db/generated/client.ts';
import type { PubSub } from '../../db/pub-sub.ts';
import type { Caller } from '../caller.ts';
import { PeriodicTasks } from '../periodic-tasks.ts';
import type { Log } from '../telemetry.ts';
import { type CallerEnd, readEnd, topicsOf } from './caller-ends.ts';

/** The poll interval, in case a notification was lost. */
const CHECK_MS = 15_000;

/** The maximum delay of a timer. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Sees every environment. */
interface WatchParts {
  readonly pubSub: PubSub;
  readonly prisma: PrismaClient;
  readonly log: Log;
}

type OnEnd = (reason: CallerEnd) => void;

interface Watch {
  readonly key: string;
  readonly ends: Set<OnEnd>;
  stop(): void;
}

/** Watches the credentials of open subscriptions in this process. Subscriptions with the same credential share a watch. */
export class CallerWatches {
  readonly #parts: WatchParts;
  readonly #watches = new Map<string, Watch>();

  constructor(parts: WatchParts) {
    this.#parts = parts;
  }

  /**
   * Calls `end` when a caller's credential expires, is revoked, or gets another secret or other permissions. Returns a
   * function that stops watching.
   */
  watch(caller: Caller, end: OnEnd): () => void {
    const watch = this.#watchOf(caller);
    watch.ends.add(end);
    return () => {
      watch.ends.delete(end);
      if (watch.ends.size > 0 || this.#watches.get(watch.key) !== watch) return;
      this.#watches.delete(watch.key);
      watch.stop();
    };
  }

  get size(): number {
    return this.#watches.size;
  }

  #watchOf(caller: Caller): Watch {
    const key = keyOf(caller);
    const watch = this.#watches.get(key) ?? this.#start(key, caller);
    this.#watches.set(key, watch);
    return watch;
  }

  #start(key: string, caller: Caller): Watch {
    const { pubSub, prisma, log } = this.#parts;
    const ends = new Set<OnEnd>();
    const endAll = (reason: CallerEnd) => {
      for (const end of [...ends]) end(reason);
    };
    // If the database is unavailable, the subscription stays open.
    const failureMessage = 'a credential of an open subscription could not be checked';
    let timer: NodeJS.Timeout | undefined;
    let isStopped = false;
    let started = 0;
    let applied = 0;
    const check = async () => {
      started += 1;
      const number = started;
      const end = await readEnd(prisma, caller);
      // A check that started earlier can have read an earlier state.
      if (number < applied) return;
      applied = number;
      arm(end);
    };
    const checkNow = () => {
      check().catch((error: unknown) => log.error({ err: error }, failureMessage));
    };
    /** Ends everything at the time, which can change while the credential is watched. */
    const arm = (end: Date | CallerEnd | undefined) => {
      clearTimeout(timer);
      if (isStopped || end === undefined) return;
      if (typeof end === 'string') return endAll(end);
      const delayMs = Math.min(Math.max(0, end.getTime() - Date.now()), MAX_TIMER_MS);
      timer = setTimeout(() => (end.getTime() <= Date.now() ? endAll('ended') : arm(end)), delayMs).unref();
    };
    const tasks = new PeriodicTasks(log);
    tasks.every(CHECK_MS, failureMessage, check);
    const unsubscribes = topicsOf(caller).map((topic) => pubSub.subscribe(topic, checkNow));
    arm(endOf(caller));
    return {
      key,
      ends,
      stop() {
        for (const unsubscribe of unsubscribes) unsubscribe();
        void tasks.stop();
        isStopped = true;
        clearTimeout(timer);
      },
    };
  }
}

/** Contains everything that a change can invalidate. */
function keyOf(caller: Caller): string {
  const { kind, id, tokenHash, environment } = caller;
  const role = kind === 'session' || kind === 'app' ? caller.role : null;
  const visitor = kind === 'anonymous' ? caller.visitor?.id : null;
  const bounds = kind === 'api_key' ? [caller.ipRanges, caller.deploymentIds] : null;
  return JSON.stringify([kind, id, tokenHash, environment.workspaceId, role, visitor, bounds, endOf(caller)]);
}

/** When the caller's credential expires. */
function endOf(caller: Caller): Date | undefined {
  if (caller.kind === 'session' || caller.kind === 'app' || caller.kind === 'end_user') return caller.expiresAt;
  if (caller.kind === 'api_key') return caller.expiresAt ?? undefined;
  return caller.kind === 'anonymous' ? caller.visitor?.until : undefined;
}
