/** A field of a resource before and after a change. */
export interface FieldChange {
  readonly name: string;
  /** Undefined if the field did not exist. */
  readonly before: unknown;
  readonly after: unknown;
}

/** The changed fields in a payload. Undefined if the payload contains no changes. */
export function changesOf({ before, after }: Readonly<Record<string, unknown>>): readonly FieldChange[] | undefined {
  if (!isObject(before) || !isObject(after)) return undefined;
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return names.map((name) => ({ name, before: before[name], after: after[name] }));
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A table of the changed fields with their values before and after. */
export function FieldChanges({ changes }: { readonly changes: readonly FieldChange[] }) {
  return (
    <table aria-label="Changed fields" className="block w-full text-sm sm:table">
      <thead className="hidden sm:table-header-group">
        <tr className="border-b border-line text-left text-muted">
          <th scope="col" className="w-1/5 py-1 pr-3 font-medium">
            Field
          </th>
          <th scope="col" className="w-2/5 py-1 pr-3 font-medium">
            Before
          </th>
          <th scope="col" className="w-2/5 py-1 font-medium">
            After
          </th>
        </tr>
      </thead>
      <tbody className="block sm:table-row-group">
        {changes.map(({ name, before, after }) => (
          <tr key={name} className="block border-b border-line py-2 sm:table-row sm:py-0">
            <th scope="row" className="block py-1 pr-3 text-left font-medium sm:table-cell sm:align-baseline">
              {name}
            </th>
            <Value title="Before" value={before} look="bg-danger-soft text-danger" />
            <Value title="After" value={after} look="bg-ok-soft text-ok" />
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Value({ title, value, look }: { readonly title: string; readonly value: unknown; readonly look: string }) {
  return (
    <td className="block py-1 sm:table-cell sm:pr-3 sm:align-baseline">
      <span aria-hidden="true" className="mb-1 block text-muted sm:hidden">
        {title}
      </span>
      {value === undefined ? (
        <span className="text-muted">not set</span>
      ) : (
        <code
          className={`inline-block max-w-full rounded px-1.5 py-0.5 font-mono break-words whitespace-pre-wrap ${look}`}
        >
          {typeof value === 'string' ? value : JSON.stringify(value, null, 2)}
        </code>
      )}
    </td>
  );
}
