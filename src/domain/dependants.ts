import { ServiceError } from '../contract/errors.ts';
import { LIMITS } from '../contract/limits.ts';
import { formatCount } from '../contract/quantities.ts';
import type { Scope } from '../contract/scopes.ts';
import { DEPENDANT_KINDS, type DependantKind } from '../contract/statuses.ts';
import { isForeignKeyError } from '../db/error-codes.ts';
import { Prisma } from '../db/generated/client.ts';
import type { Transaction } from '../db/transaction.ts';
import type { Context } from './context.ts';

/** Objects of one kind that prevent a deletion or a change. */
export interface Dependants {
  readonly kind: DependantKind;
  /** Of all environments of the workspace. At most `LIMITS.countedDependants`. */
  readonly count: number;
  /** The IDs of the first ones in the caller's environment, if the caller can read them. */
  readonly ids: readonly string[];
}

/** The rows of one kind. The table has the alias `d`. */
export interface DependantRows {
  readonly kind: DependantKind;
  readonly table: Prisma.Sql;
  readonly where: Prisma.Sql;
  /** Whether the rows belong to the caller's environment, or to the workspace. */
  readonly isOwn: boolean;
}

/** An ID of a conversation or a trigger can be a credential, so only callers who can read the objects get IDs. */
const KINDS: Readonly<Record<DependantKind, { readonly scope?: Scope; readonly one: string; readonly many: string }>> =
  {
    deployment: { scope: 'workflows:read', one: 'deployment', many: 'deployments' },
    conversation: { scope: 'conversations:read', one: 'conversation', many: 'conversations' },
    trigger: { scope: 'triggers:read', one: 'trigger', many: 'triggers' },
    api_key: { scope: 'keys:manage', one: 'API key', many: 'API keys' },
    // It is a setting of its environment.
    end_user_issuer: { one: 'issuer of JWTs', many: 'issuers of JWTs' },
    budget: { scope: 'budgets:read', one: 'budget', many: 'budgets' },
  };

/**
 * Rejects a deletion or a change if rows depend on the object. Under the lock of the object that conflicts with foreign keys, no row
 * can be added until the end of the transaction.
 * @param places the rows of each environment, because a statement reads one environment
 * @throws {ServiceError} in_use
 */
export async function requireUnused(
  ctx: Context,
  tx: Transaction,
  thing: string,
  places: readonly (readonly DependantRows[])[],
  change: 'changed' | 'deleted' = 'deleted',
): Promise<void> {
  const found: Dependants[] = [];
  for (const rows of places) {
    const counts = rows.map((one) => countRows(ctx, one));
    found.push(...(await tx.$queryRaw<Dependants[]>`${Prisma.join(counts, ' UNION ALL ')}`));
  }
  const kinds = DEPENDANT_KINDS.map((kind) => sumOf(kind, found)).filter(({ count }) => count > 0);
  if (kinds.length > 0) throw inUse(`The ${thing} cannot be ${change}`, kinds);
}

function sumOf(kind: DependantKind, found: readonly Dependants[]): Dependants {
  const rows = found.filter((one) => one.kind === kind);
  const count = rows.reduce((sum, one) => sum + one.count, 0);
  return { kind, count: Math.min(count, LIMITS.countedDependants), ids: rows.flatMap(({ ids }) => ids) };
}

function countRows({ caller }: Context, { kind, table, where, isOwn }: DependantRows): Prisma.Sql {
  const { scope } = KINDS[kind];
  const canRead = isOwn && scope !== undefined && caller.scopes.has(scope);
  return Prisma.sql`
      SELECT ${kind} AS kind, (
        SELECT count(*)::int FROM (SELECT FROM ${table} d WHERE ${where} LIMIT ${LIMITS.countedDependants}) AS counted
      ) AS count, ARRAY(
        SELECT d.id::text FROM ${table} d WHERE ${where} AND ${canRead} LIMIT ${LIMITS.namedDependants}
      ) AS ids`;
}

function inUse(problem: string, dependants: readonly Dependants[]): ServiceError {
  const list = dependants.map(({ kind, count }) => {
    const number = `${formatCount(count)}${count === LIMITS.countedDependants ? ' or more' : ''}`;
    return `${number} ${KINDS[kind][count === 1 ? 'one' : 'many']}`;
  });
  const verb = dependants.length === 1 && dependants[0]?.count === 1 ? 'depends' : 'depend';
  const message = `${problem}: ${list.join(', ')} ${verb} on it.`;
  return new ServiceError('in_use', message, { facts: { dependants } });
}

/**
 * Stores a row that refers to an object. If the object was deleted after it was read, the database rejects the row.
 * @throws {ServiceError} the error of `notFound`
 */
export async function unlessDeleted<T>(notFound: () => ServiceError, store: () => Promise<T>): Promise<T> {
  try {
    return await store();
  } catch (error) {
    throw isForeignKeyError(error) ? notFound() : error;
  }
}
