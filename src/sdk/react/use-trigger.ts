import * as React from 'react';
import type { ParleyClient } from '../client.ts';
import { asParleyError, isAborted, type ParleyError } from '../error.ts';
import { createStore } from '../store.ts';
import type { Trigger } from '../triggers.ts';
import { useControllerState } from './use-controller.ts';

/** A trigger and the status of its request. */
export interface UseTrigger {
  /** Null until it is loaded. */
  readonly trigger: Trigger | null;
  readonly status: 'idle' | 'loading' | 'success' | 'error';
  /** The reason of the status `error`. Null with any other status. */
  readonly error: ParleyError | null;
}

const IDLE: UseTrigger = { trigger: null, status: 'idle', error: null };

/**
 * Reads a trigger when its ID changes. Without an ID the status is `idle`.
 *
 * @example
 * const { trigger } = useTrigger(client, new URLSearchParams(location.search).get('tid'));
 * if (trigger?.expired) return <Expired />;
 */
export function useTrigger(client: ParleyClient, triggerId?: string | null): UseTrigger {
  const [store] = React.useState(() => {
    const { get: getState, ...rest } = createStore<UseTrigger>(IDLE);
    return { getState, ...rest };
  });
  React.useEffect(() => {
    if (!triggerId) return store.set(IDLE);
    const request = new AbortController();
    store.set({ ...IDLE, status: 'loading' });
    client.trigger.get(triggerId, { signal: request.signal }).then(
      (trigger) => request.signal.aborted || store.set({ trigger, status: 'success' }),
      (thrown: unknown) => {
        const error = asParleyError(thrown);
        if (!isAborted(error)) store.set({ status: 'error', error });
      },
    );
    return () => request.abort();
  }, [client, triggerId, store]);
  return useControllerState(store);
}
