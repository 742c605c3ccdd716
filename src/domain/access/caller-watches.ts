import type { Caller, Services } from '../context.ts';
import { credentialTopic, isStillValid } from './caller-ends.ts';

/** A lost word of an ended credential heals within this time. */
const CHECK_MS = 15_000;

/** Timers take no longer delay. */
const LONGEST_MS = 2 ** 31 - 1;

interface Watch {
  readonly key: string;
  readonly ends: Set<() => void>;
  stop(): void;
}

/** Watches the credentials of what is open in this process, each of them once. */
export class CallerWatches {
  readonly #services: Pick<Services, 'live' | 'prisma' | 'log'>;
  readonly #watches = new Map<string, Watch>();

  constructor(services: Pick<Services, 'live' | 'prisma' | 'log'>) {
    this.#services = services;
  }

  /**
   * Calls `end` when a caller's credential expires, is revoked, gets another secret or another role. Answers how to stop
   * watching.
   */
  watch(caller: Caller, end: () => void): () => void {
    const watch = this.#of(caller);
    watch.ends.add(end);
    return () => {
      watch.ends.delete(end);
      if (watch.ends.size > 0 || this.#watches.get(watch.key) !== watch) return;
      this.#watches.delete(watch.key);
      watch.stop();
    };
  }

  /** How many there are. */
  get size(): number {
    return this.#watches.size;
  }

  #of(caller: Caller): Watch {
    const key = keyOf(caller);
    const watch = this.#watches.get(key) ?? this.#begin(key, caller);
    this.#watches.set(key, watch);
    return watch;
  }

  #begin(key: string, caller: Caller): Watch {
    const { live, prisma, log } = this.#services;
    const ends = new Set<() => void>();
    const endAll = () => {
      for (const end of [...ends]) end();
    };
    const check = () => {
      isStillValid(prisma, caller).then(
        (valid) => valid || endAll(),
        // Where the database is away, nobody can say that it ended.
        (error: unknown) => log.warn({ err: error }, 'a credential of an open subscription could not be checked'),
      );
    };
    const unlisten = live.listen(credentialTopic(caller.id), check);
    const timer = setInterval(check, CHECK_MS).unref();
    const until = endOf(caller);
    const left = until && Math.min(Math.max(0, until.getTime() - Date.now()), LONGEST_MS);
    const expiry = left === undefined ? undefined : setTimeout(endAll, left).unref();
    return {
      key,
      ends,
      stop() {
        unlisten();
        clearInterval(timer);
        clearTimeout(expiry);
      },
    };
  }
}

/** All that a credential can lose. */
function keyOf(caller: Caller): string {
  const { kind, id, tokenHash, environment } = caller;
  const role = kind === 'session' ? caller.role : null;
  const visitor = kind === 'anonymous' ? caller.visitor?.id : null;
  return JSON.stringify([kind, id, tokenHash, environment.workspaceId, role, visitor, endOf(caller)]);
}

/** When a caller's credential ends by itself. */
function endOf(caller: Caller): Date | undefined {
  if (caller.kind === 'session') return caller.expiresAt;
  return caller.kind === 'anonymous' ? caller.visitor?.until : undefined;
}
