import type { PrismaClient } from '../../db/generated/client.ts';
import type { PubSub } from '../../db/pub-sub.ts';
import type { Caller } from '../caller.ts';
import { PeriodicTasks } from '../periodic-tasks.ts';
import type { Log } from '../telemetry.ts';
import { credentialTopic, isStillValid } from './caller-ends.ts';

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

interface Watch {
  readonly key: string;
  readonly ends: Set<() => void>;
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
   * Calls `end` when a caller's credential expires, is revoked, or gets another secret or role. Returns a function that
   * stops watching.
   */
  watch(caller: Caller, end: () => void): () => void {
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
    const ends = new Set<() => void>();
    const endAll = () => {
      for (const end of [...ends]) end();
    };
    // If the database is unavailable, the subscription stays open.
    const failureMessage = 'a credential of an open subscription could not be checked';
    const check = async () => {
      if (!(await isStillValid(prisma, caller))) endAll();
    };
    const tasks = new PeriodicTasks(log);
    tasks.every(CHECK_MS, failureMessage, check);
    const unsubscribe = pubSub.subscribe(credentialTopic(caller.id), () => {
      check().catch((error: unknown) => log.error({ err: error }, failureMessage));
    });
    const until = endOf(caller);
    const delayMs = until && Math.min(Math.max(0, until.getTime() - Date.now()), MAX_TIMER_MS);
    const expiry = delayMs === undefined ? undefined : setTimeout(endAll, delayMs).unref();
    return {
      key,
      ends,
      stop() {
        unsubscribe();
        void tasks.stop();
        clearTimeout(expiry);
      },
    };
  }
}

/** Contains everything that a change can invalidate. */
function keyOf(caller: Caller): string {
  const { kind, id, tokenHash, environment } = caller;
  const role = kind === 'session' ? caller.role : null;
  const visitor = kind === 'anonymous' ? caller.visitor?.id : null;
  return JSON.stringify([kind, id, tokenHash, environment.workspaceId, role, visitor, endOf(caller)]);
}

/** When the caller's credential expires. */
function endOf(caller: Caller): Date | undefined {
  if (caller.kind === 'session') return caller.expiresAt;
  return caller.kind === 'anonymous' ? caller.visitor?.until : undefined;
}
