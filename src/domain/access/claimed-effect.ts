import { ServiceError } from '../../contract/errors.ts';
import { hasErrorCode } from '../../db/error-codes.ts';
import { Prisma, type PrismaClient } from '../../db/generated/client.ts';
import type { Guard } from '../../db/scope.ts';
import { guardedDb } from '../../db/scoped.ts';
import type { Context, PublicContext } from '../context.ts';
import type { Claim } from './idempotency.ts';

// A process can stall for longer than the lease of its key. Another process then takes the key over, so an effect
// depends on the claim in the same statement or transaction. Every write of a request's context does. A turn outlives its
// request, so only the statements that accept its input do.

/** SQLSTATE division_by_zero: how a check of the claim fails. */
const CLAIM_LOST = '22012';

const CLAIM_GUARD = `SELECT WHERE 1 / (SELECT count(*) FROM (
  SELECT FROM idempotency_record WHERE environment_id = $1::uuid AND key = $2 AND lease_owner = $3::uuid
  FOR NO KEY UPDATE) AS record) IS NULL`;

/**
 * The condition of the writes of a request: this process still has the key. It locks the key until the commit. Undefined
 * without a key, and for turns.
 */
export function claimGuard(claim: Claim | undefined): Guard | undefined {
  return !claim || claim.runsTurn ? undefined : guardBy(claim);
}

/** The same condition, also for turns. */
export function guardBy({ environmentId, key, owner }: Claim): Guard {
  return {
    text: CLAIM_GUARD,
    values: [environmentId, key, owner],
    failure: CLAIM_LOST,
    error: () => new ClaimLostError(),
  };
}

/** The client that sees all tenants, for a request that writes rows of accounts. */
export function accountDb({ services, request }: Pick<PublicContext, 'services' | 'request'>): PrismaClient {
  const guard = claimGuard(request.claim);
  return guard ? guardedDb(services.stores.prisma, guard) : services.stores.prisma;
}

/**
 * Fails if another process has the key. For work that reaches other systems, which no transaction includes.
 * @throws {ServiceError} unavailable
 */
export async function requireClaim({ sql, request: { claim } }: Context): Promise<void> {
  if (!claim) return;
  const rows = await sql.rows`SELECT FROM idempotency_record WHERE ${isHeld(claim)}`;
  if (rows.length === 0) throw new ClaimLostError();
}

/**
 * The first CTE of a statement that takes effect under the request's key. It has one row, which the statement must read, and
 * locks the key until the commit. If another process has the key, the statement fails: see {@link underClaim}.
 */
export function heldClaim(claim: Claim | undefined): Prisma.Sql {
  if (!claim) return Prisma.sql`held AS (SELECT 1)`;
  return Prisma.sql`held AS MATERIALIZED (
      SELECT 1 / (SELECT count(*) FROM (
        SELECT 1 FROM idempotency_record WHERE ${isHeld(claim)} FOR NO KEY UPDATE) AS record) AS records
    )`;
}

/** Runs a statement with {@link heldClaim}. @throws {ServiceError} unavailable if another process has the key */
export async function underClaim<T>(claim: Claim | undefined, takeEffect: () => Promise<T>): Promise<T> {
  if (!claim) return takeEffect();
  try {
    return await takeEffect();
  } catch (error) {
    throw hasErrorCode(error, CLAIM_LOST) ? new ClaimLostError() : error;
  }
}

/**
 * Records the effect of a request in the statement that has it, as a further CTE. `from` has rows only if the statement
 * takes effect. Without `from`, the statement takes effect or fails.
 */
export function effectCte(claim: Claim | undefined, effect: object, from?: 'new_run' | 'moved'): Prisma.Sql {
  if (!claim) return Prisma.empty;
  return Prisma.sql`, effected AS (
      UPDATE idempotency_record SET effect = ${JSON.stringify(effect)}::jsonb
      ${from ? Prisma.raw(`FROM ${from}`) : Prisma.empty}
      WHERE ${isHeld(claim)}
    )`;
}

/**
 * Records the effect of a request within a transaction, which must end if this fails.
 * @throws {ServiceError} unavailable if another process has the key
 */
export async function recordEffect(tx: Records, claim: Claim | undefined, effect: Prisma.InputJsonObject) {
  if (claim && !(await isUpdated(tx, claim, effect))) throw new ClaimLostError();
}

/** Removes the effect of a request that is taken back. Does nothing if another process has the key. */
export async function clearEffect(tx: Records, claim: Claim | undefined): Promise<void> {
  if (claim) await isUpdated(tx, claim, Prisma.DbNull);
}

type Records = Pick<Prisma.TransactionClient, 'idempotencyRecord'>;

async function isUpdated(
  tx: Records,
  { environmentId, key, owner }: Claim,
  effect: Prisma.InputJsonObject | typeof Prisma.DbNull,
): Promise<boolean> {
  const { count } = await tx.idempotencyRecord.updateMany({
    where: { environmentId, key, leaseOwner: owner },
    data: { effect },
  });
  return count > 0;
}

/** The condition that this process still has the key. */
export function isHeld({ environmentId, key, owner }: Claim): Prisma.Sql {
  return Prisma.sql`idempotency_record.environment_id = ${environmentId}::uuid
        AND idempotency_record.key = ${key} AND idempotency_record.lease_owner = ${owner}::uuid`;
}

/** Another process has the key of the request. The next attempt finds the outcome of that process. */
export class ClaimLostError extends ServiceError {
  constructor() {
    super('unavailable', 'Another process continues this request. Send it again with the same idempotency key.');
  }
}
