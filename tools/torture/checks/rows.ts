import { openDatabase } from '../../../src/db/database.ts';
import type { DataStore } from '../../../test/support/data-stores.ts';
import type { ReceivedMessage } from '../../../test/support/receiver.ts';
import type { Journal } from '../journal.ts';
import type { Lifetime } from '../lifetimes.ts';
import type { Recovery } from '../plan.ts';
import { checkCalls } from './action-rows.ts';
import { checkContinued } from './continued-rows.ts';
import { checkCreated } from './created-rows.ts';
import { checkLog } from './log-rows.ts';
import type { Query } from './query.ts';
import { checkRuns } from './run-rows.ts';
import { measureHandOvers, measureTakeovers } from './takeovers.ts';
import { checkTimelines } from './timeline-rows.ts';

/** What the checks compare. */
export interface Stored {
  readonly journal: Journal;
  readonly store: DataStore;
  readonly recovery: Recovery;
  readonly lifetimes: readonly Lifetime[];
  /** The requests of actions, in the order of their arrival. */
  readonly calls: readonly ReceivedMessage[];
}

/** Compares the stored data with the clients' responses and with itself, after every process has stopped. */
export async function checkRows({ journal, store, recovery, lifetimes, calls }: Stored): Promise<void> {
  const { DATABASE_URL: url, DATA_DIR: path } = store.env;
  const database = await openDatabase(url ? { kind: 'postgresql', url } : { kind: 'directory', path: path ?? '' });
  // Reads the rows of all tenants: this connection acts as the user that opened it, and row-level security does not
  // apply to that user.
  const connection = await database.pool.connect();
  await connection.query('RESET ROLE');
  const send: Query = async <Row>(sql: string, values: unknown[] = []) =>
    (await connection.query(sql, values)).rows as Row[];
  try {
    await checkTimelines(journal, send);
    await checkRuns(journal, send, recovery);
    await checkCreated(journal, send);
    await checkLog(journal, send);
    if (url) await measureHandOvers(journal, send);
    if (recovery === 'settle') return;
    await checkContinued(journal, send);
    await checkCalls(journal, send, calls);
    await measureTakeovers(journal, send, lifetimes);
  } finally {
    connection.release(true);
    await database.close();
  }
}
