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
  /** Takes the room that the other columns leave, and cuts its lines. On a phone it is the whole card. */
  readonly isMain?: boolean;
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
  /** The row that is open next to the table. */
  readonly openKey?: string | number;
}

/** A table. On a phone each row becomes a card with the first cell as its heading. */
export function Table<Row>({ label, columns, rows, keyOf, empty, sort, openKey }: Props<Row>) {
  const hasMain = columns.some(({ isMain }) => isMain);
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
              aria-current={keyOf(row) === openKey || undefined}
              className="block rounded-xl border border-line bg-surface p-3 shadow-sm transition-colors md:table-row md:border-x-0 md:border-t-0 md:bg-transparent md:shadow-none md:last:border-b-0 md:hover:bg-canvas md:aria-[current]:bg-accent-soft"
            >
              {columns.map((column, index) => (
                <Cell key={column.title} {...{ column, row, hasMain }} isFirst={index === 0} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface CellProps<Row> {
  readonly column: Column<Row>;
  readonly row: Row;
  readonly isFirst: boolean;
  /** Whether the table has a main column. */
  readonly hasMain: boolean;
}

function Cell<Row>({ column: { title, cell, numeric, isMain = false }, row, isFirst, hasMain }: CellProps<Row>) {
  const room = isMain ? ROOM.main : hasMain ? ROOM.side : ROOM.equal;
  return (
    <td
      className={`items-baseline justify-between gap-4 md:table-cell md:px-4 md:align-baseline ${room.cell} ${numeric ? 'tabular-nums md:text-right' : ''}`}
    >
      {!isFirst && (
        <span aria-hidden="true" className="shrink-0 text-sm text-muted md:hidden">
          {title}
        </span>
      )}
      <span className={`${CONTENT} ${room.content} ${numeric ? 'md:ml-auto' : ''} ${isFirst ? HEADING : 'text-right'}`}>
        {cell(row)}
      </span>
    </td>
  );
}

/** A long word breaks, and a long text takes several lines: neither hides the other columns. */
const CONTENT = 'min-w-0 wrap-anywhere md:block md:[text-align:inherit]';

const ROOM = {
  equal: { cell: 'flex py-1 first:pb-2 md:py-3', content: 'md:max-w-xl' },
  main: { cell: 'flex md:w-full md:max-w-0 md:py-2', content: '' },
  side: { cell: 'hidden whitespace-nowrap md:py-2', content: 'md:max-w-xl' },
} as const;

/** The first cell of a card on a phone. */
const HEADING = 'flex-1 max-md:font-medium';

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
      className={`inline-flex cursor-pointer items-center gap-1 align-bottom hover:text-ink ${numeric ? 'flex-row-reverse' : ''}`}
    >
      {title}
      <Icon
        name="chevron"
        className={`size-3.5 ${sort.direction === 'asc' ? '-rotate-90' : 'rotate-90'} ${isSorted ? '' : 'invisible'}`}
      />
    </button>
  );
}
