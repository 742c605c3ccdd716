/** The state of the connection to the service, according to the latest request. */
export type Connection =
  | { readonly kind: 'open' }
  /** Requests fail and are retried. */
  | { readonly kind: 'lost' }
  /** The rate limit is exceeded until this time (milliseconds since 1970). */
  | { readonly kind: 'limited'; readonly until: number };

const OPEN: Connection = { kind: 'open' };
const LOST: Connection = { kind: 'lost' };

export interface WatchedConnection {
  /** The fetch for the SDK. */
  readonly fetch: typeof globalThis.fetch;
  readonly subscribe: (listener: () => void) => () => void;
  readonly getState: () => Connection;
}

/** Makes a fetch that records the results of requests, because the SDK reports nothing while it retries. */
export function watchConnection(): WatchedConnection {
  let state = OPEN;
  const listeners = new Set<() => void>();
  const set = (next: Connection) => {
    if (next === state) return;
    state = next;
    for (const listener of [...listeners]) listener();
  };
  return {
    async fetch(input, init) {
      try {
        const response = await fetch(input, init);
        set(connectionOf(response));
        return response;
      } catch (error) {
        // A request that the page aborted says nothing about the connection.
        if (!init?.signal?.aborted) set(LOST);
        throw error;
      }
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    getState: () => state,
  };
}

function connectionOf(response: Response): Connection {
  if (response.status === 503) return LOST;
  if (response.status !== 429) return OPEN;
  const seconds = Number(response.headers.get('retry-after') ?? 60);
  return { kind: 'limited', until: Date.now() + (Number.isFinite(seconds) ? seconds : 60) * 1_000 };
}
