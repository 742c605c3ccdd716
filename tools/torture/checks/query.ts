import type { Journal } from '../journal.ts';

/** Queries the database of either kind. */
export type Query = <Row>(sql: string, values?: unknown[]) => Promise<Row[]>;

/** Holds if a query for forbidden rows returns nothing. */
export async function checkNoRows(journal: Journal, send: Query, name: string, sql: string): Promise<void> {
  const rows = await send<object>(sql);
  journal.check(name, rows.length === 0, () => `${rows.length} rows: ${JSON.stringify(rows.slice(0, 5))}`);
}

/** The condition that the run `r` ran in its conversation. A fork has copies of runs. */
export const IS_OWN = `EXISTS (
  SELECT FROM conversation own WHERE own.id = r.conversation_id AND own.created_at <= r.created_at)`;
