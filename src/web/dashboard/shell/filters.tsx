import { type ReactNode, useEffect, useState } from 'react';
import { SelectField, TextField } from '../../ui/field.tsx';
import { useFilter } from '../location.ts';

/** Filters above a list: beside each other where there is room. */
export function Filters({ label = 'Filters', children }: { readonly label?: string; readonly children: ReactNode }) {
  return (
    <search aria-label={label} className="grid gap-4 sm:grid-cols-2 lg:grid-cols-4">
      {children}
    </search>
  );
}

/** So long after the last key the address takes what was typed. */
const AFTER_MS = 300;

interface TextProps {
  /** Of the address. */
  readonly name: string;
  readonly label: string;
  readonly placeholder?: string;
  readonly maxLength?: number;
  /** Why it cannot be looked for. */
  readonly error?: string | undefined;
}

/** A filter that is typed. */
export function TextFilter({ name, ...rest }: TextProps) {
  const [value, set] = useFilter(name);
  // What is being typed, until the address has it.
  const [typed, type] = useState<string>();
  useEffect(() => {
    if (typed === undefined) return;
    const timer = setTimeout(() => {
      set(typed.trim());
      type(undefined);
    }, AFTER_MS);
    return () => clearTimeout(timer);
  });
  return (
    <TextField
      {...rest}
      type="search"
      autoComplete="off"
      spellCheck={false}
      value={typed ?? value}
      onChange={(event) => type(event.target.value)}
    />
  );
}

interface SelectProps {
  readonly label: string;
  /** As the address names it. */
  readonly name: string;
  /** What can be chosen: the value, and what it is called. The first one, whose value is '', holds unless told otherwise. */
  readonly options: readonly (readonly [string, string])[];
}

/** One of several, held by the address. */
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

/** Whether the service takes it for an id. */
export const isUuid = (text: string): boolean => UUID.test(text);
