interface Props {
  /** Name and value of each row. */
  readonly rows: readonly (readonly [name: string, value: string])[];
}

/** Stored settings, to read. */
export function FactList({ rows }: Props) {
  return (
    <dl className="grid gap-x-6 gap-y-2 sm:grid-cols-[auto_minmax(0,1fr)]">
      {rows.map(([name, value]) => (
        <div key={name} className="contents">
          <dt className="text-muted">{name}</dt>
          <dd className="wrap-anywhere">{value}</dd>
        </div>
      ))}
    </dl>
  );
}
