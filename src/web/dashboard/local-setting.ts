import { useSyncExternalStore } from 'react';

/** A setting of this browser: on or off. Without a choice of the user it has its default. */
export interface LocalSetting {
  isOn(): boolean;
  set(isOn: boolean): void;
  /** The value and its setter, as a hook. */
  use(): readonly [boolean, (isOn: boolean) => void];
}

const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function localSetting(name: string, byDefault: boolean): LocalSetting {
  const key = `parley.${name}`;
  const isOn = () => (byDefault ? localStorage.getItem(key) !== 'off' : localStorage.getItem(key) === 'on');
  const set = (value: boolean) => {
    if (value === byDefault) localStorage.removeItem(key);
    else localStorage.setItem(key, value ? 'on' : 'off');
    for (const listener of listeners) listener();
  };
  return { isOn, set, use: () => [useSyncExternalStore(subscribe, isOn), set] };
}
