import { type FormEvent, useState } from 'react';
import { useSearchParams } from 'wouter';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { Icon } from '../../ui/icon.tsx';
import { useSetFilters } from '../location.ts';

/** In the URL each label has its own query parameter: `meta.tier=gold`. */
const PREFIX = 'meta.';

/** The query parameters of the labels in the URL. */
export const labelNames = (params: URLSearchParams) => [...params.keys()].filter((name) => name.startsWith(PREFIX));

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
  const [typed, setTyped] = useState('');
  const [, key, value] = /^\s*([^=]+?)\s*=\s*(.+?)\s*$/.exec(typed) ?? [];
  const add = (event: FormEvent) => {
    event.preventDefault();
    if (!key || !value) return;
    set({ [PREFIX + key]: value });
    setTyped('');
  };
  return (
    <form onSubmit={add} className="flex min-w-0 flex-1 flex-wrap items-center gap-2">
      <TextField
        label="Label"
        value={typed}
        autoComplete="off"
        spellCheck={false}
        placeholder="key=value"
        onChange={(event) => setTyped(event.target.value)}
        className="basis-32"
      />
      <Button type="submit" disabled={!key || !value}>
        Add
      </Button>
      {Object.keys(labels).length > 0 && (
        <ul aria-label="Selected labels" className="flex flex-wrap gap-2">
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

/** The labels of a conversation. */
export function Labels({ meta }: { readonly meta: Readonly<Record<string, unknown>> }) {
  return (
    <span className="text-sm font-normal text-muted">
      {Object.entries(meta)
        .map(([name, value]) => `${name}=${String(value)}`)
        .join(' ')}
    </span>
  );
}
