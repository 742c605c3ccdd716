import type { ReactNode } from 'react';

export interface Column<Row> {
  readonly title: string;
  readonly cell: (row: Row) => ReactNode;
  /** Aligns numbers to the right. */
  readonly numeric?: boolean;
}

interface Props<Row> {
  /** The table's accessible name. */
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string | number;
  /** The text of an empty table: what will appear here, and how. */
  readonly empty: ReactNode;
}

/** A table. On a phone each row becomes a card. */
export function Table<Row>({ label, columns, rows, keyOf, empty }: Props<Row>) {
  if (rows.length === 0) {
    return <div className="rounded-xl border border-dashed border-line p-8 text-center text-muted">{empty}</div>;
  }
  return (
    <table aria-label={label} className="block w-full md:table">
      <thead className="hidden md:table-header-group">
        <tr className="border-b border-line text-left text-sm text-muted">
          {columns.map(({ title, numeric }) => (
            <th key={title} scope="col" className={`px-3 py-2 font-medium ${numeric ? 'text-right' : ''}`}>
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody className="flex flex-col gap-3 md:table-row-group">
        {rows.map((row) => (
          <tr
            key={keyOf(row)}
            className="block rounded-xl border border-line bg-surface p-3 md:table-row md:border-x-0 md:border-t-0 md:bg-transparent"
          >
            {columns.map(({ title, cell, numeric }) => (
              <td
                key={title}
                className={`flex items-baseline justify-between gap-4 py-1 md:table-cell md:px-3 md:py-2.5 md:align-baseline ${numeric ? 'tabular-nums md:text-right' : ''}`}
              >
                <span aria-hidden="true" className="shrink-0 text-sm text-muted md:hidden">
                  {title}
                </span>
                <span className="min-w-0 break-words text-right md:[text-align:inherit]">{cell(row)}</span>
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
