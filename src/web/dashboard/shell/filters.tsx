import { type ReactNode, useEffect, useState } from 'react';
import { SelectField, TextField } from '../../ui/field.tsx';
import { useFilter } from '../location.ts';

/** The filters above a list. */
export function Filters({ label = 'Filters', children }: { readonly label?: string; readonly children: ReactNode }) {
  return (
    <search aria-label={label} className="grid gap-4 sm:grid-cols-2 lg:grid-cols-4">
      {children}
    </search>
  );
}

/** The URL changes after the user stops typing for this long. */
const DEBOUNCE_MS = 300;

interface TextProps {
  /** The query parameter in the URL. */
  readonly name: string;
  readonly label: string;
  readonly placeholder?: string;
  readonly maxLength?: number;
  /** Why the value is invalid. */
  readonly error?: string | undefined;
}

/** A text filter. */
export function TextFilter({ name, ...rest }: TextProps) {
  const [value, set] = useFilter(name);
  // The text while the user types, before it reaches the URL.
  const [typed, setTyped] = useState<string>();
  useEffect(() => {
    if (typed === undefined) return;
    const timer = setTimeout(() => {
      set(typed.trim());
      setTyped(undefined);
    }, DEBOUNCE_MS);
    return () => clearTimeout(timer);
  });
  return (
    <TextField
      {...rest}
      type="search"
      autoComplete="off"
      spellCheck={false}
      value={typed ?? value}
      onChange={(event) => setTyped(event.target.value)}
    />
  );
}

interface SelectProps {
  readonly label: string;
  /** The query parameter in the URL. */
  readonly name: string;
  /** Pairs of value and label. The value of the first one is '', which is the default. */
  readonly options: readonly (readonly [string, string])[];
}

/** A filter with a list of options. */
export function FilterSelect({ label, name, options }: SelectProps) {
  const [value, set] = useFilter(name);
  return (
    <SelectField label={label} value={value} onChange={(event) => set(event.target.value)}>
      {options.map(([option, text]) => (
        <option key={option} value={option}>
          {text}
        </option>
      ))}
    </SelectField>
  );
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Whether a text is a UUID, as most IDs of the service are. */
export const isUuid = (text: string): boolean => UUID.test(text);
