import { inTransaction, type Transaction } from '../../db/transaction.ts';
import type { Context } from '../context.ts';

/** A page, and the cursor to follow the list from there. */
export type FollowablePage<Page> = Page & {
  /** Null if it was not requested. */
  readonly followCursor: string | null;
};

/**
 * Reads a page. With `following` it also reads the position of the page, so a reader who follows from there misses nothing
 * and gets nothing twice. Both are read in one REPEATABLE READ transaction, whose statements all see the same snapshot.
 */
export async function readFollowablePage<Page>(
  ctx: Context,
  following: boolean,
  readPage: (db: Transaction) => Promise<Page>,
  positionIn: (db: Transaction) => Promise<string>,
): Promise<FollowablePage<Page>> {
  if (!following) return { ...(await readPage(ctx.db)), followCursor: null };
  return inTransaction(
    ctx.db,
    async (tx) => {
      const followCursor = await positionIn(tx);
      return { ...(await readPage(tx)), followCursor };
    },
    { isolationLevel: 'RepeatableRead' },
  );
}
