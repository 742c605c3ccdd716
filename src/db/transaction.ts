import type { Prisma } from './generated/client.ts';
import type { ScopedDb } from './scoped.ts';

/** As long as the pool waits for a connection, so that a crowd is served late rather than refused early. */
const PATIENCE_MS = 10_000;

/** What runs inside one transaction; bound to the same environment. */
export type Transaction = Prisma.TransactionClient;

/**
 * Runs `work` in one transaction: all or nothing. Inside it only `tx` may be asked, since an embedded database has one
 * connection. Wake-ups are published once this has answered: after the commit.
 */
export function inTransaction<T>(
  db: ScopedDb,
  work: (tx: Transaction) => Promise<T>,
  isolationLevel: 'ReadCommitted' | 'RepeatableRead' = 'ReadCommitted',
): Promise<T> {
  return db.$transaction(work, { maxWait: PATIENCE_MS, timeout: PATIENCE_MS, isolationLevel });
}
