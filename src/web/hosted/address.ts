import { useSyncExternalStore } from 'react';

/** The parameters in the address of a hosted page: the open conversation and the trigger of its link. */
export interface Address {
  readonly cid: string | null;
  readonly tid: string | null;
}

const listeners = new Set<() => void>();

/** The current address, also after back and forward. */
export function useAddress(): Address {
  const search = useSyncExternalStore(subscribe, () => location.search);
  const parameters = new URLSearchParams(search);
  return { cid: parameters.get('cid'), tid: parameters.get('tid') };
}

/** Changes the address, as a new entry of the browser's history or in place of the current one. */
export function setAddress({ cid, tid }: Partial<Address>, mode: 'push' | 'replace'): void {
  const url = new URL(location.href);
  for (const [name, value] of [
    ['cid', cid],
    ['tid', tid],
  ] as const) {
    if (value) url.searchParams.set(name, value);
    else url.searchParams.delete(name);
  }
  if (url.href === location.href) return;
  history[mode === 'push' ? 'pushState' : 'replaceState'](null, '', url);
  for (const listener of [...listeners]) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  addEventListener('popstate', listener);
  return () => {
    listeners.delete(listener);
    removeEventListener('popstate', listener);
  };
}
