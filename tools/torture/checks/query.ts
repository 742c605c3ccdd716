import type { Journal } from '../journal.ts';

/** Queries the database of either kind. */
export type Query = <Row>(sql: string, values?: unknown[]) => Promise<Row[]>;

/** Holds if a query for forbidden rows returns nothing. */
export async function checkNoRows(journal: Journal, send: Query, name: string, sql: string): Promise<void> {
  const rows = await send<object>(sql);
  journal.check(name, rows.length === 0, () => `${rows.length} rows: ${JSON.stringify(rows.slice(0, 5))}`);
}

/** The condition that the run `r` called the model. The others only keep a message for a person. */
export const IS_TURN = 'r.handled_by IS NULL';

/** The condition that the item `i` belongs to the turn of its run. What a person does only names the latest run. */
export const IS_OF_TURN = "i.author IS NULL AND i.kind <> 'handling'";

/** The condition that no person had the conversation of `i`, and that it did not wait for one. */
export const NEVER_HANDED_OVER = `NOT EXISTS (
  SELECT FROM timeline_item change WHERE change.conversation_id = i.conversation_id AND change.kind = 'handling')`;

/** The condition that the run `r` ran in its conversation. A fork has copies of runs. */
export const IS_OWN = `EXISTS (
  SELECT FROM conversation own WHERE own.id = r.conversation_id AND own.created_at <= r.created_at)`;
