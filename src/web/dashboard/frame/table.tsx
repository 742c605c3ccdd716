import type { ReactNode } from 'react';
import { Icon } from '../../ui/icon.tsx';

/** The order of a list, and how the user changes it. */
export interface Sort {
  readonly field: string;
  readonly direction: 'asc' | 'desc';
  readonly onSort: (field: string) => void;
}

export interface Column<Row> {
  readonly title: string;
  readonly cell: (row: Row) => ReactNode;
  /** Aligns numbers to the right. */
  readonly numeric?: boolean;
  /** The field that sorts the list by this column. */
  readonly sortBy?: string;
}

interface Props<Row> {
  /** The table's accessible name. */
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string | number;
  /** The text of an empty table: what will appear here, and how. */
  readonly empty: ReactNode;
  readonly sort?: Sort;
}

/** A table. On a phone each row becomes a card with the first cell as its heading. */
export function Table<Row>({ label, columns, rows, keyOf, empty, sort }: Props<Row>) {
  if (rows.length === 0) {
    return (
      <div className="flex flex-col items-center gap-3 rounded-xl border border-dashed border-edge/50 px-6 py-9 text-center text-muted">
        <span className="flex size-10 items-center justify-center rounded-full bg-sunken">
          <Icon name="file" className="size-5" />
        </span>
        <div className="max-w-lg text-balance">{empty}</div>
      </div>
    );
  }
  return (
    <div className="table-card">
      <table aria-label={label} className="block w-full md:table">
        <thead className="hidden md:table-header-group">
          <tr className="border-b border-line text-left text-sm text-muted">
            {columns.map(({ title, numeric, sortBy }) => (
              <th
                key={title}
                scope="col"
                aria-sort={sort && sortBy === sort.field ? SORTED[sort.direction] : undefined}
                className={`px-4 py-2.5 align-bottom font-medium whitespace-nowrap ${numeric ? 'text-right' : ''}`}
              >
                {sort && sortBy ? <SortButton {...{ title, sortBy, sort, numeric }} /> : title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="flex flex-col gap-3 md:table-row-group">
          {rows.map((row) => (
            <tr
              key={keyOf(row)}
              className="block rounded-xl border border-line bg-surface p-3 shadow-sm transition-colors md:table-row md:border-x-0 md:border-t-0 md:bg-transparent md:shadow-none md:last:border-b-0 md:hover:bg-canvas"
            >
              {columns.map(({ title, cell, numeric }, index) => (
                <td
                  key={title}
                  className={`flex items-baseline justify-between gap-4 py-1 md:table-cell md:px-4 md:py-3 md:align-baseline ${numeric ? 'tabular-nums md:text-right' : ''}`}
                >
                  {index > 0 && (
                    <span aria-hidden="true" className="shrink-0 text-sm text-muted md:hidden">
                      {title}
                    </span>
                  )}
                  <span className={`${CELL} ${numeric ? 'md:ml-auto' : ''} ${index > 0 ? 'text-right' : HEADING}`}>
                    {cell(row)}
                  </span>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** A long word breaks, and a long text takes several lines: neither hides the other columns. */
const CELL = 'min-w-0 wrap-anywhere md:block md:max-w-xl md:[text-align:inherit]';

/** The first cell of a card on a phone. */
const HEADING = 'flex-1 pb-1 max-md:font-medium md:pb-0';

const SORTED = { asc: 'ascending', desc: 'descending' } as const;

interface SortButtonProps {
  readonly title: string;
  readonly sortBy: string;
  readonly sort: Sort;
  readonly numeric?: boolean | undefined;
}

function SortButton({ title, sortBy, sort, numeric }: SortButtonProps) {
  const isSorted = sortBy === sort.field;
  return (
    <button
      type="button"
      onClick={() => sort.onSort(sortBy)}
      // The arrow of a column of numbers stands before the title, so that the title ends where the numbers end.
      className={`inline-flex cursor-pointer items-center gap-1 hover:text-ink ${numeric ? 'flex-row-reverse' : ''}`}
    >
      {title}
      <Icon
        name="chevron"
        className={`size-3.5 ${sort.direction === 'asc' ? '-rotate-90' : 'rotate-90'} ${isSorted ? '' : 'invisible'}`}
      />
    </button>
  );
}
