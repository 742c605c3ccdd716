import type { ScopedDb } from './scoped.ts';
import { inTransaction, type Transaction } from './transaction.ts';

/** PostgreSQL's code for a canceled statement. */
const CANCELED = '57014';

const MAX_CAUSES = 5;

/**
 * Runs `work` in a transaction whose statements PostgreSQL cancels after this time. PGlite does not cancel statements: it
 * serves one process, and nothing else runs while it executes one.
 * @returns undefined if a statement was canceled
 */
export async function withinTime<Result>(
  db: ScopedDb,
  seconds: number,
  work: (tx: Transaction) => Promise<Result>,
): Promise<Result | undefined> {
  try {
    return await inTransaction(db, async (tx) => {
      await limitStatements(tx, seconds);
      return work(tx);
    });
  } catch (error) {
    if (isCanceled(error)) return undefined;
    throw error;
  }
}

/** Without just-in-time compilation: it takes longer than it saves in statements that have to be fast. */
async function limitStatements(tx: Transaction, seconds: number): Promise<void> {
  await tx.$executeRaw`
    SELECT set_config('statement_timeout', ${String(seconds * 1_000)}, true), set_config('jit', 'off', true)`;
}

interface ErrorFields {
  readonly code?: unknown;
  readonly originalCode?: unknown;
  readonly cause?: unknown;
  readonly meta?: { readonly driverAdapterError?: unknown };
}

function isCanceled(error: unknown): boolean {
  let current = error as ErrorFields | undefined;
  for (let depth = 0; typeof current === 'object' && current !== null && depth < MAX_CAUSES; depth += 1) {
    if (current.code === CANCELED || current.originalCode === CANCELED) return true;
    current = (current.cause ?? current.meta?.driverAdapterError) as ErrorFields | undefined;
  }
  return false;
}
