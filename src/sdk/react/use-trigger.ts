import { useEffect, useState } from 'react';
import type { ParleyClient } from '../client.ts';
import { asParleyError, isAborted, type ParleyError } from '../error.ts';
import { createStore } from '../store.ts';
import type { Trigger } from '../triggers.ts';
import { useControllerState } from './use-store.ts';

/** A trigger as it is read. */
export interface UseTrigger {
  /** Null until it has been read. */
  readonly trigger: Trigger | null;
  readonly status: 'idle' | 'loading' | 'success' | 'error';
  /** Set exactly while `status` is `error`. */
  readonly error: ParleyError | null;
}

const IDLE: UseTrigger = { trigger: null, status: 'idle', error: null };

/**
 * Reads a trigger, once for each id; `idle` without one.
 *
 * @example
 * const { trigger } = useTrigger(client, new URLSearchParams(location.search).get('tid'));
 * if (trigger?.expired) return <Expired />;
 */
export function useTrigger(client: ParleyClient, triggerId?: string | null): UseTrigger {
  const [store] = useState(() => {
    const { get: getState, ...rest } = createStore<UseTrigger>(IDLE);
    return { getState, ...rest };
  });
  useEffect(() => {
    if (!triggerId) return store.set(IDLE);
    const leave = new AbortController();
    store.set({ ...IDLE, status: 'loading' });
    client.trigger.get(triggerId, { signal: leave.signal }).then(
      (trigger) => leave.signal.aborted || store.set({ trigger, status: 'success' }),
      (thrown: unknown) => {
        const error = asParleyError(thrown);
        if (!isAborted(error)) store.set({ status: 'error', error });
      },
    );
    return () => leave.abort();
  }, [client, triggerId, store]);
  return useControllerState(store);
}
