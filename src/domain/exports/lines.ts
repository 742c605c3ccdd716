/**
 * A line of an export. The first is `export`, which says of what; then one for each row; the last is `end`, which counts
 * the lines between by type. An export without it was broken off.
 */
export type ExportLine =
  | { readonly type: ExportType | 'export'; readonly data: Readonly<Record<string, unknown>> }
  | { readonly type: 'end'; readonly counts: Readonly<Partial<Record<ExportType, number>>> };

/** What is exported. */
export type ExportType =
  | 'conversation'
  | 'run'
  | 'item'
  | 'resource'
  | 'integration'
  | 'webhook_endpoint'
  | 'trigger'
  | 'workflow_log'
  | 'event';

/** A line of one row. */
export interface RowLine {
  readonly type: ExportType;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Rows read together. A row of these may be mebibytes. */
export const LARGE_ROWS = 20;
/** The same of rows that are small. */
export const SMALL_ROWS = 200;

/** The form of these lines; it grows when a reader of the older one would misread it. */
const VERSION = 1;

/** Puts the first line before, and the last one behind. */
export async function* framed(
  of: Readonly<Record<string, unknown>>,
  rows: AsyncIterable<RowLine>,
): AsyncGenerator<ExportLine, undefined> {
  yield { type: 'export', data: { version: VERSION, ...of } };
  const counts: Partial<Record<ExportType, number>> = {};
  for await (const row of rows) {
    counts[row.type] = (counts[row.type] ?? 0) + 1;
    yield row;
  }
  yield { type: 'end', counts };
}

/** A line for each row, as it is read. */
export async function* linesOf<Row>(
  type: ExportType,
  rows: AsyncIterable<Row>,
  dataOf: (row: Row) => RowLine['data'],
): AsyncGenerator<RowLine, undefined> {
  for await (const row of rows) yield { type, data: dataOf(row) };
}
