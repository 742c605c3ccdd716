import { useId } from 'react';

interface Props<Value extends string> {
  /** The name of the group. */
  readonly label: string;
  /** Undefined: no option is chosen. */
  readonly value: Value | undefined;
  readonly options: readonly (readonly [value: Value, label: string])[];
  readonly onChange: (value: Value) => void;
}

/** One of a few values, which applies at once. */
export function Choice<Value extends string>({ label, value, options, onChange }: Props<Value>) {
  const name = useId();
  return (
    <fieldset className="flex rounded-lg border border-line bg-surface p-1">
      <legend className="sr-only">{label}</legend>
      {options.map(([option, text]) => (
        <label
          key={option}
          className="cursor-pointer rounded-md px-3 py-1 text-sm whitespace-nowrap has-checked:bg-accent-soft has-checked:font-medium has-checked:text-accent has-focus-visible:outline-2 has-focus-visible:outline-accent"
        >
          <input
            type="radio"
            name={name}
            className="sr-only"
            checked={option === value}
            onChange={() => onChange(option)}
          />
          {text}
        </label>
      ))}
    </fieldset>
  );
}
