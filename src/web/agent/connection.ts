/** How this page reaches the service, as its latest requests have told. */
export type Connection =
  | { readonly kind: 'open' }
  /** Requests do not get through; they are sent again. */
  | { readonly kind: 'lost' }
  /** More requests than are taken in a minute; they go on at this time, in milliseconds. */
  | { readonly kind: 'limited'; readonly until: number };

const OPEN: Connection = { kind: 'open' };
const LOST: Connection = { kind: 'lost' };

export interface WatchedConnection {
  /** What requests go through. */
  readonly fetch: typeof globalThis.fetch;
  readonly subscribe: (listener: () => void) => () => void;
  readonly getState: () => Connection;
}

/** A fetch that notes what becomes of its requests: the SDK sends them again by itself, and tells nothing meanwhile. */
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
        // What the page itself gave up says nothing about the connection.
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
