interface Props<Value extends string> {
  readonly name: string;
  readonly value: string;
  readonly onChange: (value: Value) => void;
  readonly options: readonly { readonly value: Value; readonly label: string; readonly hint: string }[];
}

/** Radio buttons with a hint each, inside a `fieldset`. */
export function RadioOptions<Value extends string>({ name, value: selected, onChange, options }: Props<Value>) {
  return options.map(({ value, label, hint }) => (
    <label key={value} className="flex gap-2.5">
      <input
        type="radio"
        name={name}
        checked={selected === value}
        onChange={() => onChange(value)}
        className="mt-1 size-4 shrink-0 accent-accent"
      />
      <span>
        {label}
        <span className="block text-sm text-muted">{hint}</span>
      </span>
    </label>
  ));
}
