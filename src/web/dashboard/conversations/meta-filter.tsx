import { type FormEvent, useId, useState } from 'react';
import { useSearchParams } from 'wouter';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { useSetFilters } from '../location.ts';

/** In the URL each label has its own query parameter: `meta.tier=gold`. */
const PREFIX = 'meta.';

/** The labels in the URL. */
function useLabels(): Readonly<Record<string, string>> {
  const [params] = useSearchParams();
  return labelsIn(params);
}

/** The labels in a query string. */
export function labelsIn(params: URLSearchParams): Readonly<Record<string, string>> {
  return Object.fromEntries(
    [...params].flatMap(([name, value]) => (name.startsWith(PREFIX) ? [[name.slice(PREFIX.length), value]] : [])),
  );
}

/** Adds and removes label filters. A label is a key and a value. */
export function MetaFilter() {
  const labels = useLabels();
  const set = useSetFilters();
  const id = useId();
  const [typed, setTyped] = useState('');
  const [, key, value] = /^\s*([^=]+?)\s*=\s*(.+?)\s*$/.exec(typed) ?? [];
  const add = (event: FormEvent) => {
    event.preventDefault();
    if (!key || !value) return;
    set({ [PREFIX + key]: value });
    setTyped('');
  };
  return (
    <form onSubmit={add} className="flex flex-col gap-1">
      <label htmlFor={id} className="text-sm font-medium">
        Label
      </label>
      <div className="flex gap-2">
        <input
          id={id}
          value={typed}
          autoComplete="off"
          spellCheck={false}
          placeholder="key=value"
          onChange={(event) => setTyped(event.target.value)}
          className="min-h-10.5 w-full min-w-0 rounded-lg border border-edge bg-surface px-3 py-2 placeholder:text-muted"
        />
        <Button type="submit" disabled={!key || !value}>
          Add
        </Button>
      </div>
      {Object.keys(labels).length > 0 && (
        <ul aria-label="Selected labels" className="mt-1 flex flex-wrap gap-2">
          {Object.entries(labels).map(([name, selected]) => (
            <li key={name}>
              <button
                type="button"
                aria-label={`Remove ${name}=${selected}`}
                onClick={() => set({ [PREFIX + name]: '' })}
                className="inline-flex cursor-pointer items-center gap-1 rounded-full bg-accent-soft px-2.5 py-0.5 text-sm text-accent"
              >
                {name}={selected}
                <Icon name="close" className="size-3.5" />
              </button>
            </li>
          ))}
        </ul>
      )}
    </form>
  );
}

const SHOWN = 4;

/** The first four labels of a conversation. */
export function Labels({ meta }: { readonly meta: Readonly<Record<string, unknown>> }) {
  const all = Object.entries(meta);
  if (all.length === 0) return null;
  return (
    <span className="mt-0.5 flex flex-wrap gap-x-3 text-sm font-normal text-muted">
      {all.slice(0, SHOWN).map(([name, value]) => (
        <span key={name}>
          {name}={String(value)}
        </span>
      ))}
      {all.length > SHOWN && <span>+{all.length - SHOWN}</span>}
    </span>
  );
}
