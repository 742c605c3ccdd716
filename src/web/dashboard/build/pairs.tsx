import { useId } from 'react';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { Icon } from '../../ui/icon.tsx';

/** A value under a name, as somebody writes it. */
export interface Pair {
  readonly key: number;
  readonly name: string;
  readonly value: string;
}

let made = 0;

/** Rows of a list that grows and shrinks have keys of their own. */
export function newPair(name = '', value = ''): Pair {
  made += 1;
  return { key: made, name, value };
}

/** What the rows come to; a row without a name counts for nothing. */
export function valuesOf(pairs: readonly Pair[]): Record<string, string> {
  return Object.fromEntries(pairs.filter(({ name }) => name !== '').map(({ name, value }) => [name, value]));
}

interface Props {
  readonly title: string;
  readonly hint?: string;
  /** What one of them is called. */
  readonly noun: string;
  readonly pairs: readonly Pair[];
  readonly onChange: (pairs: readonly Pair[]) => void;
  readonly errorAt?: (index: number, field: 'name' | 'value') => string | undefined;
  readonly error?: string | undefined;
}

/** Values by name: rows to be filled in, added and taken away. */
export function Pairs({ title, hint, noun, pairs, onChange, errorAt, error }: Props) {
  const id = useId();
  const change = (at: number, fields: Partial<Pair>) =>
    onChange(pairs.map((pair, index) => (index === at ? { ...pair, ...fields } : pair)));
  const fieldOf = (index: number, field: 'name' | 'value') => ({
    label: field === 'name' ? 'Name' : 'Value',
    'aria-label': `${noun} ${index + 1}: ${field}`,
    value: pairs[index]?.[field] ?? '',
    error: errorAt?.(index, field),
  });
  return (
    <fieldset aria-labelledby={id} className="flex min-w-0 flex-col gap-3">
      <p id={id} className="text-sm font-medium">
        {title}
      </p>
      {hint && <p className="-mt-2 text-sm text-muted">{hint}</p>}
      {pairs.map(({ key }, index) => (
        <div key={key} className="grid grid-cols-[minmax(0,1fr)_minmax(0,1fr)_auto] items-start gap-2">
          <TextField {...fieldOf(index, 'name')} onChange={(event) => change(index, { name: event.target.value })} />
          <TextField {...fieldOf(index, 'value')} onChange={(event) => change(index, { value: event.target.value })} />
          <Button
            look="quiet"
            className="mt-6"
            aria-label={`Remove ${noun.toLowerCase()} ${index + 1}`}
            onClick={() => onChange(pairs.filter((_, place) => place !== index))}
          >
            <Icon name="close" className="size-4" />
          </Button>
        </div>
      ))}
      {error && <p className="text-sm text-danger">{error}</p>}
      <Button small className="self-start" onClick={() => onChange([...pairs, newPair()])}>
        <Icon name="plus" className="size-4" /> Add {noun.toLowerCase()}
      </Button>
    </fieldset>
  );
}
