import type { ReactNode } from 'react';
import { useFilter } from '../location.ts';

/** What narrows a list, above it. */
export function Filters({ children }: { readonly children: ReactNode }) {
  return <div className="flex flex-wrap items-end gap-3">{children}</div>;
}

interface Props {
  readonly label: string;
  /** As the address names it. */
  readonly name: string;
  /** What can be chosen: the value, and what it is called. The first one, whose value is '', holds unless told otherwise. */
  readonly options: readonly (readonly [string, string])[];
}

/** One of several, held by the address. */
export function FilterSelect({ label, name, options }: Props) {
  const [value, set] = useFilter(name);
  return (
    <label className="flex min-w-0 flex-col gap-1 text-sm">
      <span className="font-medium">{label}</span>
      <select
        value={value}
        onChange={(event) => set(event.target.value)}
        className="min-h-10 max-w-full rounded-lg border border-edge bg-surface px-3 text-base"
      >
        {options.map(([option, text]) => (
          <option key={option} value={option}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}
