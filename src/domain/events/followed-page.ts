import { inTransaction, type Transaction } from '../../db/transaction.ts';
import type { Context } from '../context.ts';

/** A page, and where a follower goes on from what it shows. */
export type FollowedPage<Page> = Page & {
  /** Null where it was not asked for. */
  readonly followCursor: string | null;
};

/**
 * Reads a page; with `following` together with the position of whoever has seen it, so that they are told of everything
 * else, and of that once. `positionIn` is asked first: all statements of such a transaction see what its first one saw.
 */
export async function followedPage<Page>(
  ctx: Context,
  following: boolean,
  readPage: (db: Transaction) => Promise<Page>,
  positionIn: (db: Transaction) => Promise<string>,
): Promise<FollowedPage<Page>> {
  if (!following) return { ...(await readPage(ctx.db)), followCursor: null };
  return inTransaction(
    ctx.db,
    async (tx) => {
      const followCursor = await positionIn(tx);
      return { ...(await readPage(tx)), followCursor };
    },
    'RepeatableRead',
  );
}
