import * as React from 'react';

// React does not export hooks under the `react-server` condition, where a named import would fail at load time.
// So all files here read the hooks from the namespace when they call them.

interface Controller<State> {
  subscribe(listener: (state: State) => void): () => void;
  getState(): State;
}

/** The state of a controller. On a server: the initial state, which the first render in the browser also uses. */
export function useControllerState<State>({ subscribe, getState }: Controller<State>): State {
  return React.useSyncExternalStore(subscribe, getState, getState);
}

/** Keeps a controller until the source changes or `restarts` is true. */
export function useController<Source, Made>(source: Source, create: () => Made, restarts = false): Made {
  const [current, setCurrent] = React.useState(() => ({ source, controller: create() }));
  if (current.source === source && !restarts) return current.controller;
  // Setting state while rendering: React renders again at once, before effects run.
  const next = { source, controller: create() };
  setCurrent(next);
  return next.controller;
}
