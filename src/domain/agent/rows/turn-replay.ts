import { NO_USAGE } from '../../../contract/token-usage.ts';
import { Prisma } from '../../../db/generated/client.ts';
import { isHeld } from '../../access/claimed-effect.ts';
import type { Claim } from '../../access/idempotency.ts';
import type { FinishedTurn, RecordedTurn } from '../turn.ts';

/** A finished turn as an idempotency key stores it. JSON has no dates. */
type StoredTurn = Omit<FinishedTurn, 'createdAt' | 'updatedAt' | 'completedAt'> & {
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly completedAt: string | null;
};

/**
 * Stores the turn under the request's idempotency key, in the statement that settles the turn. It is a CTE that needs
 * `moved`. So a first request needs no further statement for a later replay.
 */
export function storeTurnUnderKey(
  claim: Claim | undefined,
  requestId: string,
  turn: FinishedTurn | undefined,
): Prisma.Sql[] {
  if (!claim?.turn || !turn) return [];
  const stored = { turn: { ...turn, requestId }, scopes: claim.turn.scopes };
  return [
    Prisma.sql`kept_turn AS (
      UPDATE idempotency_record
      SET effect = effect || ${JSON.stringify(stored)}::jsonb, lease_owner = NULL, lease_expires_at = now()
      FROM moved
      WHERE ${isHeld(claim)}
    )`,
  ];
}

/** Returns the turn that {@link storeTurnUnderKey} stored, or undefined if the request has not settled one. */
export function storedTurn(recorded: RecordedTurn & { readonly turn?: StoredTurn }): FinishedTurn | undefined {
  if (!recorded.turn) return undefined;
  const { createdAt, updatedAt, completedAt, ...turn } = recorded.turn;
  return {
    // An earlier release stored fewer counts.
    ...NO_USAGE,
    ...turn,
    createdAt: new Date(createdAt),
    updatedAt: new Date(updatedAt),
    completedAt: completedAt === null ? null : new Date(completedAt),
  };
}
