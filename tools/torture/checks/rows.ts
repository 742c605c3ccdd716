import { openDatabase } from '../../../src/db/database.ts';
import type { Place } from '../../../test/support/places.ts';
import type { Journal } from '../journal.ts';
import { checkLog } from './log-rows.ts';
import { checkMade } from './made-rows.ts';
import { checkRuns } from './run-rows.ts';
import { checkTimelines } from './timeline-rows.ts';

/** Asks the database, whichever it is. */
export type Ask = <Row>(sql: string, values?: unknown[]) => Promise<Row[]>;

/** What is stored, once every process has stopped, against what clients were told and against itself. */
export async function checkRows(journal: Journal, place: Place): Promise<void> {
  const { DATABASE_URL: url, DATA_DIR: path } = place.env;
  const database = await openDatabase(url ? { kind: 'postgresql', url } : { kind: 'directory', path: path ?? '' });
  const ask: Ask = async <Row>(sql: string, values: unknown[] = []) =>
    (await database.pool.query(sql, values)).rows as Row[];
  try {
    await checkTimelines(journal, ask);
    await checkRuns(journal, ask);
    await checkMade(journal, ask);
    await checkLog(journal, ask);
  } finally {
    await database.close();
  }
}

/** Holds where a query for what must not be finds nothing. */
export async function checkNone(journal: Journal, ask: Ask, name: string, sql: string): Promise<void> {
  const rows = await ask<object>(sql);
  journal.check(name, rows.length === 0, () => `${rows.length} rows: ${JSON.stringify(rows.slice(0, 5))}`);
}
