import { useSyncExternalStore } from 'react';

/** What controllers have in common. */
interface Watched<State> {
  subscribe(listener: (state: State) => void): () => void;
  getState(): State;
}

/** A controller's state; on a server the state that the first render in the browser begins with. */
export function useControllerState<State>({ subscribe, getState }: Watched<State>): State {
  return useSyncExternalStore(subscribe, getState, getState);
}
