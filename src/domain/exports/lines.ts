/**
 * A line of an export. The first line is `export` and describes the export. Then follows one line per row. The last line is
 * `end`, with the number of rows by type. An export without `end` is incomplete.
 */
export type ExportLine =
  | { readonly type: ExportType | 'export'; readonly data: Readonly<Record<string, unknown>> }
  | { readonly type: 'end'; readonly counts: Readonly<Partial<Record<ExportType, number>>> };

/** The types of exported rows. */
export type ExportType =
  | 'conversation'
  | 'run'
  | 'item'
  | 'note'
  | 'file'
  | 'resource'
  | 'integration'
  | 'webhook_endpoint'
  | 'end_user_issuer'
  | 'trigger'
  | 'document'
  | 'document_version'
  | 'workflow_log'
  | 'event';

/** A line of one row. */
export interface RowLine {
  readonly type: ExportType;
  readonly data: Readonly<Record<string, unknown>>;
}

/** The page size for rows that can have several MiB. */
export const LARGE_ROWS = 20;
/** The page size for small rows. */
export const SMALL_ROWS = 200;

/** The version of the format. It changes when an old reader would misread the new format. */
const VERSION = 1;

/** Adds the first and the last line. */
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

/** Returns a line for each row. */
export async function* linesOf<Row>(
  type: ExportType,
  rows: AsyncIterable<Row>,
  dataOf: (row: Row) => RowLine['data'],
): AsyncGenerator<RowLine, undefined> {
  for await (const row of rows) yield { type, data: dataOf(row) };
}
