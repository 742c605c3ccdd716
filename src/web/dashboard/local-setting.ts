import { useSyncExternalStore } from 'react';

/** A setting of this browser. */
interface Stored<Value> {
  get(): Value;
  set(value: Value): void;
  /** The value and its setter, as a hook. */
  use(): readonly [Value, (value: Value) => void];
}

const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** One of several values. Without a choice of the user it is the first one. */
export function localChoice<Value extends string>(name: string, values: readonly [Value, ...Value[]]): Stored<Value> {
  const key = `parley.${name}`;
  const get = () => values.find((value) => value === localStorage.getItem(key)) ?? values[0];
  const set = (value: Value) => {
    if (value === values[0]) localStorage.removeItem(key);
    else localStorage.setItem(key, value);
    for (const listener of listeners) listener();
  };
  return { get, set, use: () => [useSyncExternalStore(subscribe, get), set] };
}

/** On or off. */
export function localSetting(name: string, byDefault: boolean): Stored<boolean> {
  const choice = localChoice(name, byDefault ? ['on', 'off'] : ['off', 'on']);
  const set = (isOn: boolean) => choice.set(isOn ? 'on' : 'off');
  return {
    get: () => choice.get() === 'on',
    set,
    use: () => [choice.use()[0] === 'on', set],
  };
}
