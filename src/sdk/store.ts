/** An observable value, in the form that React's `useSyncExternalStore` expects. */
export interface Store<State> {
  get(): State;
  /** Merges these fields into the state and notifies all listeners. */
  set(patch: Partial<State>): void;
  /** Replaces the state. Listeners are notified with the next `set`. */
  reset(next: State): void;
  /** Returns the function that unsubscribes. */
  subscribe(listener: (state: State) => void): () => void;
}

export function createStore<State extends object>(initial: State): Store<State> {
  let state = initial;
  const listeners = new Set<(state: State) => void>();
  return {
    get: () => state,
    set(patch) {
      state = { ...state, ...patch };
      for (const listener of [...listeners]) notify(listener, state);
    },
    reset(next) {
      state = next;
    },
    subscribe(listener) {
      // A wrapper for each subscription: a listener that subscribes twice is called twice and can unsubscribe once.
      const subscription = (value: State) => listener(value);
      listeners.add(subscription);
      return () => void listeners.delete(subscription);
    },
  };
}

/** Resolves with the first state that matches, which may be the current one. */
export function firstState<State>(store: Store<State>, matches: (state: State) => boolean): Promise<State> {
  return new Promise((resolve) => {
    const stop = store.subscribe(check);
    function check(state: State): void {
      if (!matches(state)) return;
      stop();
      resolve(state);
    }
    check(store.get());
  });
}

/** A listener that throws must stop neither the other listeners nor, as an uncaught exception, the process. */
function notify<State>(listener: (state: State) => void, state: State): void {
  try {
    listener(state);
  } catch (error) {
    console.error('Parley: a state listener failed.', error);
  }
}
