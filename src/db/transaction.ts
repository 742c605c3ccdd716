import type { Prisma } from './generated/client.ts';
import type { ScopedDb } from './scoped.ts';

/** The same as the connection timeout of the pool: under load, slow responses are better than early errors. */
const TIMEOUT_MS = 10_000;

interface TransactionOptions {
  readonly isolationLevel?: 'ReadCommitted' | 'RepeatableRead';
  /** Limit: the wait for a connection, and then the duration of the transaction. */
  readonly timeoutMs?: number;
}

/** The client of one transaction. It has the scope of the client that began the transaction. */
export type Transaction = Prisma.TransactionClient;

/**
 * Runs `work` in one transaction. Inside it use only `tx`: an embedded database has one connection, so another client
 * would wait without end. Publish notifications after this returns, because only then the change is committed.
 */
export function inTransaction<T>(
  db: ScopedDb,
  work: (tx: Transaction) => Promise<T>,
  { isolationLevel = 'ReadCommitted', timeoutMs = TIMEOUT_MS }: TransactionOptions = {},
): Promise<T> {
  return db.$transaction(work, { maxWait: timeoutMs, timeout: timeoutMs, isolationLevel });
}
