/** A value that can be watched; what React's `useSyncExternalStore` takes. */
export interface Store<State> {
  get(): State;
  /** Puts these fields in, and tells all listeners. */
  set(patch: Partial<State>): void;
  /** Puts another in its place; listeners are told with the change that follows. */
  reset(next: State): void;
  /** Answers how to stop listening. */
  subscribe(listener: (state: State) => void): () => void;
}

export function createStore<State extends object>(initial: State): Store<State> {
  let state = initial;
  const listeners = new Set<(state: State) => void>();
  return {
    get: () => state,
    set(patch) {
      state = { ...state, ...patch };
      for (const listener of [...listeners]) tell(listener, state);
    },
    reset(next) {
      state = next;
    },
    subscribe(listener) {
      // One of its own for each, so that a listener given twice is told twice and stops once.
      const own = (value: State) => listener(value);
      listeners.add(own);
      return () => void listeners.delete(own);
    },
  };
}

/** A listener that throws is its owner's affair, and does not keep the others or the SDK from going on. */
function tell<State>(listener: (state: State) => void, state: State): void {
  try {
    listener(state);
  } catch (error) {
    setTimeout(() => {
      throw error;
    });
  }
}
